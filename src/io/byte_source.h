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
std::shared_ptr<const ByteSource> memory_source(std::string_view bytes);

}  // namespace scorevi::io
