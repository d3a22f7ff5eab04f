// How many processors there are, and how many jobs they do at once.
#pragma once

namespace scorevi {

// At least 1.
int core_count();

// Jobs at once where `asked` were asked for; 0 = one per processor, at most 8.
int job_count(int asked);

}  // namespace scorevi
