// RLE8 and RLE4 of BMP.  Source: Microsoft, "Bitmap Compression".
#include <algorithm>

#include "image_bmp.h"
#include "image_bytes.h"

namespace scorevi::io {
namespace {

// After a first byte of 0 the second one says what follows; 3 and more are that many pixels, one by one.
constexpr std::uint8_t kEndOfRow = 0;
constexpr std::uint8_t kEndOfPicture = 1;
constexpr std::uint8_t kMove = 2;

class RunReader {
 public:
  RunReader(const Encoded& file, const BmpLayout& layout, std::uint8_t* indices)
      : file_(file), layout_(layout), at_(layout.pixels_at), indices_(indices) {}

  void read() {
    while (row_ < layout_.height) {
      if (at_ == file_.bytes.size() && row_ == layout_.height - 1 && column_ >= layout_.width) return;
      const std::uint8_t first = next();
      const std::uint8_t second = next();
      if (first > 0) {
        repeat(first, second);
      } else if (second == kEndOfRow) {
        column_ = 0;
        ++row_;
      } else if (second == kEndOfPicture) {
        return;
      } else if (second == kMove) {
        column_ += next();
        row_ += next();
      } else {
        copy(second);
      }
    }
  }

 private:
  bool nibbles() const { return layout_.compression == BmpCompression::kRle4; }

  std::uint8_t next() {
    if (!holds(file_.bytes, at_, 1)) refuse(file_, "BMP is cut short in its pixels");
    return static_cast<std::uint8_t>(file_.bytes[at_++]);
  }

  void put(std::uint8_t index) {
    if (column_ < layout_.width) indices_[bmp_row(layout_, row_) * layout_.width + column_] = index;
    ++column_;
  }

  // Two nibbles take turns, the high one first.
  void repeat(int count, std::uint8_t value) {
    for (int i = 0; i < count; ++i) put(nibbles() ? nibble(value, i) : value);
  }

  // Padded to an even number of bytes.
  void copy(int count) {
    const std::size_t start = at_;
    std::uint8_t byte = 0;
    for (int i = 0; i < count; ++i) {
      if (!nibbles() || i % 2 == 0) byte = next();
      put(nibbles() ? nibble(byte, i) : byte);
    }
    if ((at_ - start) % 2 == 1) next();
  }

  static std::uint8_t nibble(std::uint8_t byte, int position) { return position % 2 == 0 ? byte >> 4 : byte & 0x0F; }

  const Encoded& file_;
  const BmpLayout& layout_;
  std::size_t at_;
  std::uint8_t* indices_;
  std::int64_t column_ = 0;
  std::int64_t row_ = 0;  // as stored
};

}  // namespace

void read_bmp_runs(const Encoded& file, const BmpLayout& layout, std::uint8_t* indices) {
  RunReader(file, layout, indices).read();
}

}  // namespace scorevi::io
