// Optimiser and schedule settings as plain data (the `optimizer` and `schedule` sections of a configuration).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scorevi::optim {

// Other rates for the parameters whose names fit a pattern (* matches any text); the first that fits counts.
struct OptimizerGroup {
  std::string match;
  double lr = 1e-3;
  std::optional<double> weight_decay;  // unset: as the optimiser's
};

struct OptimizerOptions {
  std::string name = "adam";  // sgd | adam | adamw | rmsprop
  double lr = 1e-3;
  double weight_decay = 0;  // of means only
  double momentum = 0.9;    // sgd, rmsprop
  double dampening = 0;     // sgd
  bool nesterov = false;    // sgd
  double beta1 = 0.9;       // adam, adamw
  double beta2 = 0.999;     // adam, adamw; rmsprop: decay of the squared gradient
  double eps = 1e-8;
  double clip_norm = 0;   // 2-norm over all gradients, 0 = off
  double clip_value = 0;  // per entry, 0 = off
  std::vector<OptimizerGroup> groups;
};

// step, multistep and exponential act at whole epochs; cosine, linear and polynomial run over all steps of the run.
struct ScheduleOptions {
  std::string name = "constant";  // constant | step | multistep | exponential | cosine | linear | polynomial | plateau
  int64_t warmup_steps = 0;       // W: step t < W has (t + 1)/W of the rate
  double gamma = 0.1;             // step, multistep, exponential
  int64_t step_size = 30;         // step: epochs
  std::vector<int64_t> milestones;  // multistep: epochs
  double min_lr_frac = 0;           // cosine, linear, polynomial, plateau: lowest rate as a share of lr
  double power = 1;                 // polynomial
  double factor = 0.1;              // plateau
  int64_t patience = 10;            // plateau: evaluations without improvement
  double threshold = 1e-4;          // plateau: relative improvement that counts
  int64_t cooldown = 0;             // plateau: evaluations that do not count after a change
};

}  // namespace scorevi::optim
