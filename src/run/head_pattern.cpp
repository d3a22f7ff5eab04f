#include "head_pattern.h"

#include "scorevi/core/error.h"
#include "scorevi/models/registry.h"

namespace scorevi::run {
namespace {

constexpr const char* kHead = "@head";

void replace(std::string& pattern, const std::string& key, const std::string& model) {
  if (pattern != kHead) return;
  const auto& vision = models::networks().find(model).make.vision;
  if (!vision)
    throw Error(ErrorKind::kUsage, key + ": got " + kHead + ", but model " + model +
                                       " has no head by name, expected a pattern of its parameters' names");
  pattern = std::string(vision->head) + ".*";
}

}  // namespace

RunOptions with_head_patterns(RunOptions options) {
  const std::string& model = options.model.name;
  for (PriorGroupOptions& group : options.prior.groups) replace(group.match, "prior.groups.match", model);
  for (PosteriorGroupOptions& group : options.posterior.groups) replace(group.match, "posterior.groups.match", model);
  for (std::string& pattern : options.posterior.match) replace(pattern, "posterior.match", model);
  for (optim::OptimizerGroup& group : options.optimizer.groups) replace(group.match, "optimizer.groups.match", model);
  return options;
}

}  // namespace scorevi::run
