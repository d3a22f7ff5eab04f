#include "scorevi/io/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "inflate_stream.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 16;
constexpr int kGzipOnly = 15 + 16;  // largest window, gzip wrapper required

[[noreturn]] void damaged(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", name, what));
}

[[noreturn]] void inflate_failed(const std::string& name, const z_stream& stream) {
  const std::string reason = stream.msg ? stream.msg : "damaged data";
  if (reason.find("check") != std::string::npos) {
    damaged(name, "gzip checksum or length does not match (" + reason + "), the file is damaged");
  }
  damaged(name, "gzip data are damaged (" + reason + ")");
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

std::string gunzip(std::string_view bytes, const std::string& name, std::size_t max_bytes) {
  if (!is_gzip(bytes)) damaged(name, "is not gzip data");
  InflateStream inflating(kGzipOnly, name);
  z_stream& stream = inflating.get();

  std::string output;
  std::string chunk(kChunkBytes, '\0');
  std::string_view rest = bytes;
  int status = Z_OK;
  while (true) {
    const std::size_t offered = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t produced = chunk.size() - stream.avail_out;
    rest.remove_prefix(offered - stream.avail_in);
    if (produced > max_bytes - output.size()) {
      damaged(name, fmt::format("decompresses to more than {} bytes, refused", max_bytes));
    }
    output.append(chunk, 0, produced);
    if (status == Z_STREAM_END) {
      if (rest.empty()) return output;
      if (!is_gzip(rest)) {
        damaged(name, fmt::format("{} bytes after the end of the gzip data", rest.size()));
      }
      inflateReset(&stream);
    } else if (status == Z_BUF_ERROR || (status == Z_OK && rest.empty() && stream.avail_out > 0)) {
      damaged(name, fmt::format("gzip data are truncated after {} bytes", bytes.size()));
    } else if (status == Z_MEM_ERROR) {
      throw Error(ErrorKind::kRuntime, name + ": zlib ran out of memory");
    } else if (status != Z_OK) {
      inflate_failed(name, stream);
    }
  }
}

std::string gunzip_beginning(std::string_view bytes, std::size_t count) {
  InflateStream inflating(kGzipOnly, "gzip data");
  z_stream& stream = inflating.get();
  std::string output(count, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max()));
  stream.next_out = reinterpret_cast<Bytef*>(output.data());
  stream.avail_out = static_cast<uInt>(output.size());
  inflate(&stream, Z_SYNC_FLUSH);
  output.resize(count - stream.avail_out);
  return output;
}

std::string read_raw_or_gzip(const std::string& path, std::size_t max_bytes) {
  std::string bytes = read_file(path, static_cast<std::int64_t>(max_bytes));
  if (!is_gzip(bytes)) return bytes;
  return gunzip(bytes, path, max_bytes);
}

}  // namespace scorevi::io
