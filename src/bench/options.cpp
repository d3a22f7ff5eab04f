#include "options.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "describe.h"
#include "member.h"
#include "scorevi/bench/bench.h"
#include "scorevi/config/load.h"
#include "scorevi/core/text.h"
#include "scorevi/run/config_kind.h"

namespace scorevi::bench {

void describe(BenchOptions& o, config::Visitor& v) {
  v.field("name", o.name, "of the folder of results");
  v.list("targets", o.targets, "what is approximated", describe_target);
  v.list("methods", o.methods, "how", describe_method_entry);
  v.field("seeds", o.seeds, "runs of every method on every target, with seeds 0, 1, ...", config::between(1, 1000));
  v.field("evaluations", o.evaluations,
          "of the score, for every run; samplers that cannot stop there say what they used", config::between(1, 1e9));
  v.field("points", o.points, "of a curve, equally spaced in the logarithm of the evaluations",
          config::between(1, 1000));
  v.field("tolerance", o.tolerance, "a target counts as reached where both relative errors are below it",
          config::positive());
  v.field("final_draws", o.final_draws, "of q behind ELBO, divergences and k-hat; a tenth of them on the way",
          config::between(25, 1e6));
  v.field("stop", o.stop,
          "a run ends once its ELBO has settled, and keeps the best q it had; its looks at the ELBO are not counted");
  v.section("start", "where q begins, the same for all methods", [&o](config::Visitor& i) {
    i.field("mean_low", o.start.mean_low, "the mean is uniform between these limits");
    i.field("mean_high", o.start.mean_high, "the upper limit");
    i.field("std", o.start.std, "standard deviation of every coordinate", config::between(1e-8, 1e4));
  });
  v.section("robustness", "every method from each of these starts, at each of these rates", [&o](config::Visitor& i) {
    i.field("start_std", o.robustness.start_std, "instead of start.std; [] = no such study",
            config::between(1e-8, 1e4));
    i.field("rate_factors", o.robustness.rate_factors, "factors on the learning rate or the step", config::positive());
  });
  v.section("reference", "long NUTS run for targets whose answer is not known", [&o](config::Visitor& i) {
    i.field("chains", o.reference.chains, "chains", config::between(1, 64));
    i.field("warmup", o.reference.warmup, "iterations of each that adapt", config::between(10, 1e6));
    i.field("draws", o.reference.draws, "iterations of each that count", config::between(10, 1e7));
  });
}

namespace {

void check_method(config::Document& document, const MethodEntry& entry, const std::string& key) {
  const std::string label = label_of(entry);
  if (entry.schedule.name == "plateau")
    document.add_error(key + ".schedule.name", "plateau watches validations, and a bench has none");
  if (entry.method.min_std >= entry.method.max_std)
    document.add_error(key + ".method.min_std", "expected less than max_std");
  if (!is_plain_name(label)) document.add_error(key + ".label", "got \"" + label + "\", expected " + kPlainName);
}

void check_labels(config::Document& document, const BenchOptions& options) {
  for (std::size_t i = 0; i < options.methods.size(); ++i) {
    const std::string key = "methods." + std::to_string(i);
    check_method(document, options.methods[i], key);
    for (std::size_t j = 0; j < i; ++j)
      if (label_of(options.methods[i]) == label_of(options.methods[j]))
        document.add_error(key, "another method has the label \"" + label_of(options.methods[j]) +
                                    "\" too, expected labels that differ");
  }
  for (std::size_t i = 0; i < options.targets.size(); ++i)
    if (!options.targets[i].label.empty() && !is_plain_name(options.targets[i].label))
      document.add_error("targets." + std::to_string(i) + ".label",
                         "got \"" + options.targets[i].label + "\", expected " + kPlainName);
}

// Members are named by these numbers as {:g} writes them.
void check_repeats(config::Document& document, const std::string& key, const std::vector<double>& values) {
  std::set<std::string> seen;
  for (const double value : values)
    if (!seen.insert(fmt::format("{:g}", value)).second)
      document.add_error(key, fmt::format("{:g} stands there twice, expected values that differ in six digits", value));
}

void check_combinations(config::Document& document, const BenchOptions& options) {
  if (!is_plain_name(options.name))
    document.add_error("name", std::string("expected ") + kPlainName + " (it becomes a folder name)");
  if (options.targets.empty()) document.add_error("targets", "empty, expected at least one target");
  if (options.methods.empty()) document.add_error("methods", "empty, expected at least one method");
  if (options.start.mean_low > options.start.mean_high)
    document.add_error("start.mean_high", "expected at least start.mean_low");
  if (options.robustness.start_std.empty() != options.robustness.rate_factors.empty())
    document.add_error("robustness", "expected both start_std and rate_factors, or neither");
  check_repeats(document, "robustness.start_std", options.robustness.start_std);
  check_repeats(document, "robustness.rate_factors", options.robustness.rate_factors);
  check_labels(document, options);
}

}  // namespace

std::string resolved_text(const BenchOptions& options) { return config::dump(options); }

targets::KnownTarget make_target(const TargetEntry& entry) {
  targets::KnownTarget known = targets::make_target(entry.target);
  if (!entry.label.empty()) known.name = entry.label;
  return known;
}

LoadedBench load_bench(const std::string& path, const std::vector<std::string>& overrides) {
  config::Document document = config::Document::from_file(path, overrides);
  run::refuse_other_kind(document.root(), path, run::ConfigKind::kBench);
  LoadedBench loaded;
  config::read(document, loaded.options);
  check_combinations(document, loaded.options);
  document.throw_if_errors();
  loaded.resolved = resolved_text(loaded.options);
  return loaded;
}

std::string bench_key_reference_markdown() { return config::document_keys<BenchOptions>().markdown(); }

}  // namespace scorevi::bench
