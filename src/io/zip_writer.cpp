#include "zip_writer.h"

#include <algorithm>

#include "little_endian.h"
#include "zip_format.h"

namespace scorevi::io {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::size_t kExtraHeadBytes = 4;       // of every extra field: id and size
constexpr std::uint16_t kPaddingField = 0x4246;  // "FB", as PyTorch pads
constexpr std::uint16_t kDosTime = 0;
constexpr std::uint16_t kDosDate = 0x0021;  // 1980-01-01: the same contents give the same bytes

std::uint32_t clipped(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, zip::kIn64));
}

bool needs64(std::uint64_t value) { return value >= zip::kIn64; }

// What local and central headers share, from the version to the length of the name.
void append_common(std::string& to, std::uint64_t size, std::uint64_t position, std::uint32_t crc, std::size_t name) {
  append_le(to, needs64(size) || needs64(position) ? zip::kVersion64 : zip::kVersion);
  append_le(to, zip::kUtf8Flag);
  append_le(to, zip::kStored);
  append_le(to, kDosTime);
  append_le(to, kDosDate);
  append_le(to, crc);
  append_le(to, clipped(size));  // packed
  append_le(to, clipped(size));
  append_le(to, static_cast<std::uint16_t>(name));
}

// The ZIP64 field; in a local header both sizes or none, in the directory what is clipped.
std::string extra64(std::uint64_t size, std::uint64_t position) {
  std::string values;
  if (needs64(size)) {
    append_le(values, size);
    append_le(values, size);
  }
  if (needs64(position)) append_le(values, position);
  if (values.empty()) return values;
  std::string field;
  append_le(field, zip::kExtra64);
  append_le(field, static_cast<std::uint16_t>(values.size()));
  return field + values;
}

}  // namespace

void ZipWriter::write(const void* data, std::size_t size) {
  sink_(data, size);
  position_ += size;
}

void ZipWriter::add(const std::string& name, const void* data, std::uint64_t size, std::uint32_t crc) {
  const std::uint64_t begin = position_;
  std::string extra = extra64(size, 0);
  const std::uint64_t unpadded = begin + zip::kLocalBytes + name.size() + extra.size() + kExtraHeadBytes;
  const std::uint64_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;
  append_le(extra, kPaddingField);
  append_le(extra, static_cast<std::uint16_t>(padding));
  extra.append(padding, 'Z');

  std::string header;
  append_le(header, zip::kLocalSignature);
  append_common(header, size, 0, crc, name.size());
  append_le(header, static_cast<std::uint16_t>(extra.size()));
  header += name + extra;
  write(header.data(), header.size());
  write(data, size);

  const std::string central_extra = extra64(size, begin);
  append_le(directory_, zip::kCentralSignature);
  append_le(directory_, std::uint16_t{0});  // made on: MS-DOS, which has no file modes
  append_common(directory_, size, begin, crc, name.size());
  append_le(directory_, static_cast<std::uint16_t>(central_extra.size()));
  append_le(directory_, std::uint16_t{0});  // comment
  append_le(directory_, std::uint16_t{0});  // disk
  append_le(directory_, std::uint16_t{0});  // internal attributes
  append_le(directory_, std::uint32_t{0});  // external attributes
  append_le(directory_, clipped(begin));
  directory_ += name + central_extra;
  ++entries_;
}

void ZipWriter::finish() {
  const std::uint64_t begin = position_;
  const std::uint64_t size = directory_.size();
  std::string end;
  if (needs64(begin) || needs64(size) || entries_ >= zip::kIn64Short) {
    append_le(end, zip::kEnd64Signature);
    append_le(end, std::uint64_t{zip::kEnd64Bytes - 12});  // what follows this field
    append_le(end, zip::kVersion64);
    append_le(end, zip::kVersion64);
    append_le(end, std::uint64_t{0});  // disks
    append_le(end, entries_);
    append_le(end, entries_);
    append_le(end, size);
    append_le(end, begin);
    append_le(end, zip::kLocator64Signature);
    append_le(end, std::uint32_t{0});
    append_le(end, begin + size);
    append_le(end, std::uint32_t{1});
  }
  const auto count = static_cast<std::uint16_t>(std::min<std::uint64_t>(entries_, zip::kIn64Short));
  append_le(end, zip::kEndSignature);
  append_le(end, std::uint32_t{0});  // disks
  append_le(end, count);
  append_le(end, count);
  append_le(end, clipped(size));
  append_le(end, clipped(begin));
  append_le(end, std::uint16_t{0});  // comment
  write(directory_.data(), directory_.size());
  write(end.data(), end.size());
}

}  // namespace scorevi::io
