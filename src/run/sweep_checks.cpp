#include "sweep_checks.h"

#include <algorithm>

#include "experiment.h"
#include "scorevi/config/document.h"
#include "scorevi/core/suggest.h"
#include "scorevi/run/evaluation.h"
#include "settings.h"

namespace scorevi::run {

void SweepChecks::check(const LoadedOptions& member) {
  const config::Document document = config::Document::from_text(member.resolved, "configuration");
  if (!checked_.insert(flow_text(*document.root().find("data"))).second) return;
  const DataParts data = load_data(member.options);
  if (data.split.test.empty() && data.split.validation.empty())
    throw Error(ErrorKind::kUsage,
                "data.test_frac: no test and no validation rows, expected data.test_frac or data.validation_frac above "
                "0: a sweep compares evaluations");
  const std::vector<std::string>& known = reported_metrics(data.classification());
  for (const std::string& metric : metrics_)
    if (std::find(known.begin(), known.end(), metric) == known.end())
      throw Error(ErrorKind::kUsage, "metrics: got " + metric + ", which a " +
                                         (data.classification() ? "classification" : "regression") +
                                         " does not have, expected some of " + join(known));
}

}  // namespace scorevi::run
