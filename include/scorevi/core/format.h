// Numbers as people read them. Independent of the locale.
#pragma once

#include <cstdint>
#include <string>

namespace scorevi {

// "512 B", "1.5 KiB", "530.0 MiB".
std::string format_bytes(std::int64_t bytes);

// "340 ms", "12.3 s", "2m 05s", "3h 07m", "2d 04h".
std::string format_duration(double seconds);

// The shortest text that reads back to the same double: "0.001", "1e-05", "300"; "nan", "inf", "-inf".
std::string format_double(double value);

}  // namespace scorevi
