#include "scorevi/posterior/prior.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/posterior/likelihood.h"

namespace scorevi::posterior {
namespace {

void check_std(const std::string& where, double std) {
  if (std > 0) return;
  throw Error(ErrorKind::kUsage,
              where + ": prior standard deviation, got " + format_double(std) + ", expected > 0 (inf = uninformative)");
}

bool is_pretrained(const std::string& where, const std::string& mean) {
  if (mean == "pretrained") return true;
  if (mean == "zero") return false;
  throw Error(ErrorKind::kUsage, where + ": prior mean, got \"" + mean + "\", expected zero or pretrained");
}

// The user's groups with their defaults filled in, and the noise level's own in front of all
// patterns.
std::vector<PriorGroup> complete_groups(const PriorOptions& options, const params::FlatLayout& layout) {
  std::vector<PriorGroup> groups = options.groups;
  for (PriorGroup& group : groups) {
    if (group.mean.empty()) group.mean = options.mean;
    check_std("prior.groups " + group.match, group.std);
  }
  const auto& entries = layout.entries();
  const bool learned_noise =
      std::any_of(entries.begin(), entries.end(), [](const auto& entry) { return entry.name == kLogNoise; });
  if (!learned_noise) return groups;
  const auto own = std::find_if(groups.begin(), groups.end(), [](const PriorGroup& g) { return g.match == kLogNoise; });
  if (own != groups.end()) {
    std::rotate(groups.begin(), own, own + 1);
  } else {
    groups.insert(groups.begin(), {kLogNoise, std::numeric_limits<double>::infinity(), "zero"});
  }
  return groups;
}

}  // namespace

inference::GaussianPrior make_prior(const PriorOptions& options, const params::FlatLayout& layout,
                                    const at::Tensor& values) {
  check_std("prior.std", options.std);
  const bool default_pretrained = is_pretrained("prior.mean", options.mean);
  const std::vector<PriorGroup> groups = complete_groups(options, layout);
  std::vector<std::string> patterns;
  for (const PriorGroup& group : groups) patterns.push_back(group.match);

  inference::GaussianPrior prior;
  for (const params::GroupRange& range : params::group_ranges(layout, patterns, "prior.groups")) {
    const PriorGroup* group = range.group < 0 ? nullptr : &groups[static_cast<size_t>(range.group)];
    inference::GaussianPrior::Group result;
    result.begin = range.begin;
    result.end = range.end;
    result.std = group ? group->std : options.std;
    prior.groups.push_back(result);
    const bool pretrained = group ? is_pretrained("prior.groups " + group->match, group->mean) : default_pretrained;
    if (!pretrained) continue;
    if (!prior.mean.defined()) prior.mean = at::zeros_like(values);
    prior.mean.slice(0, range.begin, range.end).copy_(values.slice(0, range.begin, range.end));
  }
  for (const params::FlatEntry& entry : layout.entries()) {
    const auto& untrained = options.untrained;
    if (prior.mean.defined() && std::find(untrained.begin(), untrained.end(), entry.name) != untrained.end())
      prior.mean.slice(0, entry.offset, entry.offset + entry.numel).zero_();
  }
  return prior;
}

}  // namespace scorevi::posterior
