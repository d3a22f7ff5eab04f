// A made-up run with everything that a report can show.
#pragma once

#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include <ATen/ATen.h>

#include "scorevi/core/csv_writer.h"
#include "scorevi/run/evaluation.h"
#include "scorevi/run/run_directory.h"
#include "support/temp_dir.h"

namespace scorevi::test {

// One row of metrics.csv; what is not named is empty.
inline std::string metrics_row(const std::map<std::string, double>& values) {
  CsvRow row;
  for (const std::string& column : run::metrics_columns()) {
    const auto found = values.find(column);
    if (found == values.end())
      row.add_empty();
    else
      row.add(found->second);
  }
  return row.text() + "\n";
}

inline void write_synthetic_curves(const std::string& path, const std::string& method) {
  std::ofstream file(path);
  CsvRow header;
  for (const std::string& column : run::metrics_columns()) header.add(column);
  file << header.text() << "\n";
  for (int epoch = 1; epoch <= 60; ++epoch) {
    const double t = epoch / 60.0, nll = 2.3 * std::exp(-4 * t) + 0.05, kl = 9000 - 4000 * t, sigma = 0.02 + 0.1 * t;
    std::map<std::string, double> row = {{"epoch", epoch},
                                         {"step", 6 * epoch},
                                         {"lr", 1e-3 * (1 - 0.9 * t)},
                                         {"loss", nll + 0.4},
                                         {"nll", nll + 0.02 * std::sin(7.0 * epoch)},
                                         {"grad_norm", 10 * nll}};
    if (method != "map")
      row.insert({{"kl", kl},
                  {"kl_scaled", kl / 3e4},
                  {"sigma_min", 0.3 * sigma},
                  {"sigma_p05", 0.6 * sigma},
                  {"sigma_p50", sigma},
                  {"sigma_p95", 1.8 * sigma},
                  {"sigma_max", 2.6 * sigma}});
    if (method == "psm") {
      row["loss"] = 1e5 * nll + 10;
      row.insert({{"alpha", t}, {"matching", 1e5 * nll}, {"proximal", 1e3 * (1 - t) + 1}});
    }
    if (epoch % 5 == 0)
      row.insert({{"val_nll", nll + 0.15}, {"val_error", 0.06 + 0.3 * std::exp(-5 * t)}, {"val_ece", 0.03 + 0.1 * t}});
    file << metrics_row(row);
  }
}

inline at::Tensor synthetic_digit(int which) {
  at::Tensor picture = at::zeros({8, 8}, at::kByte);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c)
      picture[r][c] = static_cast<int>(255 * std::exp(-std::pow((r - 4) * (c - 3) + which - 3, 2) / 8.0));
  return picture;
}

inline run::EvaluationReport synthetic_classification() {
  run::EvaluationReport report;
  report.run = "digits_mlp_psm";
  report.method = "psm";
  report.split = "test";
  report.task = "classification";
  report.n = 897;
  report.samples = 50;
  report.checkpoint = "best";
  report.selection = "lowest val_nll, epoch 60";
  report.values = {{"error", {0.0561, 0.0421, 0.0713}},   {"accuracy", {0.9439, 0.9287, 0.9579}},
                   {"nll", {0.349, 0.311, 0.392}},        {"ece", {0.182, 0.164, 0.199}},
                   {"ece_pooled", {0.031, 0.027, 0.036}}, {"mce", {0.36, 0.28, 0.45}},
                   {"brier", {0.142, 0.121, 0.163}}};
  report.bins = metrics::BinTable(15);
  for (int i = 0; i < 897; ++i) {
    const double confidence = 0.3 + 0.68 * std::sqrt((i + 0.5) / 897);
    const bool correct = i % 100 < 100 * std::min(1.0, confidence + 0.15);
    report.bins.add(std::min(14, static_cast<int>(confidence * 15)), confidence, correct ? 1 : 0);
  }
  report.temperature = 0.62;
  report.temperature_nll = 0.21;
  report.temperature_ece = 0.021;
  report.nll_clamped = 2;
  report.confused = {{"8", "1", 6, 0.069}, {"9", "3", 4, 0.045}, {"4 & <7>", "7", 3, 0.033}};
  for (int i = 0; i < 12; ++i)
    report.uncertain.push_back({{"", 100 + 7 * i},
                                std::to_string(i % 10),
                                std::to_string(i % 3 == 0 ? 8 : i % 10),
                                0.31 + 0.01 * i,
                                2.0 - 0.05 * i,
                                0.4 - 0.01 * i,
                                synthetic_digit(i)});
  report.sigma = {{"fc1.weight", 6400, 0.02, 0.011, 0.13, 0.29, 0.93},
                  {"fc1.bias", 100, 0.02, 0.03, 0.12, 0.25, 0.99},
                  {"out.weight", 1000, 0.02, 0.008, 0.05, 0.2, 0.97},
                  {"out.bias", 10, 0.02, 0.01, 0.04, 0.09, 1.0}};
  return report;
}

inline run::EvaluationReport synthetic_regression() {
  run::EvaluationReport report;
  report.run = "wave_mlp_psm";
  report.method = "psm";
  report.split = "test";
  report.task = "regression";
  report.n = 200;
  report.samples = 50;
  report.values = {{"rmse", {0.121, 0.11, 0.13}},
                   {"nll", {-0.7, -0.8, -0.6}},
                   {"coverage", {0.91, 0.87, 0.95}},
                   {"crps", {0.066, 0.06, 0.07}}};
  report.sigma = {{"fc1.weight", 100, 0.02, 0.02, 0.02, 0.02, 0.01}};
  return report;
}

// The folder of a finished run with its curves.
inline run::RunDirectory synthetic_run(const TempDir& folder, const std::string& method) {
  folder.write(
      "run/run.json",
      "{\"status\": \"finished\", \"seed\": 0, \"device\": \"cpu\", \"threads\": 2,"
      " \"versions\": {\"scorevi\": \"0.1.0\", \"libtorch\": \"2.11.0\"}, \"hashes\": {\"config\": \"ab12\"}}");
  folder.write("run/config.resolved.yaml",
               "name: digits_mlp_psm\nseed: 0\ndata:\n  name: digits\n  validation_frac: 0.2\nlikelihood:\n  "
               "temperature: 1\nmethod:\n  name: " +
                   method + "\n");
  write_synthetic_curves(folder.file("run/metrics.csv"), method);
  return run::RunDirectory::open(folder.file("run"));
}

}  // namespace scorevi::test
