#include "mat_guard.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cstdint>

#include "inflate_stream.h"
#include "little_endian.h"
#include "scorevi/core/error.h"
#include "scorevi/io/mat.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kTagBytes = 8;
constexpr std::size_t kAlignment = 8;
constexpr std::size_t kMaxNameBytes = 63;
// Enough for everything that stands before the numbers of an array.
constexpr std::size_t kFrontBytes = 256;

// Type numbers of the format's description (MathWorks, "MAT-File Level 5 File Format").
constexpr std::uint32_t kInt8 = 1;
constexpr std::uint32_t kInt32 = 5;
constexpr std::uint32_t kUint32 = 6;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr std::uint32_t kFirstNumericClass = 6;  // double; 15 is uint64
constexpr std::uint32_t kLastNumericClass = 15;
constexpr std::uint32_t kComplexFlag = 0x0800;

// Bytes of a number by its type; 0: no number.
constexpr std::array<std::size_t, 14> kTypeBytes = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};

// Reads the parts of one array in turn. The numbers themselves need not be in `front`.
class ArrayFront {
 public:
  ArrayFront(std::string_view front, std::string where) : front_(front), where_(std::move(where)) {}

  // Name of the array, whose bytes after its tag must be `size`.
  std::string check() {
    const Tag matrix = read_tag();
    if (matrix.type != kMatrix) fail(fmt::format("element of type {}, expected an array", matrix.type));
    const std::size_t end = kTagBytes + matrix.bytes;
    check_flags();
    const std::size_t numbers = check_dimensions();
    const std::string array_name = read_name();
    const Tag data = read_tag();
    const std::size_t width = data.type < kTypeBytes.size() ? kTypeBytes[data.type] : 0;
    if (width == 0) fail(fmt::format("array {} has elements of type {}, expected numbers", array_name, data.type));
    if (data.bytes != numbers * width || at_ + (data.small ? 4 : data.bytes) > end) {
      fail(fmt::format("array {} has {} bytes in an element of {}, expected {} numbers of {}", array_name, data.bytes,
                       matrix.bytes, numbers, width));
    }
    return array_name;
  }

 private:
  struct Tag {
    std::uint32_t type = 0;
    std::uint32_t bytes = 0;
    bool small = false;  // the value stands in the tag's last four bytes
  };

  [[noreturn]] void fail(const std::string& what) const { throw Error(ErrorKind::kData, where_ + ": " + what); }

  std::uint32_t word() {
    if (front_.size() < at_ + 4) fail("an array is truncated");
    const auto value = load_le<std::uint32_t>(front_, at_);
    at_ += 4;
    return value;
  }

  Tag read_tag() {
    const std::uint32_t first = word();
    if (first >> 16 != 0) return {first & 0xFFFF, first >> 16, true};
    return {first, word(), false};
  }

  void expect_tag(std::uint32_t type, std::uint32_t bytes, const char* what) {
    const Tag tag = read_tag();
    if (tag.small || tag.type != type || tag.bytes != bytes) {
      fail(fmt::format("{} in {} bytes of type {}, expected {} of type {}", what, tag.bytes, tag.type, bytes, type));
    }
  }

  void check_flags() {
    expect_tag(kUint32, 8, "an array's flags");
    const std::uint32_t flags = word();
    word();
    const std::uint32_t array_class = flags & 0xFF;
    if (array_class < kFirstNumericClass || array_class > kLastNumericClass || (flags & kComplexFlag) != 0) {
      fail(fmt::format("an array of class {}{}, expected real numbers", array_class,
                       (flags & kComplexFlag) != 0 ? " (complex)" : ""));
    }
  }

  std::size_t check_dimensions() {
    expect_tag(kInt32, 8, "an array's dimensions");
    const std::uint64_t rows = word();
    const std::uint64_t columns = word();
    if (rows * columns > static_cast<std::uint64_t>(kMaxMatNumbers)) {
      fail(fmt::format("an array of {} x {}, expected at most {} numbers", rows, columns, kMaxMatNumbers));
    }
    return static_cast<std::size_t>(rows * columns);
  }

  std::string read_name() {
    const Tag tag = read_tag();
    if (tag.type != kInt8 || tag.bytes == 0 || tag.bytes > (tag.small ? 4 : kMaxNameBytes)) {
      fail(fmt::format("an array's name in {} bytes of type {}, expected 1 to {} of type {}", tag.bytes, tag.type,
                       kMaxNameBytes, kInt8));
    }
    const std::size_t room = tag.small ? 4 : (tag.bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (front_.size() < at_ + room) fail("an array is truncated");
    std::string name(front_.substr(at_, tag.bytes));
    for (const char c : name) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (!letter) fail("an array's name holds other bytes than letters, digits and _");
    }
    at_ += room;
    return name;
  }

  std::string_view front_;
  std::string where_;
  std::size_t at_ = 0;
};

// The first kFrontBytes of a packed array. The whole stream must unpack to exactly the array its tag claims: matio
// would leave the numbers of a truncated one unset.
std::string unpacked_front(std::string_view packed, const std::string& where) {
  InflateStream inflating(MAX_WBITS, where);
  z_stream& stream = inflating.get();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  const auto limit = static_cast<std::size_t>(kMaxMatNumbers) * 8 + kFrontBytes;
  std::string front;
  std::string chunk(kFrontBytes, '\0');
  int status = Z_OK;
  while (status == Z_OK && stream.total_out <= limit) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (front.empty()) {
      front = chunk.substr(0, chunk.size() - stream.avail_out);
      chunk.resize(std::size_t{1} << 16);
    }
  }
  const std::uint32_t claimed = front.size() >= kTagBytes ? load_le<std::uint32_t>(front, 4) : 0;
  if (status != Z_STREAM_END || stream.avail_in != 0 || stream.total_out != kTagBytes + claimed) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: a packed array is damaged or truncated ({}), expected {} bytes and "
                            "got {}",
                            where, stream.msg != nullptr ? stream.msg : "zlib", claimed, stream.total_out));
  }
  return front;
}

}  // namespace

std::vector<std::string> checked_mat_names(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kVersionAndOrder("\x00\x01IM", 4);
  if (bytes.size() < kHeaderBytes || bytes.substr(0, 10) != "MATLAB 5.0" || bytes.substr(124, 4) != kVersionAndOrder) {
    throw Error(ErrorKind::kData,
                name + ": not a little-endian MATLAB 5.0 file; in MATLAB, save(..., '-v7') writes one");
  }
  std::vector<std::string> names;
  std::string_view rest = bytes.substr(kHeaderBytes);
  while (!rest.empty()) {
    const std::string where = fmt::format("{}, byte {}", name, bytes.size() - rest.size());
    const bool whole_tag = rest.size() >= kTagBytes;
    const std::uint32_t type = whole_tag ? load_le<std::uint32_t>(rest, 0) : 0;
    const std::uint32_t size = whole_tag ? load_le<std::uint32_t>(rest, 4) : 0;
    if ((type != kMatrix && type != kCompressed) || size > rest.size() - kTagBytes) {
      throw Error(ErrorKind::kData, fmt::format("{}: an element of type {} with {} bytes where {} are left, expected "
                                                "an array (damaged or truncated)",
                                                where, type, size, rest.size()));
    }
    const std::string_view element = rest.substr(0, kTagBytes + size);
    const bool packed = type == kCompressed;
    const std::string front = packed ? unpacked_front(element.substr(kTagBytes), where) : "";
    names.push_back(ArrayFront(packed ? std::string_view(front) : element, where).check());
    rest.remove_prefix(element.size());
  }
  return names;
}

}  // namespace scorevi::io
