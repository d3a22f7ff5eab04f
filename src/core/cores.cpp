#include "scorevi/core/cores.h"

#include <algorithm>
#include <thread>

namespace scorevi {

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

int job_count(int asked) {
  constexpr int kMost = 8;
  return asked > 0 ? asked : std::min(core_count(), kMost);
}

}  // namespace scorevi
