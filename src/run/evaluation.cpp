#include "scorevi/run/evaluation.h"

#include "json_file.h"

namespace scorevi::run {
namespace {

using nlohmann::json;

json bins_json(const metrics::BinTable& table) {
  json bins = json::array();
  for (int b = 0; b < table.size(); ++b)
    bins.push_back({{"low", static_cast<double>(b) / table.size()},
                    {"high", static_cast<double>(b + 1) / table.size()},
                    {"count", table.count[static_cast<std::size_t>(b)]},
                    {"confidence", number(table.mean_confidence(b))},
                    {"accuracy", number(table.accuracy(b))}});
  return bins;
}

}  // namespace

const std::vector<std::string>& reported_metrics(bool classification) {
  static const std::vector<std::string> kClasses = {
      "accuracy",     "error",         "nll",        "ece",     "ece_pooled",         "brier",        "mce",
      "adaptive_ece", "classwise_ece", "signed_gap", "entropy", "mutual_information", "top5_accuracy"};
  static const std::vector<std::string> kValues = {"rmse", "mae", "nll", "crps", "coverage", "width", "r2"};
  return classification ? kClasses : kValues;
}

json to_json(const EvaluationReport& report) {
  json metrics = json::object();
  for (const auto& [name, interval] : report.values)
    metrics[name] = {{"value", number(interval.value)}, {"low", number(interval.low)}, {"high", number(interval.high)}};
  json confused = json::array(), uncertain = json::array(), sigma = json::array();
  for (const auto& c : report.confused)
    confused.push_back(
        {{"target", c.target}, {"predicted", c.predicted}, {"count", c.count}, {"share", number(c.share)}});
  for (const auto& u : report.uncertain)
    uncertain.push_back({{"file", u.place.file},
                         {"row", u.place.row},
                         {"target", u.target},
                         {"predicted", u.predicted},
                         {"confidence", number(u.confidence)},
                         {"entropy", number(u.entropy)},
                         {"mutual_information", number(u.mutual_information)}});
  json worst = json::array();
  for (const auto& v : report.worst)
    worst.push_back({{"file", v.place.file},
                     {"row", v.place.row},
                     {"target", number(v.target)},
                     {"mean", number(v.mean)},
                     {"lower", number(v.lower)},
                     {"upper", number(v.upper)}});
  for (const auto& s : report.sigma)
    sigma.push_back({{"parameter", s.parameter},
                     {"count", s.count},
                     {"start_median", number(s.start_median)},
                     {"min", number(s.min)},
                     {"median", number(s.median)},
                     {"max", number(s.max)},
                     {"moved_frac", number(s.moved_frac)}});
  const json temperature = report.temperature > 0 ? json{{"value", report.temperature},
                                                         {"nll", number(report.temperature_nll)},
                                                         {"ece", number(report.temperature_ece)}}
                                                  : json(nullptr);
  return {{"run", report.run},
          {"method", report.method},
          {"task", report.task},
          {"split", report.split},
          {"n", report.n},
          {"samples", report.samples},
          {"checkpoint", report.checkpoint},
          {"selection", report.selection},
          {"metrics", metrics},
          {"ece_bins", report.ece_bins},
          {"bins", bins_json(report.bins)},
          {"temperature", temperature},
          {"nll_clamped", report.nll_clamped},
          {"most_confused", confused},
          {"most_uncertain", uncertain},
          {"worst", worst},
          {"sigma", sigma}};
}

}  // namespace scorevi::run
