// How many processors there are.
#pragma once

namespace scorevi {

// At least 1.
int core_count();

}  // namespace scorevi
