// How much memory the process may still take.
#pragma once

#include <cstdint>

namespace scorevi {

// Bytes that this process can allocate without swapping: MemAvailable of the kernel, less where a control group
// (a container) has a lower limit. -1 where the system does not say.
std::int64_t available_memory_bytes();

// The most main memory that the process has held so far. -1 where the system does not say.
std::int64_t peak_memory_bytes();

}  // namespace scorevi
