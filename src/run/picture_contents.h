// Picture files by their content.
#pragma once

#include <cstdint>
#include <string>

#include "scorevi/data/pictures.h"

namespace scorevi::run {

// Bytes of the file of a row; 0 where there is none.
std::int64_t bytes_of(const data::Pictures& pictures, std::int64_t row);

// SHA-256 of the file of a row; "" where it cannot be read. Throws Interrupted when a signal is pending.
std::string content_of(const data::Pictures& pictures, std::int64_t row);

}  // namespace scorevi::run
