#include "picture_contents.h"

#include "file_lines.h"
#include "scorevi/core/error.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/signals.h"

namespace scorevi::run {

std::int64_t bytes_of(const data::Pictures& pictures, std::int64_t row) { return file_bytes(pictures.name(row)); }

std::string content_of(const data::Pictures& pictures, std::int64_t row) {
  stop_if_signalled();
  try {
    return sha256_file(pictures.name(row));
  } catch (const Error&) {
    return "";
  }
}

}  // namespace scorevi::run
