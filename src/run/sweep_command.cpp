#include <ostream>

#include "scorevi/core/log.h"
#include "scorevi/core/signals.h"
#include "scorevi/core/suggest.h"
#include "scorevi/run/commands.h"
#include "scorevi/run/compare.h"
#include "scorevi/run/options.h"
#include "scorevi/run/sweep.h"
#include "sweep_checks.h"

namespace scorevi::run {
namespace {

LoadedOptions load_member(const std::string& base, const std::vector<SweepOverride>& overrides) {
  std::vector<std::string> texts, places;
  for (const SweepOverride& item : overrides) {
    texts.push_back(item.text);
    places.push_back(item.place);
  }
  return load_options(base, texts, places);
}

}  // namespace

int sweep(const SweepRequest& request, std::ostream& out) {
  install_signal_handlers();
  const SweepOptions options = load_sweep(request.sweep, request.overrides);
  SweepRunOptions run;
  run.out = request.out;
  run.jobs = request.jobs;
  run.redo = request.redo;
  SweepChecks checks(options.metrics);
  run.validate = [&checks](const std::string& base, const std::vector<SweepOverride>& overrides) {
    const LoadedOptions member = load_member(base, overrides);
    checks.check(member);
    return member.resolved;
  };
  run.inputs = [&checks](const std::string& base, const std::vector<SweepOverride>& overrides) {
    return checks.inputs(load_member(base, overrides));
  };
  const SweepOutcome outcome = run_sweep(options, run);
  if (outcome.signal != 0) return 128 + outcome.signal;
  const ResultTable table = sweep_results(options, outcome.folder);
  write_sweep_results(options, table, outcome.folder);
  out << plain_table(table) << "\nreport: " << outcome.folder << "/report.html\n";
  std::vector<std::string> failed;
  for (const auto& [member, reason] : outcome.failed) failed.push_back(member);
  if (!failed.empty()) log().error("{} members failed: {}", failed.size(), join(failed));
  return outcome.failed.empty() ? 0 : 1;
}

int report(const ReportRequest& request, std::ostream& out) {
  const ResultTable table = compare_runs(request.runs, request.baseline);
  if (!request.out.empty()) write_comparison(table, request.out);
  out << markdown_table(table);
  if (!request.out.empty()) out << "\nreport: " << request.out << "/report.html\n";
  return 0;
}

}  // namespace scorevi::run
