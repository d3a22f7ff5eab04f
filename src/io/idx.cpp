#include "scorevi/io/idx.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "scorevi/core/error.h"
#include "scorevi/io/gzip.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kSizeBytes = 4;
constexpr std::uint8_t kUnsignedByte = 0x08;
constexpr std::size_t kMaxRank = 4;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kSizeBytes; ++i) {
    value = (value << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  }
  return value;
}

const char* element_name(std::uint8_t code) {
  switch (code) {
    case 0x09:
      return "signed byte";
    case 0x0B:
      return "16-bit integer";
    case 0x0C:
      return "32-bit integer";
    case 0x0D:
      return "float";
    case 0x0E:
      return "double";
    default:
      return nullptr;
  }
}

[[noreturn]] void bad_idx(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", name, what));
}

// The number of dimensions, after the magic has been checked.
std::size_t rank_of(std::string_view bytes, const std::string& name) {
  if (bytes.size() < kMagicBytes) {
    bad_idx(name, fmt::format("file of {} bytes is too short for an idx header", bytes.size()));
  }
  const auto type = static_cast<std::uint8_t>(bytes[2]);
  const auto rank = static_cast<std::uint8_t>(bytes[3]);
  const bool zeros = bytes[0] == 0 && bytes[1] == 0;
  if (zeros && type != kUnsignedByte && element_name(type) != nullptr) {
    bad_idx(name,
            fmt::format("idx element type {} (0x{:02x}), expected unsigned byte (0x08)", element_name(type), type));
  }
  if (!zeros || type != kUnsignedByte || rank < 1 || rank > kMaxRank) {
    bad_idx(name, fmt::format("not an idx file: magic 0x{:08x}, expected 0x00000801 (labels) or "
                              "0x00000803 (images)",
                              big_endian(bytes, 0)));
  }
  return rank;
}

}  // namespace

at::Tensor parse_idx(std::string_view bytes, const std::string& name) {
  const std::size_t rank = rank_of(bytes, name);
  const std::size_t header = kMagicBytes + rank * kSizeBytes;
  if (bytes.size() < header) {
    bad_idx(name, fmt::format("found {} bytes, expected a header of {}", bytes.size(), header));
  }
  std::vector<std::int64_t> shape;
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::uint32_t size = big_endian(bytes, kMagicBytes + d * kSizeBytes);
    shape.push_back(size);
    if (size == 0) bad_idx(name, fmt::format("dimension {} is 0, expected at least 1", d));
    if (__builtin_mul_overflow(count, std::uint64_t{size}, &count)) {
      bad_idx(name, fmt::format("sizes {} are impossible", fmt::join(shape, " x ")));
    }
  }
  if (bytes.size() - header != count) {
    bad_idx(name, fmt::format("found {} data bytes, expected {} for sizes {}", bytes.size() - header, count,
                              fmt::join(shape, " x ")));
  }
  at::Tensor out = at::empty(shape, at::kByte);
  std::memcpy(out.mutable_data_ptr<std::uint8_t>(), bytes.data() + header, count);
  return out;
}

at::Tensor read_idx(const std::string& path) { return parse_idx(read_raw_or_gzip(path), path); }

bool begins_like_idx(std::string_view bytes) {
  using namespace std::string_view_literals;
  const std::string_view magic = bytes.substr(0, kMagicBytes);
  return magic == "\0\0\x08\x01"sv || magic == "\0\0\x08\x03"sv;
}

}  // namespace scorevi::io
