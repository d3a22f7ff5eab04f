// The configuration of a run as plain data. One schema (src/run/describe.h) stands behind reading,
// `config.resolved.yaml`, the key reference in configs/README.md and the help texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scorevi/data/options.h"
#include "scorevi/models/options.h"
#include "scorevi/optim/options.h"

namespace scorevi::run {

struct DataSection {
  data::DataOptions source;             // which data set; `seed` is set from split_seed
  std::string scaling = "standardise";  // of inputs: scale | standardise | none
  double test_frac = 0.5;               // of the whole set, where there is no official test part
  int64_t train_size = 0;               // rows drawn for training and validation, 0 = all
  double validation_frac = 0.2;         // of the drawn rows
  bool stratified = true;
  std::optional<int64_t> split_seed;  // unset = the run's seed
  int64_t batch_size = 50;
  int64_t workers = 0;
};

struct PriorGroupOptions {
  std::string match;  // parameter name pattern, * matches any text
  double std = 1.0;   // inf = uninformative
};

struct PriorOptions {
  std::string mean = "zero";
  double std = 0.3;
  std::vector<PriorGroupOptions> groups;
};

struct LikelihoodOptions {
  std::string name = "auto";  // auto | categorical | gaussian
  double temperature = 1.0;
  std::string noise = "learned";  // gaussian: fixed | learned
  double noise_std = 0.1;         // gaussian: the fixed value, or where learning starts
};

struct PosteriorOptions {
  std::string family = "diagonal_gaussian";
  double init_std = 0.02;
};

struct MethodOptions {
  std::string name = "psm";            // psm | advi | map
  std::string solver = "gradient";     // psm: gradient | closed_form
  std::string estimator = "analytic";  // psm gradient: analytic | sampled | adaptive
  std::string norm = "euclidean";      // psm gradient: euclidean | covariance
  int64_t inner_steps = 1;             // psm gradient: K
  int64_t samples = 1;                 // M weight samples per step
  double alpha_max = 1.0;
  double curvature_decay = 0.999;      // adaptive
  std::string mean_update = "newton";  // closed_form: newton | optimizer
  double mean_step = 0.1;              // closed_form newton
  double beta = 1e-3;                  // closed_form
  double average = 0.9;                // closed_form newton
  std::string kl = "analytic";         // advi: analytic | sampled
  double min_std = 1e-7;               // a standard deviation outside these ends the run
  double max_std = 1e3;
};

struct TrainOptions {
  int64_t epochs = 200;
  int64_t eval_every = 10;
  int64_t eval_samples = 10;
  std::string monitor = "val_nll";
  int64_t checkpoint_every = 10;
  int64_t checkpoint_every_steps = 0;
  int64_t log_every_steps = 50;
  int64_t patience = 0;   // evaluations without improvement before stopping, 0 = off
  double max_loss = 1e6;  // mean NLL of a batch beyond which the run stops as exploded
};

struct EvaluateOptions {
  int64_t samples = 50;
  int64_t ece_bins = 15;
  int64_t bootstrap = 1000;
  std::string batch_norm = "frozen";
  std::string checkpoint = "auto";  // auto | best | last
  int64_t batch_size = 500;
};

struct RunOptions {
  std::string name = "run";
  int64_t seed = 0;
  std::string device = "auto";
  int64_t threads = 0;  // 0 = all cores
  DataSection data;
  models::ModelOptions model;
  PriorOptions prior;
  LikelihoodOptions likelihood;
  PosteriorOptions posterior;
  MethodOptions method;
  optim::OptimizerOptions optimizer;
  optim::ScheduleOptions schedule;
  TrainOptions train;
  EvaluateOptions evaluate;
};

struct LoadedOptions {
  RunOptions options;
  std::string resolved;  // config.resolved.yaml
};

// Reads a configuration strictly, combinations of keys included. Throws config::ConfigError listing every error.
LoadedOptions load_options(const std::string& path, const std::vector<std::string>& overrides = {});

// All keys with their values; load_options of this text gives equal options.
std::string resolved_text(const RunOptions& options);

// The key reference: as a Markdown table, and as plain text.
std::string key_reference_markdown();
std::string key_reference_text();

}  // namespace scorevi::run
