// Parts of the configuration schema that other commands than `train` read too.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scorevi/config/visitor.h"
#include "scorevi/core/check.h"
#include "scorevi/run/options.h"

namespace scorevi::run {

// The keys that stand beside a name, for the names that have any.
using FieldsByName = std::map<std::string, std::function<void(config::Visitor&)>>;

// The variants of a registry: a list of entries with name and help.
template <class Entries>
std::vector<config::Variant> variants_of(const Entries& entries, const FieldsByName& fields) {
  std::vector<config::Variant> variants;
  std::size_t used = 0;
  for (const auto& entry : entries) {
    const auto found = fields.find(entry.name);
    used += found != fields.end() ? 1 : 0;
    variants.push_back({entry.name, entry.help, found != fields.end() ? found->second : nullptr});
  }
  SCOREVI_CHECK_OP(used, ==, fields.size());  // no fields for a name that does not exist
  return variants;
}

// The values of method.name with their keys.
std::vector<config::Variant> method_variants(MethodOptions& options);

void describe_optimizer(optim::OptimizerOptions& options, config::Visitor& v);
void describe_schedule(optim::ScheduleOptions& options, config::Visitor& v);

}  // namespace scorevi::run
