#include "scorevi/posterior/predict.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/core/error.h"
#include "scorevi/models/network.h"
#include "scorevi/posterior/batch_norm.h"

namespace scorevi::posterior {
namespace {

// Eval mode while it lives; afterwards every module has the mode it had.
class EvalMode {
 public:
  explicit EvalMode(models::Network& network) : network_(network) {
    for (const auto& module : network.modules(/*include_self=*/false))
      modes_.emplace_back(module.get(), module->is_training());
    own_mode_ = network.is_training();
    network.eval();
  }
  ~EvalMode() {
    network_.train(own_mode_);  // recursive, so before the others
    for (auto [module, training] : modes_) module->train(training);
  }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

 private:
  models::Network& network_;
  std::vector<std::pair<torch::nn::Module*, bool>> modes_;  // parents before children
  bool own_mode_;
};

template <class T>
const T& likelihood_as(const NetworkTarget& target, const char* what, const char* expected) {
  const auto* likelihood = dynamic_cast<const T*>(&target.likelihood());
  if (!likelihood) {
    throw Error(ErrorKind::kUsage, std::string("predict: ") + what + ": got likelihood " + target.likelihood().name() +
                                       ", expected " + expected);
  }
  return *likelihood;
}

}  // namespace

kernels::NoiseKey prediction_noise(uint64_t seed, int64_t sample) {
  SCOREVI_CHECK_OP(sample, >=, 0);
  SCOREVI_CHECK_OP(sample, <=, int64_t{std::numeric_limits<uint32_t>::max()});
  const CounterRng rng(seed, Purpose::kPrediction);
  const uint64_t own_seed = (static_cast<uint64_t>(rng.word(0)) << 32) | rng.word(1);
  return {own_seed, /*step=*/0, static_cast<uint32_t>(sample)};
}

void for_each_prediction(NetworkTarget& target, const variational::Family& family, const EachBatch& each_batch,
                         const PredictOptions& options, const ConsumeOutputs& consume) {
  SCOREVI_CHECK_OP(family.dim(), ==, target.dim());
  if (options.samples < 0) {
    throw Error(ErrorKind::kUsage, "evaluate.samples: weight samples, got " + std::to_string(options.samples) +
                                       ", expected >= 0 (0 = the mean of q)");
  }
  const c10::NoGradGuard no_grad;
  const EvalMode eval(target.network());
  std::optional<Recalibration> recalibration;
  if (options.recalibrate) recalibration.emplace(target.network());
  const at::Tensor theta = target.point();
  for (int64_t sample = 0; sample < std::max<int64_t>(options.samples, 1); ++sample) {
    if (options.samples == 0) {
      family.mean_into(theta);
    } else {
      family.sample(prediction_noise(options.seed, sample), theta);
    }
    if (recalibration)
      recalibration->run([&](const std::function<void(const at::Tensor&)>& use) {
        options.recalibrate([&](int64_t, const at::Tensor& inputs) { use(target.prepared(inputs)); });
      });
    each_batch([&](int64_t first_row, const at::Tensor& inputs) {
      consume(sample, first_row, target.network().forward(target.prepared(inputs)));
    });
  }
}

metrics::LogMeanExp predict_classes(NetworkTarget& target, const variational::Family& family,
                                    const EachBatch& each_batch, int64_t rows, int64_t classes,
                                    const PredictOptions& options) {
  const auto& likelihood = likelihood_as<Categorical>(target, "classes", "categorical");
  metrics::LogMeanExp average(rows, classes);
  int64_t open_sample = 0;
  for_each_prediction(target, family, each_batch, options,
                      [&](int64_t sample, int64_t first_row, const at::Tensor& outputs) {
                        if (sample != open_sample) {
                          average.end_sample();
                          open_sample = sample;
                        }
                        average.add(first_row, likelihood.log_predictive(outputs.to(at::kDouble)));
                      });
  average.end_sample();
  return average;
}

MixturePrediction predict_values(NetworkTarget& target, const variational::Family& family, const EachBatch& each_batch,
                                 int64_t rows, const PredictOptions& options) {
  const auto& likelihood = likelihood_as<Gaussian>(target, "values", "gaussian");
  const int64_t components = std::max<int64_t>(options.samples, 1);
  MixturePrediction prediction;
  int64_t covered = 0;
  for_each_prediction(
      target, family, each_batch, options, [&](int64_t sample, int64_t first_row, const at::Tensor& outputs) {
        SCOREVI_CHECK_OP(outputs.dim(), ==, 2);
        const int64_t per_row = outputs.size(1);
        if (!prediction.means.defined()) {
          prediction.means = at::empty({components, rows * per_row}, at::kDouble);
          prediction.stds = at::empty({components, rows * per_row}, at::kDouble);
        }
        prediction.means[sample].narrow(0, first_row * per_row, outputs.numel()).copy_(outputs.reshape(-1));
        prediction.stds[sample].narrow(0, first_row * per_row, outputs.numel()).fill_(likelihood.noise_std());
        covered += outputs.size(0);
      });
  SCOREVI_CHECK_OP(covered, ==, rows * components);
  return prediction;
}

}  // namespace scorevi::posterior
