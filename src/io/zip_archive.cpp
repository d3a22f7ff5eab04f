#include "zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "crc32.h"
#include "inflate_stream.h"
#include "little_endian.h"
#include "scorevi/core/error.h"
#include "scorevi/core/utf8.h"
#include "zip_format.h"

namespace scorevi::io {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxDeflateRatio = 1032;  // of the format: 258 bytes from 2 bits
constexpr std::uint64_t kDeflateSlack = 64;

// Why a name is refused, or null. Nothing is ever written under these names; a file that holds them was made to attack.
const char* bad_name(const std::string& name) {
  if (name.empty()) return "is empty";
  if (name.find('\0') != std::string::npos) return "holds a NUL byte";
  if (name.find('\\') != std::string::npos) return "holds a backslash";
  if (name.front() == '/' || (name.size() > 1 && name[1] == ':')) return "is absolute";
  const std::string framed = "/" + name + "/";
  return framed.find("/../") != std::string::npos ? "leaves its folder" : nullptr;
}

// Fills the saturated fields of a central header from its ZIP64 extra field; false where that lacks one.
bool read_extra64(std::string_view extra, ZipEntry& entry) {
  std::string_view field;
  while (extra.size() >= 4) {
    const std::size_t length = load_le<std::uint16_t>(extra, 2);
    if (length > extra.size() - 4) return false;
    if (load_le<std::uint16_t>(extra, 0) == zip::kExtra64) field = extra.substr(4, length);
    extra.remove_prefix(4 + length);
  }
  for (std::uint64_t* value : {&entry.bytes, &entry.packed_bytes, &entry.header_begin}) {
    if (*value != zip::kIn64) continue;
    if (field.size() < 8) return false;
    *value = load_le<std::uint64_t>(field, 0);
    field.remove_prefix(8);
  }
  return true;
}

std::uint32_t crc_of(const ByteRange& range) {
  std::string chunk(std::min(kChunkBytes, range.size), '\0');
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < range.size; at += kChunkBytes) {
    const std::uint64_t part = std::min(kChunkBytes, range.size - at);
    range.read(at, part, chunk.data());
    crc = crc32_of(chunk.data(), part, crc);
  }
  return crc;
}

}  // namespace

struct ZipArchive::Directory {
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t entries;
};

ZipArchive::ZipArchive(std::shared_ptr<const ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {
  const Directory directory = find_directory();
  read_directory(directory);
  for (ZipEntry& entry : entries_) read_local_header(directory, entry);
  check_layout();
}

void ZipArchive::fail(const std::string& what) const {
  throw Error(ErrorKind::kData, name_ + ": zip archive: " + what);
}

const ZipEntry* ZipArchive::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

// The end record is the last one whose comment ends with the file.
ZipArchive::Directory ZipArchive::find_directory() const {
  const std::uint64_t size = source_->size();
  const std::uint64_t tail_size = std::min<std::uint64_t>(size, zip::kEndBytes + zip::kMaxCommentBytes);
  const std::uint64_t tail_begin = size - tail_size;
  std::string tail(tail_size, '\0');
  source_->read(tail_begin, tail_size, tail.data());
  std::size_t at = tail_size < zip::kEndBytes ? 0 : tail_size - zip::kEndBytes + 1;
  const auto is_end = [&](std::size_t i) {
    return load_le<std::uint32_t>(tail, i) == zip::kEndSignature &&
           load_le<std::uint16_t>(tail, i + 20) == tail_size - i - zip::kEndBytes;
  };
  while (at > 0 && !is_end(at - 1)) --at;
  if (at == 0) fail("no directory at the end of the file; the file is truncated or damaged");
  --at;

  const std::uint64_t end_begin = tail_begin + at;
  if (load_le<std::uint32_t>(tail, at + 4) != 0) fail("is one of several disks");
  Directory directory{load_le<std::uint32_t>(tail, at + 16), load_le<std::uint32_t>(tail, at + 12),
                      load_le<std::uint16_t>(tail, at + 10)};
  std::uint64_t directory_end = end_begin;
  std::string locator(zip::kLocator64Bytes, '\0');
  const bool room = end_begin >= zip::kLocator64Bytes + zip::kEnd64Bytes;
  if (room) source_->read(end_begin - zip::kLocator64Bytes, zip::kLocator64Bytes, locator.data());
  if (room && load_le<std::uint32_t>(locator, 0) == zip::kLocator64Signature) {
    directory_end = load_le<std::uint64_t>(locator, 8);
    if (directory_end > end_begin - zip::kLocator64Bytes - zip::kEnd64Bytes) fail("the ZIP64 end record lies outside");
    std::string end64(zip::kEnd64Bytes, '\0');
    source_->read(directory_end, zip::kEnd64Bytes, end64.data());
    if (load_le<std::uint32_t>(end64, 0) != zip::kEnd64Signature) fail("the ZIP64 end record is damaged");
    directory = {load_le<std::uint64_t>(end64, 48), load_le<std::uint64_t>(end64, 40),
                 load_le<std::uint64_t>(end64, 32)};
  }
  if (directory.size > directory_end || directory.begin != directory_end - directory.size) {
    fail(fmt::format("the directory is said to be at byte {}, {} bytes long, expected it to end at byte {}",
                     directory.begin, directory.size, directory_end));
  }
  return directory;
}

void ZipArchive::read_directory(const Directory& directory) {
  if (directory.entries > directory.size / zip::kCentralBytes) {
    fail(fmt::format("{} entries in a directory of {} bytes", directory.entries, directory.size));
  }
  std::string bytes(directory.size, '\0');
  source_->read(directory.begin, directory.size, bytes.data());
  std::string_view rest = bytes;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (rest.size() < zip::kCentralBytes || load_le<std::uint32_t>(rest, 0) != zip::kCentralSignature) {
      fail(fmt::format("entry {} of the directory is damaged", i));
    }
    const std::size_t name_size = load_le<std::uint16_t>(rest, 28);
    const std::size_t extra_size = load_le<std::uint16_t>(rest, 30);
    const std::size_t total = zip::kCentralBytes + name_size + extra_size + load_le<std::uint16_t>(rest, 32);
    if (total > rest.size()) fail(fmt::format("entry {} of the directory is damaged", i));

    ZipEntry entry;
    entry.name = rest.substr(zip::kCentralBytes, name_size);
    const std::string label = "entry " + quoted(entry.name);
    if (const char* why = bad_name(entry.name)) fail(label + ": the name " + why + ", refused");
    entry.crc = load_le<std::uint32_t>(rest, 16);
    entry.packed_bytes = load_le<std::uint32_t>(rest, 20);
    entry.bytes = load_le<std::uint32_t>(rest, 24);
    entry.header_begin = load_le<std::uint32_t>(rest, 42);
    if (!read_extra64(rest.substr(zip::kCentralBytes + name_size, extra_size), entry)) {
      fail(label + ": its ZIP64 sizes are missing");
    }
    const auto method = load_le<std::uint16_t>(rest, 10);
    if ((load_le<std::uint16_t>(rest, 8) & zip::kEncryptionFlags) != 0) fail(label + " is encrypted");
    if (method != zip::kStored && method != zip::kDeflated) {
      fail(fmt::format("{}: compression method {}, expected stored or deflated", label, method));
    }
    if (load_le<std::uint16_t>(rest, 34) != 0) fail(label + " is on another disk");
    entry.deflated = method == zip::kDeflated;
    has_crc_ = has_crc_ || entry.crc != 0;
    if (!index_.emplace(entry.name, entries_.size()).second) fail(label + " is there twice");
    entries_.push_back(std::move(entry));
    rest.remove_prefix(total);
  }
  if (!rest.empty()) fail(fmt::format("{} bytes in the directory belong to no entry", rest.size()));
}

// Where the bytes of an entry begin stands in its local header alone.
void ZipArchive::read_local_header(const Directory& directory, ZipEntry& entry) const {
  const std::string label = "entry " + quoted(entry.name);
  const std::uint64_t room = directory.begin;
  if (room < zip::kLocalBytes || entry.header_begin > room - zip::kLocalBytes) {
    fail(fmt::format("{} begins at byte {}, expected it before the directory at {}", label, entry.header_begin, room));
  }
  std::string header(std::min<std::uint64_t>(zip::kLocalBytes + entry.name.size(), room - entry.header_begin), '\0');
  source_->read(entry.header_begin, header.size(), header.data());
  const std::size_t name_size = load_le<std::uint16_t>(header, 26);
  const bool same = load_le<std::uint32_t>(header, 0) == zip::kLocalSignature && name_size == entry.name.size() &&
                    header.substr(zip::kLocalBytes) == entry.name &&
                    load_le<std::uint16_t>(header, 8) == (entry.deflated ? zip::kDeflated : zip::kStored);
  if (!same) fail(label + ": its own header says something else than the directory; the file is damaged");
  entry.data_begin = entry.header_begin + zip::kLocalBytes + name_size + load_le<std::uint16_t>(header, 28);
  if (entry.data_begin > room || entry.packed_bytes > room - entry.data_begin) {
    fail(fmt::format("{} of {} bytes reaches beyond the file; truncated or damaged", label, entry.packed_bytes));
  }
  const bool possible = entry.deflated ? entry.bytes / kMaxDeflateRatio <= entry.packed_bytes + kDeflateSlack
                                       : entry.bytes == entry.packed_bytes;
  if (!possible) fail(fmt::format("{}: {} bytes cannot come from {}", label, entry.bytes, entry.packed_bytes));
}

void ZipArchive::check_layout() const {
  std::vector<const ZipEntry*> order;
  for (const ZipEntry& entry : entries_) order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](const ZipEntry* a, const ZipEntry* b) { return a->header_begin < b->header_begin; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i]->header_begin < order[i - 1]->data_begin + order[i - 1]->packed_bytes) {
      fail(fmt::format("entries {} and {} overlap", quoted(order[i - 1]->name), quoted(order[i]->name)));
    }
  }
}

void ZipArchive::check_crc(const ZipEntry& entry, std::uint32_t found) const {
  if (!has_crc_ || found == entry.crc) return;
  fail(fmt::format("entry {}: CRC {:08x}, expected {:08x}; the file is damaged", quoted(entry.name), found, entry.crc));
}

ByteRange ZipArchive::open(const ZipEntry& entry, std::uint64_t max_bytes) const {
  if (entry.bytes > max_bytes) {
    fail(fmt::format("entry {} of {} bytes, expected at most {}", quoted(entry.name), entry.bytes, max_bytes));
  }
  ByteRange range{source_, entry.data_begin, entry.bytes};
  if (entry.deflated) range = {owned_source(inflate(entry)), 0, entry.bytes};
  if (has_crc_) check_crc(entry, crc_of(range));
  return range;
}

std::string ZipArchive::read(const ZipEntry& entry, std::uint64_t max_bytes) const {
  const ByteRange range = open(entry, max_bytes);
  std::string bytes(range.size, '\0');
  range.read(0, range.size, bytes.data());
  return bytes;
}

std::string ZipArchive::inflate(const ZipEntry& entry) const {
  InflateStream inflating(-MAX_WBITS, name_);
  z_stream& stream = inflating.get();
  std::string input(std::min(kChunkBytes, entry.packed_bytes), '\0');
  std::string chunk(kChunkBytes, '\0');
  std::string output;
  std::uint64_t taken = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) {
      const std::uint64_t part = std::min(kChunkBytes, entry.packed_bytes - taken);
      source_->read(entry.data_begin + taken, part, input.data());
      taken += part;
      stream.next_in = reinterpret_cast<Bytef*>(input.data());
      stream.avail_in = static_cast<uInt>(part);
    }
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t produced = chunk.size() - stream.avail_out;
    if (produced > entry.bytes - output.size()) {
      fail(fmt::format("entry {} inflates to more than the {} bytes it states", quoted(entry.name), entry.bytes));
    }
    output.append(chunk, 0, produced);
  }
  if (status == Z_MEM_ERROR) throw Error(ErrorKind::kRuntime, name_ + ": zlib ran out of memory");
  const bool whole = stream.avail_in == 0 && taken == entry.packed_bytes && output.size() == entry.bytes;
  if (status != Z_STREAM_END || !whole) fail("entry " + quoted(entry.name) + ": the deflated data are damaged");
  return output;
}

}  // namespace scorevi::io
