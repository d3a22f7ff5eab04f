// Prediction by posterior averaging: p(y | x) = (1/S) sum_s p(y | x, theta_s), theta_s drawn from
// q.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "scorevi/kernels/noise.h"
#include "scorevi/metrics/average.h"
#include "scorevi/posterior/network_target.h"
#include "scorevi/variational/family.h"

namespace scorevi::posterior {

// Calls visit(first_row, inputs) for all batches of a set; run once per weight sample, so it must
// give the same rows each time. Rows are numbered from 0 without gaps.
using VisitBatch = std::function<void(int64_t first_row, const at::Tensor& inputs)>;
using EachBatch = std::function<void(const VisitBatch& visit)>;

struct PredictOptions {
  int64_t samples = 50;  // S; 0: one prediction at the mean of q
  uint64_t seed = 0;     // of the run
  // Training batches on which the batch-norm statistics of every weight sample are estimated first (see batch_norm.h);
  // empty: the statistics that are there.
  EachBatch recalibrate = {};
};

// The noise of weight sample s: a seed of its own derived from (seed, Purpose::kPrediction), so
// that it shares no draw with training, and the same for every set that is predicted.
kernels::NoiseKey prediction_noise(uint64_t seed, int64_t sample);

// Calls consume(sample, first_row, outputs [B, ...]) for every weight sample (outer loop) and batch
// (inner loop). The network is in eval mode meanwhile and gets its modes back, also when something
// throws; theta in target.point() is overwritten. No gradients are recorded. Throws Error(kUsage)
// for S < 0.
using ConsumeOutputs = std::function<void(int64_t sample, int64_t first_row, const at::Tensor& outputs)>;
void for_each_prediction(NetworkTarget& target, const variational::Family& family, const EachBatch& each_batch,
                         const PredictOptions& options, const ConsumeOutputs& consume);

// Classes (categorical likelihood): averaged log-probabilities of `rows` inputs and the mean
// entropy of the single predictions. One accumulator, so memory does not grow with S; the result
// does not depend on the cutting into batches.
metrics::LogMeanExp predict_classes(NetworkTarget& target, const variational::Family& family,
                                    const EachBatch& each_batch, int64_t rows, int64_t classes,
                                    const PredictOptions& options);

// Targets with Gaussian noise (gaussian likelihood): the mixture's components, one per weight
// sample. Several outputs per row lie behind each other (column row * K + k). Doubles on the CPU.
struct MixturePrediction {
  at::Tensor means;  // [max(S, 1), rows * K]
  at::Tensor stds;   // the same shape; noise of the observation under theta_s
};
MixturePrediction predict_values(NetworkTarget& target, const variational::Family& family, const EachBatch& each_batch,
                                 int64_t rows, const PredictOptions& options);

}  // namespace scorevi::posterior
