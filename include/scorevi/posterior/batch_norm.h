// What becomes of batch-norm statistics when weights are random. Running statistics belong to the network, not to
// theta.
#pragma once

#include <functional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/models/network.h"

namespace scorevi::posterior {

enum class BatchNormPolicy {
  kFrozen,       // the statistics that are there (pretrained) are used and kept, in training too
  kRunning,      // training normalises by the batch and updates them under sampled weights; evaluation uses them
  kRecalibrate,  // training as kRunning; evaluation estimates them anew for every weight sample
};

// Training mode (dropout acts), batch-norm layers as the policy says.
void set_training_mode(models::Network& network, BatchNormPolicy policy);

// A copy of the network's buffers, all its statistics among them.
class KeptBuffers {
 public:
  // Copies them; keep() does so again.
  explicit KeptBuffers(models::Network& network);
  void keep();
  void put_back();

 private:
  models::Network& network_;
  std::vector<at::Tensor> kept_;
};

// Puts all statistics back at the end: prediction never changes a buffer.
class Recalibration {
 public:
  explicit Recalibration(models::Network& network) : network_(network), before_(network) {}
  ~Recalibration() { before_.put_back(); }
  Recalibration(const Recalibration&) = delete;
  Recalibration& operator=(const Recalibration&) = delete;

  // Statistics of the present weights: forget, then average over all inputs that `each_batch` passes on. The network is
  // in evaluation mode before and after.
  void run(const std::function<void(const std::function<void(const at::Tensor&)>&)>& each_batch);

 private:
  models::Network& network_;
  KeptBuffers before_;
};

}  // namespace scorevi::posterior
