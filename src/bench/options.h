// The configuration of a bench as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/inference/nuts.h"
#include "scorevi/inference/sgld.h"
#include "scorevi/run/options.h"
#include "scorevi/targets/registry.h"

namespace scorevi::bench {

struct TargetEntry {
  std::string label;  // of its table; "" = the name that make_target gives
  targets::TargetOptions target;
};

// Defaults of a method on a target in doubles: its limits on sigma stay out of the way.
inline run::MethodOptions in_doubles() {
  run::MethodOptions method;
  method.min_std = 1e-70;
  method.max_std = 1e70;
  return method;
}

// A row of the tables. The method is one of inference::methods(), or a reference sampler: nuts, sgld, laplace.
struct MethodEntry {
  std::string label;            // "" = the name of the method
  std::string family = "auto";  // auto | diagonal_gaussian | full_gaussian
  run::MethodOptions method = in_doubles();
  optim::OptimizerOptions optimizer;
  optim::ScheduleOptions schedule;
  inference::NutsOptions nuts;
  inference::SgldOptions sgld;
};

// Where q begins, the same for all methods on a target and seed: the mean is uniform on [mean_low, mean_high]^D.
struct StartOptions {
  double mean_low = 0, mean_high = 0.1;
  double std = 1;
};

// Every method is also run from each of these starting sigmas and with its learning rate (or step size) times each
// factor; empty lists: no such study.
struct RobustnessOptions {
  std::vector<double> start_std;
  std::vector<double> rate_factors;
};

// The long NUTS run that stands in where a target has no known answer.
struct ReferenceOptions {
  int64_t chains = 4;
  int64_t warmup = 1000;
  int64_t draws = 2500;  // per chain
};

struct BenchOptions {
  std::string name = "bench";
  std::vector<TargetEntry> targets;
  std::vector<MethodEntry> methods;
  int64_t seeds = 5;            // 0 .. seeds - 1
  int64_t evaluations = 10000;  // of the score, per member
  int64_t points = 24;          // of a curve, equally spaced in the logarithm of the evaluations
  double tolerance = 0.1;       // "reached": both relative errors below it
  int64_t final_draws = 2000;   // of q behind the last ELBO, KL and k-hat; a tenth of them at each point of a curve
  bool stop = false;            // a run ends once its ELBO has settled, see inference/convergence.h
  StartOptions start;
  RobustnessOptions robustness;
  ReferenceOptions reference;
};

struct LoadedBench {
  BenchOptions options;
  std::string resolved;
};

// All keys with their values.
std::string resolved_text(const BenchOptions& options);

// The target of an entry, under the entry's label where it has one.
targets::KnownTarget make_target(const TargetEntry& entry);

// Reads a bench file strictly. Throws config::ConfigError listing every error, those of combinations included.
LoadedBench load_bench(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace scorevi::bench
