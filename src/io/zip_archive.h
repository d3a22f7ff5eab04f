// Reads zip archives strictly: what two readers could understand in two ways is refused. Private to io.
// Source: PKWARE APPNOTE 6.3.10 (sections 4.3 and 4.5.3), RFC 1951 for deflate.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "byte_source.h"

namespace scorevi::io {

struct ZipEntry {
  std::string name;
  std::uint64_t header_begin = 0;  // of its local header in the file
  std::uint64_t data_begin = 0;    // of its bytes as they are stored
  std::uint64_t packed_bytes = 0;  // as they are stored
  std::uint64_t bytes = 0;         // as they are meant
  std::uint32_t crc = 0;
  bool deflated = false;
};

// The entries of an archive, stored or deflated, with ZIP64 sizes where needed. Opening reads the directory and the
// local headers, never the contents; it takes memory of the order of the directory. Thread safe after construction.
class ZipArchive {
 public:
  // `name` stands in messages. Error kData: no end record at the end of the file (truncated), several disks,
  // encryption, other methods, a directory that does not end at its end record, headers that contradict each other,
  // entries outside the file, overlapping entries, a name twice, and names that leave the archive's folder.
  ZipArchive(std::shared_ptr<const ByteSource> source, std::string name);

  const std::vector<ZipEntry>& entries() const { return entries_; }  // in the directory's order
  // Null where there is none.
  const ZipEntry* find(const std::string& name) const;

  // The contents of an entry: in place where it is stored, in memory where it is deflated. The CRC is checked, unless
  // the CRC of every entry is 0 (PyTorch's set_crc32_options(False)).
  // Error kData: damaged, longer or shorter than stated, or more than `max_bytes`. Memory: never more than the entry
  // really inflates to.
  ByteRange open(const ZipEntry& entry, std::uint64_t max_bytes) const;
  // The same in memory.
  std::string read(const ZipEntry& entry, std::uint64_t max_bytes) const;

 private:
  struct Directory;
  Directory find_directory() const;
  void read_directory(const Directory& directory);
  void read_local_header(const Directory& directory, ZipEntry& entry) const;
  void check_layout() const;
  std::string inflate(const ZipEntry& entry) const;
  void check_crc(const ZipEntry& entry, std::uint32_t found) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::shared_ptr<const ByteSource> source_;
  std::string name_;
  std::vector<ZipEntry> entries_;
  std::map<std::string, std::size_t> index_;
  bool has_crc_ = false;
};

}  // namespace scorevi::io
