#include "scorevi/core/cores.h"

#include <algorithm>
#include <thread>

namespace scorevi {

int core_count() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace scorevi
