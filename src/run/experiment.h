// From configuration to objects: the one place where data, network, target, family and engine are put together.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data_parts.h"
#include "loaders.h"
#include "pretrained.h"
#include "scorevi/inference/engine.h"
#include "scorevi/models/network.h"
#include "scorevi/posterior/network_target.h"
#include "scorevi/variational/family.h"

namespace scorevi::run {

// Buffers of the network (batch-norm statistics) as "buffer.<name>" of a checkpoint.
void save_buffers(const models::Network& network, params::StateDict& dict);
// Error(kData) where one is missing or has another shape.
void load_buffers(models::Network& network, const params::StateDict& dict);

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

}  // namespace scorevi::run
