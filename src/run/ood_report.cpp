#include "ood_report.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "json_file.h"
#include "picture_checks.h"
#include "predictor.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/csv_writer.h"

namespace scorevi::run {
namespace {

using nlohmann::json;

// As in predictions.csv: of the file, else of the set, from 1.
std::vector<int64_t> numbers_of(const data::Dataset& dataset, const std::vector<int64_t>& rows) {
  std::vector<int64_t> numbers;
  for (const int64_t row : rows) numbers.push_back(dataset.place_of(row).row);
  return numbers;
}

struct NamedScores {
  std::string name;
  std::vector<double> values;
};

std::vector<double> as_vector(const at::Tensor& values) {
  const at::Tensor flat = values.contiguous();
  return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

// Uncertainty of every row: larger means less like the training data.
std::vector<NamedScores> scores_of(Experiment& experiment, const std::vector<int64_t>& rows, int64_t samples) {
  const ClassPrediction prediction = predict_classes(experiment, rows, samples);
  refuse_all_grey(experiment.data.dataset, rows);
  const Uncertainty uncertainty = uncertainty_of(prediction);
  std::vector<NamedScores> scores = {{"entropy", as_vector(uncertainty.entropy)},
                                     {"1 - confidence", as_vector(1 - prediction.log_probs.exp().amax(1))}};
  if (samples > 0) scores.push_back({"mutual information", as_vector(uncertainty.information)});
  return scores;
}

json to_json(const OodReport& report) {
  json scores = json::object();
  for (const OodReport::Score& score : report.scores)
    scores[score.name] = {{"auroc", number(score.result.auroc)},
                          {"aupr_in", number(score.result.aupr_in)},
                          {"aupr_out", number(score.result.aupr_out)},
                          {"fpr95", number(score.result.fpr95)}};
  return {{"in", report.in},           {"out", report.out}, {"in_rows", report.in_rows}, {"out_rows", report.out_rows},
          {"samples", report.samples}, {"scores", scores}};
}

void add_rows(AtomicFile& file, const char* set, const std::vector<int64_t>& rows,
              const std::vector<NamedScores>& scores) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CsvRow row;
    row.add(set).add(rows[i]);
    for (const NamedScores& score : scores) row.add(score.values[i]);
    file.write(row.text() + "\n");
  }
}

}  // namespace

OodReport evaluate_ood(Experiment& experiment, const std::vector<int64_t>& in_rows, DataParts other,
                       const RunDirectory& directory, const std::string& folder) {
  const std::vector<int64_t> out_rows = other.split.test;
  OodReport report;
  report.samples = experiment.options.method.is_point() ? 0 : experiment.options.evaluate.samples;
  report.in = experiment.data.dataset.name;
  report.out = other.dataset.name;
  report.in_rows = static_cast<int64_t>(in_rows.size());
  report.out_rows = static_cast<int64_t>(out_rows.size());
  const std::vector<NamedScores> in = scores_of(experiment, in_rows, report.samples);
  const std::vector<int64_t> in_numbers = numbers_of(experiment.data.dataset, in_rows);
  experiment.data = std::move(other);
  const std::vector<NamedScores> out = scores_of(experiment, out_rows, report.samples);
  CsvRow header;
  header.add("set").add("row");
  for (std::size_t k = 0; k < in.size(); ++k) {
    header.add(in[k].name);
    report.scores.push_back({in[k].name, metrics::ood_metrics(in[k].values, out[k].values)});
  }
  directory.make_folder(folder);
  AtomicFile file(directory.file(folder + "/scores.csv"));
  file.write(header.text() + "\n");
  add_rows(file, "in", in_numbers, in);
  add_rows(file, "out", numbers_of(experiment.data.dataset, out_rows), out);
  file.commit();
  write_json(directory.file(folder + "/ood.json"), to_json(report));
  return report;
}

std::string ood_text(const OodReport& report) {
  std::string text =
      fmt::format("{} ({} rows) against {} ({} rows), {}\n", report.in, report.in_rows, report.out, report.out_rows,
                  report.samples > 0 ? fmt::format("{} weight samples", report.samples) : "point prediction");
  text += fmt::format("  {:<20} {:>8} {:>8} {:>8} {:>8}\n", "score", "AUROC", "AUPR in", "AUPR out", "FPR95");
  for (const OodReport::Score& score : report.scores) {
    const metrics::OodResult& result = score.result;
    text += fmt::format("  {:<20} {:8.4f} {:8.4f} {:8.4f} {:8.4f}\n", score.name, result.auroc, result.aupr_in,
                        result.aupr_out, result.fpr95);
  }
  return text +
         "  AUPR in, out: average precision with the run's own or the other rows as the ones to find\n"
         "  FPR95: share of the other set that passes where 95 % of the run's own rows do\n";
}

}  // namespace scorevi::run
