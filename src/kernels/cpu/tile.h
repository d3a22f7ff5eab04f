// Tiles: the unit of all CPU loops. Every loop runs over a whole tile of a fixed global grid, with a trip count known
// at compile time, so that an element meets the same instructions wherever a range begins or ends.
#pragma once

#include <cstdint>
#include <cstring>

#include "functors/isa.h"

namespace scorevi::kernels::SCOREVI_ISA {

constexpr int kTile = 1024;

// Elements [base, base + kTile), of which those with base + low <= j < base + high are visited.
struct TileRange {
  int64_t base;
  int low, high;
  bool whole() const { return low == 0 && high == kTile; }
};

// Calls body(TileRange) for every tile that [begin, end) touches, in order.
template <class Body>
void for_each_tile(int64_t begin, int64_t end, const Body& body) {
  for (int64_t base = begin - begin % kTile; base < end; base += kTile) {
    TileRange range;
    range.base = base;
    range.low = static_cast<int>(begin > base ? begin - base : 0);
    range.high = static_cast<int>(end < base + kTile ? end - base : kTile);
    body(range);
  }
}

// Pointers to the tile's part of flat buffers. A tile that is visited in part works on zero-padded copies, and
// commit() writes the visited elements of the updated ones back.
template <class T>
class TileBuffers {
 public:
  explicit TileBuffers(const TileRange& range) : range_(range) {}
  TileBuffers(const TileBuffers&) = delete;
  TileBuffers& operator=(const TileBuffers&) = delete;

  // nullptr stays nullptr.
  const T* read(const T* buffer) {
    if (buffer == nullptr) return nullptr;
    if (range_.whole()) return buffer + range_.base;
    return copy_in(buffer);
  }

  T* update(T* buffer) {
    if (range_.whole()) return buffer + range_.base;
    targets_[used_] = buffer;
    return copy_in(buffer);
  }

  T* update_or_null(T* buffer) { return buffer == nullptr ? nullptr : update(buffer); }

  void commit() {
    for (int k = 0; k < used_; ++k) {
      if (targets_[k] == nullptr) continue;
      memcpy(targets_[k] + range_.base + range_.low, copies_[k] + range_.low, visited_bytes());
    }
  }

 private:
  static constexpr int kMaxCopies = 16;

  std::size_t visited_bytes() const { return static_cast<std::size_t>(range_.high - range_.low) * sizeof(T); }

  T* copy_in(const T* buffer) {
    T* copy = copies_[used_++];
    memset(copy, 0, sizeof copies_[0]);
    memcpy(copy + range_.low, buffer + range_.base + range_.low, visited_bytes());
    return copy;
  }

  TileRange range_;
  int used_ = 0;
  T* targets_[kMaxCopies] = {};
  alignas(64) T copies_[kMaxCopies][kTile];
};

}  // namespace scorevi::kernels::SCOREVI_ISA
