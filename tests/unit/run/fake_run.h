// Run folders as `scorevi train` leaves them, with made-up numbers.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/temp_dir.h"

namespace scorevi::test {

struct FakeRun {
  std::string config;  // config.resolved.yaml
  std::string status = "finished";
  double accuracy = 0.9, ece = 0.05, nll = 0.3;
  int n = 500;
};

inline nlohmann::json fake_interval(double value, double half_width) {
  return {{"value", value}, {"low", value - half_width}, {"high", value + half_width}};
}

inline std::string write_fake_run(const TempDir& folder, const std::string& name, const FakeRun& run) {
  folder.write(name + "/config.resolved.yaml", run.config);
  folder.write(name + "/run.json",
               nlohmann::json({{"status", run.status}, {"evaluations", 2000}, {"train_s", 1.5}}).dump());
  const nlohmann::json report = {{"run", name},
                                 {"method", "psm"},
                                 {"split", "test"},
                                 {"n", run.n},
                                 {"samples", 50},
                                 {"bins", std::vector<int>(15)},
                                 {"metrics",
                                  {{"accuracy", fake_interval(run.accuracy, 0.02)},
                                   {"ece", fake_interval(run.ece, 0.01)},
                                   {"nll", fake_interval(run.nll, 0.1)}}}};
  folder.write(name + "/evaluation/report.json", report.dump());
  return folder.file(name);
}

}  // namespace scorevi::test
