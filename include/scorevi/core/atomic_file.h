// Files that are either complete or absent, whatever happens while they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scorevi/core/error.h"

namespace scorevi {

// Streams a file: bytes go to ".<name>.<pid>.tmp" beside the target; commit() syncs it, renames it
// over the target and syncs the folder. Without commit() the temporary is removed and the previous
// file stays. A target that exists but is no regular file (/dev/stdout, a pipe) is written directly.
// Every failure (disk full, no permission, read-only) is an Error(kRuntime) with path and reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t size_bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

  std::int64_t written_bytes() const { return written_bytes_; }

 private:
  void open_temporary();
  [[noreturn]] void fail(const std::string& what, int error_number);
  void discard();

  std::string path_;
  std::string temporary_;  // empty when the target is written directly
  int descriptor_ = -1;
  std::int64_t written_bytes_ = 0;
};

void write_file_atomic(const std::string& path, std::string_view text);

// Removes the temporaries that interrupted runs left in `folder` (not in its subfolders); files
// that a living process still writes stay. Returns the removed names, sorted.
std::vector<std::string> remove_stale_temporaries(const std::string& folder);

// The descriptor of a file to read; the caller closes it. Throws Error(kind) when it is missing, unreadable, a folder,
// or a pipe or device, which might make the program wait for ever.
int open_for_reading(const std::string& path, ErrorKind kind = ErrorKind::kData);

// The whole file. Throws Error(kind) as open_for_reading does, and when it is longer than `max_bytes`.
std::string read_file(const std::string& path, std::int64_t max_bytes, ErrorKind kind = ErrorKind::kData);

// "No space left on device" and the like: the system's text for an errno value. Thread safe.
std::string errno_text(int error_number);

}  // namespace scorevi
