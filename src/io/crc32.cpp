#include "crc32.h"

#include <zlib.h>

namespace scorevi::io {

std::uint32_t crc32_of(const void* data, std::size_t size, std::uint32_t before) {
  if (size == 0) return before;
  return static_cast<std::uint32_t>(crc32_z(before, static_cast<const Bytef*>(data), size));
}

}  // namespace scorevi::io
