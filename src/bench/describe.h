// The parts of the schema of bench files.
#pragma once

#include "options.h"
#include "scorevi/config/visitor.h"

namespace scorevi::bench {

void describe_target(TargetEntry& entry, config::Visitor& v);
void describe_method_entry(MethodEntry& entry, config::Visitor& v);

}  // namespace scorevi::bench
