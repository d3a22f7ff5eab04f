// How much memory the process may still take.
#pragma once

#include <cstdint>
#include <string>

namespace scorevi {

// Bytes that this process can allocate without swapping: MemAvailable of the kernel, less where a control group
// (a container) has a lower limit. What the kernel would give up at once, file contents not used lately, counts as
// free. -1 where the system does not say. `root` stands before the paths /proc and /sys, for tests.
std::int64_t available_memory_bytes(const std::string& root = "");

// The most main memory that the process has held so far. -1 where the system does not say.
std::int64_t peak_memory_bytes();

}  // namespace scorevi
