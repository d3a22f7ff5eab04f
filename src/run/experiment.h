// From configuration to objects: the one place where data, network, target, family and engine are put together.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pretrained.h"
#include "scorevi/data/dataset.h"
#include "scorevi/data/loader.h"
#include "scorevi/data/normalise.h"
#include "scorevi/data/split.h"
#include "scorevi/inference/engine.h"
#include "scorevi/models/network.h"
#include "scorevi/posterior/network_target.h"
#include "scorevi/run/options.h"
#include "scorevi/run/run_directory.h"
#include "scorevi/variational/family.h"

namespace scorevi::run {

// A data set cut into its parts, with the scaling fitted on the train part.
struct DataParts {
  data::Dataset dataset;
  data::Split split;
  data::Normalisation normalisation;
  std::string fingerprint;  // SHA-256 of the inputs and targets; of picture files their names and sizes

  bool classification() const { return dataset.task == data::Task::kClassification; }
  int64_t outputs() const;  // classes, or columns of the target
};

// Error(kData) for missing or damaged files, Error(kUsage) for a split that cannot be made.
DataParts load_data(const RunOptions& options);

// What DataParts::fingerprint says of a data set.
std::string fingerprint_of(const data::Dataset& dataset);

// Error(kData) when the run was trained on other data (run.json has their SHA-256) or on other rows (split.json).
void check_same_data(const RunDirectory& directory, const DataParts& data);

// Ends the message of an error with a run's own data.
inline constexpr const char kDataAtAnotherPlace[] =
    "\nthe run's data at another place: -s data.path=FILE or -s data.root=DIR";

// Rows of a part: train | validation | test. Error(kUsage) where the part is empty.
const std::vector<int64_t>& part_rows(const DataParts& data, const std::string& part);

// The part of the final evaluation, as evaluate.split says; "" where it has no rows.
std::string evaluated_part(const RunOptions& options, const data::Split& split);

// Buffers of the network (batch-norm statistics) as "buffer.<name>" of a checkpoint.
void save_buffers(const models::Network& network, params::StateDict& dict);
// Error(kData) where one is missing or has another shape.
void load_buffers(models::Network& network, const params::StateDict& dict);

// Training batches, changed at random as data.augment says.
data::Loader training_loader(const RunOptions& options, const DataParts& data);
// Batches of a part in its own order, for evaluation: one of the views of evaluate.views, counted from 0.
data::Loader evaluation_loader(const RunOptions& options, const DataParts& data, const std::vector<int64_t>& rows,
                               int64_t view);
// The training batches that batch-norm statistics are estimated on (train.batch_norm: recalibrate), seen as evaluation
// sees them: the first evaluate.recalibrate_batches full ones. Nothing for the other policies.
std::optional<data::Loader> recalibration_loader(const RunOptions& options, const DataParts& data);
// 1 for data that are no pictures.
int64_t view_count(const RunOptions& options, const DataParts& data);

// Whether it starts from weights that are given.
bool is_pretrained(const RunOptions& options);

struct Experiment {
  RunOptions options;
  DataParts data;
  std::string device;  // cpu, cuda:0
  std::shared_ptr<models::Network> network;
  std::shared_ptr<posterior::Likelihood> likelihood;
  std::unique_ptr<posterior::NetworkTarget> target;
  std::unique_ptr<variational::Family> family;
  std::unique_ptr<inference::Engine> engine;  // none for prediction
  data::Loader train_loader;
  std::optional<data::Loader> recalibration;  // of the data; see use_statistics_of_run()
  Pretrained pretrained;                      // what was loaded; path "" where nothing was

  // Parameter-sized buffers of the run, by name: the memory it needs beside data and activations.
  std::vector<std::string> buffers() const;
  int64_t buffer_bytes() const;
  // What turns the negative log-likelihood of scaled regression targets into that of the targets themselves: the sum of
  // the logarithms of their standard deviations; 0 for classes.
  double nll_offset() const;
};

// For prediction there is no engine, and no gradient buffer.
enum class Use { kTraining, kPrediction };

// Checks that data, likelihood and monitor go together, picks the device, sets the thread count, builds everything.
// Error(kRuntime) when the parameters alone would not fit into memory.
Experiment build_experiment(const RunOptions& options, DataParts data, Use use);

// For data that are not the run's own: batch-norm statistics are still estimated on the run's training rows.
// Error(kData) where these are not there, unless nothing is estimated.
void use_statistics_of_run(Experiment& experiment, const RunDirectory& directory);

// Error(kData) when the weights that were loaded are not those that the run began with (run.json has their SHA-256).
void check_same_weights(const RunDirectory& directory, const Experiment& experiment);

// The standard deviation that each parameter tensor starts with: posterior.init_std or that of its group.
std::vector<double> initial_stds(const RunOptions& options, const params::FlatLayout& layout);

// load_data() with what training alone needs: validation rows where the best checkpoint, patience or the plateau
// schedule is asked for.
DataParts load_training_data(const RunOptions& options);

// build_experiment() for training, from load_training_data().
Experiment build_training(const RunOptions& options, DataParts data);

// "cpu" or "cuda:N". Error(kUsage) saying why CUDA cannot be used; auto falls back, with one notice where the program
// was built for CUDA.
std::string resolve_device(const std::string& wanted);

}  // namespace scorevi::run
