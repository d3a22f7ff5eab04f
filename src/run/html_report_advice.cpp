// What a report says about a run in words.
#include <fmt/format.h>

#include <cmath>

#include "scorevi/run/html_report.h"

namespace scorevi::run {
namespace {

constexpr double kNaN = metrics::ClassificationResult::kNaN;
constexpr double kNotableGap = 0.02;

std::string over_confident(double gap, const AdviceContext& context) {
  std::string text = fmt::format("Predictions are over-confident by {:.1f} points. ", 100 * gap);
  if (context.method == "map") return text + "A point estimate knows no weight uncertainty: compare method.name: psm.";
  if (context.temperature < 1)
    return text + fmt::format("Raise likelihood.temperature (now {:g}) towards 1, which widens the posterior.",
                              context.temperature);
  return text + "Train less (fewer epochs or train.patience) or with a smaller prior.std.";
}

std::string under_confident(double gap, const AdviceContext& context) {
  std::string text = fmt::format("Predictions are under-confident by {:.1f} points. ", -100 * gap);
  if (context.method == "map") return text + "Train longer or with a larger prior.std.";
  return text + fmt::format("The prior outweighs the data: try likelihood.temperature: {:g} (now {:g}).",
                            context.temperature / 10, context.temperature);
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

double confidence_gap(const EvaluationReport& report) {
  double confidence = 0, correct = 0;
  for (int bin = 0; bin < report.bins.size(); ++bin) {
    confidence += report.bins.confidence_sum[bin];
    correct += report.bins.correct_sum[bin];
  }
  const double total = static_cast<double>(report.bins.total());
  return total > 0 ? (confidence - correct) / total : kNaN;
}

std::vector<std::string> advice(const EvaluationReport& report, const AdviceContext& context) {
  std::vector<std::string> lines;
  if (moved_share(report) < kLearntShare)
    lines.push_back(
        "The posterior did not learn: raise optimizer.lr or train.epochs, or start from a larger posterior.init_std.");
  const double gap = confidence_gap(report);
  if (gap > kNotableGap) lines.push_back(over_confident(gap, context));
  if (gap < -kNotableGap) lines.push_back(under_confident(gap, context));
  if (!context.has_validation)
    lines.push_back(
        "There is no validation split: set data.validation_frac: 0.2 to choose the best epoch and to fit temperature "
        "scaling.");
  if (context.has_validation && context.last_epoch > 1) {
    if (context.best_epoch >= 0.95 * context.last_epoch)
      lines.push_back("Validation NLL was still falling at the end: raise train.epochs.");
    else if (context.best_epoch <= 0.5 * context.last_epoch)
      lines.push_back(
          fmt::format("Validation NLL was best at epoch {:g} of {:g}: train.patience would end such a run earlier.",
                      context.best_epoch, context.last_epoch));
  }
  if (report.samples == 0 && context.method != "map")
    lines.push_back(
        "Predictions used the posterior mean alone: set evaluate.samples: 50 to average over weight samples.");
  lines.push_back(
      "One seed says little about the spread between seeds: compare methods with scorevi sweep over at least five.");
  return lines;
}

}  // namespace scorevi::run
