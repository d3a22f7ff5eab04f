#include "sweep_checks.h"

#include <algorithm>

#include "experiment.h"
#include "known_weights.h"
#include "scorevi/config/document.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/registry.h"
#include "scorevi/run/evaluation.h"
#include "settings.h"

namespace scorevi::run {
namespace {

std::string data_section(const LoadedOptions& member) {
  const config::Document document = config::Document::from_text(member.resolved, "configuration");
  return flow_text(*document.root().find("data"));
}

// Equal keys have equal data: only the rows of generated sets depend on the seed.
std::string data_key(const LoadedOptions& member) {
  const RunOptions& options = member.options;
  const bool generated = data::is_generated(options.data.source.name);
  return data_section(member) +
         (generated ? std::to_string(options.data.split_seed.value_or(options.seed)) : std::string());
}

}  // namespace

void SweepChecks::check(const LoadedOptions& member) {
  if (!checked_.insert(data_section(member) + member.options.evaluate.split).second) return;
  const DataParts data = load_data(member.options);
  fingerprints_[data_key(member)] = data.fingerprint;
  if (evaluated_part(member.options, data.split).empty())
    throw Error(ErrorKind::kUsage, "evaluate.split: " + member.options.evaluate.split +
                                       ": no rows to evaluate, expected data.test_frac or data.validation_frac above "
                                       "0: a sweep compares evaluations");
  const std::vector<std::string>& known = reported_metrics(data.classification());
  for (const std::string& metric : metrics_)
    if (std::find(known.begin(), known.end(), metric) == known.end())
      throw Error(ErrorKind::kUsage, "metrics: got " + metric + ", which a " +
                                         (data.classification() ? "classification" : "regression") +
                                         " does not have, expected some of " + join(known));
}

MemberInputs SweepChecks::inputs(const LoadedOptions& member) {
  std::string& data = fingerprints_[data_key(member)];
  if (data.empty()) data = load_data(member.options).fingerprint;
  const std::string& name = member.options.pretrained.weights;
  if (!name.empty() && weights_.count(name) == 0) {
    try {
      weights_[name] = sha256_file(find_weights_file(name, member.options.data.source.root));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kData) throw;
    }
  }
  return {data, name.empty() ? "" : weights_[name]};
}

}  // namespace scorevi::run
