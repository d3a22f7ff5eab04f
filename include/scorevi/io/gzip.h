// Whole files in memory, raw or gzip-compressed, told apart by content and never by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scorevi::io {

// Most bytes a reader holds of one file, after decompression: 2 GiB.
inline constexpr std::size_t kDefaultMaxBytes = std::size_t{2} << 30;

// True where `bytes` begin with the gzip magic 1f 8b.
bool is_gzip(std::string_view bytes);

// Decompresses one or several concatenated gzip members (RFC 1952). `name` stands in messages.
// Error kData: truncated, CRC or length mismatch, damaged, bytes after the last member, or an
// output above `max_bytes` (the output is never larger than that in memory, whatever the input
// claims).
std::string gunzip(std::string_view bytes, const std::string& name, std::size_t max_bytes = kDefaultMaxBytes);

// At most `count` bytes from the beginning of what gzip data hold, of which `bytes` are the beginning; fewer where
// these end or are damaged.
std::string gunzip_beginning(std::string_view bytes, std::size_t count);

// The bytes of a file, decompressed where its content is gzip. Error kData also where the file is
// missing, unreadable, a folder, or itself above `max_bytes`.
std::string read_raw_or_gzip(const std::string& path, std::size_t max_bytes = kDefaultMaxBytes);

}  // namespace scorevi::io
