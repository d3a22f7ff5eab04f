#include "scorevi/core/memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "scorevi/core/numbers.h"

namespace scorevi {
namespace {

// The number in a file of one word; nothing for a missing file and for "max".
std::optional<std::int64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  return parse_int(word);
}

// A line "key: 123 kB" in bytes.
std::optional<std::int64_t> line_of(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    std::int64_t kib = 0;
    if (words >> first && first == key && words >> kib) return kib * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t available_memory_bytes() {
  const std::optional<std::int64_t> kernel = line_of("/proc/meminfo", "MemAvailable:");
  const std::optional<std::int64_t> limit = number_in("/sys/fs/cgroup/memory.max");
  const std::optional<std::int64_t> used = number_in("/sys/fs/cgroup/memory.current");
  const std::int64_t free_of_machine = kernel.value_or(-1);
  if (!limit || !used) return free_of_machine;
  const std::int64_t free_of_group = std::max<std::int64_t>(0, *limit - *used);
  return free_of_machine < 0 ? free_of_group : std::min(free_of_machine, free_of_group);
}

std::int64_t peak_memory_bytes() { return line_of("/proc/self/status", "VmHWM:").value_or(-1); }

}  // namespace scorevi
