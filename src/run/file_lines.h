// Log files that go on where a run goes on.
#pragma once

#include <cstdint>
#include <string>

namespace scorevi::run {

// Cuts a file to its first `bytes` bytes; a missing or shorter file stays as it is. Error(kRuntime) when that fails.
void truncate_file(const std::string& path, int64_t bytes);
// Cuts a text file to its first `lines` lines; a missing or shorter file stays as it is.
void keep_lines(const std::string& path, int64_t lines);
// Bytes in a file, 0 when it does not exist.
int64_t file_bytes(const std::string& path);

}  // namespace scorevi::run
