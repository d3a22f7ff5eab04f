// An answer for targets that have none: a long run of the No-U-Turn Sampler.
#pragma once

#include <string>

#include "options.h"
#include "scorevi/targets/registry.h"

namespace scorevi::bench {

// Fills known.reference with mean and sd of the draws and their Monte-Carlo errors. The result is kept in
// `folder`/references under a hash of the target's options (less its batch_frac: the answer is that of all rows) and
// read from there the next time. Throws Interrupted when a signal is pending. Chains that do not agree (largest R-hat
// above 1.05) are told in the log and in reference.source.
void find_reference(const ReferenceOptions& options, const TargetEntry& entry, const std::string& folder,
                    targets::KnownTarget& known);

}  // namespace scorevi::bench
