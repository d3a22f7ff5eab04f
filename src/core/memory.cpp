#include "scorevi/core/memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "scorevi/core/numbers.h"

namespace scorevi {
namespace {

constexpr std::int64_t kKib = 1024;

// The number in a file of one word; nothing for a missing file and for "max".
std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  return parse_int(word);
}

// The number behind a key that starts its line, times `unit`.
std::optional<std::int64_t> line_of(const std::string& path, const std::string& key, std::int64_t unit) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    std::int64_t number = 0;
    if (words >> first && first == key && words >> number) return number * unit;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t available_memory_bytes(const std::string& root) {
  const std::string group = root + "/sys/fs/cgroup/";
  const std::optional<std::int64_t> kernel = line_of(root + "/proc/meminfo", "MemAvailable:", kKib);
  const std::optional<std::int64_t> limit = number_in(group + "memory.max");
  const std::optional<std::int64_t> used = number_in(group + "memory.current");
  const std::int64_t reclaimable = line_of(group + "memory.stat", "inactive_file", /*unit=*/1).value_or(0);
  const std::int64_t free_of_machine = kernel.value_or(-1);
  if (!limit || !used) return free_of_machine;
  const std::int64_t free_of_group = std::clamp<std::int64_t>(*limit - *used + reclaimable, 0, *limit);
  return free_of_machine < 0 ? free_of_group : std::min(free_of_machine, free_of_group);
}

std::int64_t peak_memory_bytes() { return line_of("/proc/self/status", "VmHWM:", kKib).value_or(-1); }

}  // namespace scorevi
