// Random access to the bytes of a file or of memory. Private to io.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace scorevi::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  // Precondition: offset + count <= size(). Error kData where the bytes cannot be read (any more).
  virtual void read(std::uint64_t offset, std::uint64_t count, void* out) const = 0;
};

std::shared_ptr<const ByteSource> file_source(const std::string& path);
std::shared_ptr<const ByteSource> memory_source(std::string_view bytes);  // `bytes` must outlive it
std::shared_ptr<const ByteSource> owned_source(std::string bytes);

// The bytes [begin, begin + size) of a source.
struct ByteRange {
  std::shared_ptr<const ByteSource> source;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;

  // Precondition: offset + count <= size.
  void read(std::uint64_t offset, std::uint64_t count, void* out) const { source->read(begin + offset, count, out); }
};

}  // namespace scorevi::io
