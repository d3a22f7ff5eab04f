// What a report says about a run in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scorevi/run/html_report.h"

namespace scorevi::run {
namespace {

constexpr double kNaN = metrics::ClassificationResult::kNaN;
constexpr double kNotableGap = 0.02;

constexpr double kStandardErrors = 2;
constexpr double kTemperatureStep = 3;  // a factor
constexpr double kIntervalLevel = 0.9;  // of "coverage"
constexpr int64_t kFewestForCoverage = 20;

std::string try_temperature(double next, double now) {
  return fmt::format("try likelihood.temperature: {:.1g} (now {:g})", next, now);
}

// "Predictions are over-confident by 5.0 points on the test split. ..."
std::string gap_advice(double gap, const EvaluationReport& report, const AdviceContext& context) {
  const double now = context.temperature;
  const std::string text =
      fmt::format("Predictions are {} by {:.1f} points on the {} split. ",
                  gap > 0 ? "over-confident" : "under-confident", 100 * std::abs(gap), report.split);
  if (context.method == "map")
    return text + (gap > 0 ? "A point estimate knows no weight uncertainty: compare method.name: psm."
                           : "Train longer or with a larger prior.std.");
  if (gap < 0) return text + "The prior outweighs the data: " + try_temperature(now / kTemperatureStep, now) + ".";
  if (now < 1)
    return text + "A warmer posterior is wider: " + try_temperature(std::min(1.0, kTemperatureStep * now), now) + ".";
  return text + "Train less (fewer epochs or train.patience) or with a smaller prior.std.";
}

// Of the gap where confidences are right: each row is then correct with the probability of its confidence.
double gap_error(const metrics::BinTable& bins) {
  double variance = 0;
  for (int bin = 0; bin < bins.size(); ++bin) {
    const double confidence = bins.count[bin] > 0 ? bins.mean_confidence(bin) : 0;
    variance += static_cast<double>(bins.count[bin]) * confidence * (1 - confidence);
  }
  return std::sqrt(variance) / static_cast<double>(bins.total());
}

// A gap that is neither small nor noise, and of the same sign as the temperature fitted on other rows says.
bool gap_counts(double gap, const EvaluationReport& report) {
  if (!(std::abs(gap) > kNotableGap) || !(std::abs(gap) > kStandardErrors * gap_error(report.bins))) return false;
  return report.temperature <= 0 || (report.temperature > 1) == (gap > 0);
}

std::string narrow_intervals(const AdviceContext& context) {
  if (context.fixed_noise) return "Raise likelihood.noise_std, or let it be learned (likelihood.noise: learned).";
  if (context.method == "map")
    return "A point estimate knows no weight uncertainty: compare method.name: psm. Training less (train.patience) "
           "leaves more of the error to the learned noise.";
  if (context.temperature < 1)
    return "A warmer posterior is wider: " +
           try_temperature(std::min(1.0, kTemperatureStep * context.temperature), context.temperature) + ".";
  return "The noise is learned on rows that the network fits more closely than new ones: train less (train.patience) "
         "or with a smaller prior.std.";
}

std::string wide_intervals(const AdviceContext& context) {
  if (context.fixed_noise) return "Lower likelihood.noise_std, or let it be learned (likelihood.noise: learned).";
  if (context.method == "map") return "Train longer: the learned noise may still be falling.";
  return "Train longer, for the learned noise may still be falling, or " +
         try_temperature(context.temperature / kTemperatureStep, context.temperature) + ".";
}

// "" where as many targets lie in their intervals as should.
std::string coverage_advice(const EvaluationReport& report, const AdviceContext& context) {
  const double coverage = value_of(report, "coverage");
  const double error = std::sqrt(kIntervalLevel * (1 - kIntervalLevel) / static_cast<double>(report.n));
  if (report.n < kFewestForCoverage || !(std::abs(coverage - kIntervalLevel) > kStandardErrors * error)) return "";
  const bool narrow = coverage < kIntervalLevel;
  return fmt::format(
             "The 90 % intervals hold {:.1f} % of the targets of the {} split: they are too {} ({}-confident). ",
             100 * coverage, report.split, narrow ? "narrow" : "wide", narrow ? "over" : "under") +
         (narrow ? narrow_intervals(context) : wide_intervals(context));
}

void add_length_advice(const EvaluationReport& report, const AdviceContext& context, std::vector<std::string>& lines) {
  if (context.last_epoch < 1) return;
  if (!context.has_validation) {
    lines.push_back(
        std::string("There is no validation split: set data.validation_frac: 0.2 to choose the best epoch") +
        (report.bins.total() > 0 ? " and to fit temperature scaling." : "."));
    return;
  }
  if (context.last_epoch <= 1) return;
  if (context.best_epoch >= 0.95 * context.last_epoch)
    lines.push_back(
        "Validation NLL was still falling at the end: raise train.epochs in a new run, which may begin with the means "
        "of "
        "this one (model.weights: its folder).");
  else if (context.best_epoch <= 0.5 * context.last_epoch && !context.stops_early)
    lines.push_back(
        fmt::format("Validation NLL was best at epoch {:g} of {:g}: train.patience would end such a run earlier.",
                    context.best_epoch, context.last_epoch));
}

}  // namespace

double moved_share(const EvaluationReport& report) {
  double moved = 0, all = 0;
  for (const EvaluationReport::Sigma& row : report.sigma) {
    moved += row.moved_frac * static_cast<double>(row.count);
    all += static_cast<double>(row.count);
  }
  return all > 0 ? moved / all : kNaN;
}

double value_of(const EvaluationReport& report, const std::string& key) {
  for (const auto& [name, interval] : report.values)
    if (name == key) return interval.value;
  return kNaN;
}

double confidence_gap(const EvaluationReport& report) {
  double confidence = 0, correct = 0;
  for (int bin = 0; bin < report.bins.size(); ++bin) {
    confidence += report.bins.confidence_sum[bin];
    correct += report.bins.correct_sum[bin];
  }
  const double total = static_cast<double>(report.bins.total());
  return total > 0 ? (confidence - correct) / total : kNaN;
}

std::string posterior_advice(const EvaluationReport& report, const AdviceContext& context) {
  if (moved_share(report) < kLearntShare)
    return "The posterior did not learn: raise optimizer.lr or train.epochs, or start from a larger "
           "posterior.init_std.";
  if (!(context.beta > 0 && context.beta < 1)) return "";
  // Every step keeps 1 - beta of the precision that was there.
  constexpr double kKept = 0.1;
  const double kept = std::pow(1 - context.beta, static_cast<double>(context.steps));
  if (kept <= kKept) return "";
  return fmt::format(
      "{:.0f} % of every weight's precision is still that of posterior.init_std (method.beta: {:g} over {} steps), and "
      "so is "
      "the uncertainty: train for {:.0f} steps or more, or raise method.beta.",
      100 * kept, context.beta, context.steps, std::ceil(std::log(kKept) / std::log(1 - context.beta)));
}

std::vector<std::string> advice(const EvaluationReport& report, const AdviceContext& context) {
  std::vector<std::string> lines;
  if (context.refused_steps > 0)
    lines.push_back(fmt::format("{} of {} training steps were left out, for loss or score were not finite or exploded.",
                                context.refused_steps, context.steps));
  const std::string posterior = posterior_advice(report, context);
  if (!posterior.empty()) lines.push_back(posterior);
  const double gap = confidence_gap(report);
  if (gap_counts(gap, report)) lines.push_back(gap_advice(gap, report, context));
  const std::string coverage = coverage_advice(report, context);
  if (!coverage.empty()) lines.push_back(coverage);
  add_length_advice(report, context, lines);
  if (report.samples == 0 && context.method != "map")
    lines.push_back(
        "Predictions used the posterior mean alone: set evaluate.samples: 50 to average over weight samples.");
  lines.push_back(
      "One seed says little about the spread between seeds: compare methods with scorevi sweep over at least five.");
  return lines;
}

}  // namespace scorevi::run
