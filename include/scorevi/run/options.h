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

// How pictures are read and what the network sees of them. Unset: as the network's published weights saw them.
struct ImageSection {
  std::optional<int64_t> size;         // of the square that goes into the network
  std::optional<int64_t> resize;       // of the short side in evaluation; 0 = pictures have `size` already
  std::string interpolation = "auto";  // auto | bilinear | bicubic
  std::vector<double> mean, std;       // per channel, of values in [0, 1]; empty = the network's
};

// Random changes of training pictures, see data/augment.h.
struct AugmentSection {
  std::string name = "standard";  // none | standard
  std::string crop = "auto";      // auto | resized | shifted | middle
  std::vector<double> scale = {0.08, 1.0};
  int64_t shift = 4;
  double flip = 0.5;
  double rotation = 0;
  double brightness = 0, contrast = 0, saturation = 0, hue = 0;
  int64_t rand_augment = 0, rand_magnitude = 9;
  bool trivial_augment = false;
  double erasing = 0;
  double mixup = 0, cutmix = 0;
  double label_smoothing = 0;
};

struct DataSection {
  data::DataOptions source;  // which data set; `seed` is set from split_seed
  ImageSection image;
  AugmentSection augment;
  std::string validation = "auto";      // auto | split | official
  std::string scaling = "standardise";  // of inputs: scale | standardise | none
  double test_frac = 0.5;               // of the set or its training part, where there is no official test part
  int64_t train_size = 0;               // rows drawn for training and validation, 0 = all
  double validation_frac = 0.2;         // of the drawn rows
  bool stratified = true;
  std::optional<int64_t> split_seed;  // unset = the run's seed
  int64_t batch_size = 50;
  int64_t workers = 0;
};

// Weights of others that the network begins with.
struct PretrainedOptions {
  std::string weights;              // a file, a name of models/weights.yaml or a run's folder; empty = random
  bool strict = false;              // every parameter but the head must be in the file
  std::string head_start = "auto";  // auto | zero | random: see describe_model.cpp
};

struct PriorGroupOptions {
  std::string match;          // parameter name pattern, * matches any text
  double std = 1.0;           // inf = uninformative
  std::string mean = "auto";  // auto | zero | pretrained; auto = as the section's
};

struct PriorOptions {
  std::string mean = "auto";  // auto | zero | pretrained
  double std = 0.3;
  std::vector<PriorGroupOptions> groups;
};

struct LikelihoodOptions {
  std::string name = "auto";  // auto | categorical | gaussian
  double temperature = 1.0;
  std::string noise = "learned";  // gaussian: fixed | learned
  // gaussian, both under the key noise_std, in units of the standardised target. Learning starts at its standard
  // deviation: a small start tells the network for many epochs to fit what is noise.
  double fixed_noise_std = 0.1;
  double learned_noise_start = 1;
  double noise_std() const { return noise == "fixed" ? fixed_noise_std : learned_noise_start; }
};

struct PosteriorGroupOptions {
  std::string match;
  double init_std = 0.02;
};

struct PosteriorOptions {
  std::string family = "diagonal_gaussian";  // diagonal_gaussian | full_gaussian
  double init_std = 0.02;
  std::vector<PosteriorGroupOptions> groups;
  std::vector<std::string> match = {"*"};  // parameters that have a distribution
  std::string rest = "frozen";             // frozen | map, the others
};

struct MethodOptions {
  std::string name = "psm";            // psm | advi | map | fisher | gsm | bam
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
  std::string decay = "linear";        // bam: constant | sqrt | linear
  double lambda = 0;                   // bam: 0 = by samples and size
  double jitter = 0;                   // bam, full_gaussian
  double min_std = 1e-7;               // a standard deviation outside these ends the run
  double max_std = 1e3;

  // Learns one value per weight, no distribution.
  bool is_point() const { return name == "map"; }
};

struct TrainOptions {
  int64_t epochs = 200;
  int64_t eval_every = 10;
  int64_t eval_samples = 10;
  std::string monitor = "val_nll";
  int64_t checkpoint_every = 10;
  int64_t checkpoint_every_steps = 0;
  int64_t log_every_steps = 50;
  int64_t patience = 0;               // evaluations without improvement before stopping, 0 = off
  double max_loss = 1e6;              // mean NLL of a batch beyond which it counts as exploded
  int64_t max_refused_steps = 0;      // in a row that may be left out: not finite or exploded
  std::string batch_norm = "auto";    // auto | frozen | running | recalibrate
  std::string precision = "float32";  // float32 | bfloat16 | float16
  int64_t micro_batch = 0;            // rows through the network at once, 0 = the whole batch
};

struct EvaluateOptions {
  int64_t samples = 50;
  int64_t ece_bins = 15;
  int64_t bootstrap = 1000;
  std::string views = "center";      // center | flip | five_crop | ten_crop, of pictures
  int64_t recalibrate_batches = 20;  // training batches behind the statistics of train.batch_norm: recalibrate
  std::string split = "auto";        // auto | test | validation: the rows
  std::string checkpoint = "auto";   // auto | best | last
  int64_t batch_size = 0;            // 0 = as many rows as 4 million input values, at most 500
};

struct RunOptions {
  std::string name = "run";
  int64_t seed = 0;
  std::string device = "auto";
  int64_t threads = 0;  // 0 = all cores
  DataSection data;
  models::ModelOptions model;
  PretrainedOptions pretrained;  // under `model` in the configuration
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
// `places` as in config::Document::from_file.
LoadedOptions load_options(const std::string& path, const std::vector<std::string>& overrides = {},
                           const std::vector<std::string>& places = {});
// The same for a text; `name` stands for the file in messages.
LoadedOptions load_options_text(const std::string& text, const std::string& name,
                                const std::vector<std::string>& overrides = {});

// All keys with their values; load_options of this text gives equal options.
std::string resolved_text(const RunOptions& options);

// The key reference of configurations and sweep files: as Markdown tables, and as plain text.
std::string key_reference_markdown();
std::string key_reference_text();

}  // namespace scorevi::run
