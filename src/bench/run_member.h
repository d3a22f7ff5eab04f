// One method on one target from one seed.
#pragma once

#include "measure.h"
#include "member.h"
#include "options.h"
#include "result.h"

namespace scorevi::bench {

// Never throws for numerical trouble, which is an outcome. Throws Interrupted when a signal is pending.
MemberResult run_member(const BenchOptions& options, const Member& member, const Truth& truth);

}  // namespace scorevi::bench
