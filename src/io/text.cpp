#include "scorevi/io/text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "scorevi/core/error.h"
#include "scorevi/core/utf8.h"

namespace scorevi::io {

std::string_view checked_utf8(std::string_view bytes, const std::string& name) {
  if (bytes.substr(0, 2) == "\xFF\xFE" || bytes.substr(0, 2) == "\xFE\xFF") {
    throw Error(ErrorKind::kData, name + ": text is UTF-16, expected UTF-8; save it as UTF-8");
  }
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.remove_prefix(3);
  std::size_t line = 1;
  for (std::size_t i = 0; i < bytes.size();) {
    if (bytes[i] == '\0') {
      throw Error(ErrorKind::kData, fmt::format("{}:{}: a NUL byte, expected text", name, line));
    }
    if (bytes[i] == '\n') ++line;
    const std::size_t length = utf8_length(bytes.substr(i));
    if (length == 0) {
      throw Error(ErrorKind::kData, fmt::format("{}:{}: byte 0x{:02x} is not UTF-8 text; save the file as UTF-8", name,
                                                line, static_cast<std::uint8_t>(bytes[i])));
    }
    i += length;
  }
  return bytes;
}

}  // namespace scorevi::io
