#include "network_checks.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/memory.h"

namespace scorevi::run {
namespace {

// Does the network take one row of this shape?
bool takes_a_row(models::Network& network, std::vector<int64_t> shape) {
  const torch::NoGradGuard no_grad;
  shape.insert(shape.begin(), 1);
  try {
    network.forward(torch::zeros(shape));
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

int64_t last_batch(int64_t rows, int64_t batch_size) { return rows % batch_size == 0 ? batch_size : rows % batch_size; }

}  // namespace

double parameters_of(const models::Network& network) {
  int64_t count = 0;
  for (const at::Tensor& parameter : network.parameters()) count += parameter.numel();
  return static_cast<double>(count);
}

void check_memory(const RunOptions& options, double parameters, const std::string& device, Use use) {
  const int gaussian = options.method.name == "map" ? 0 : 2;
  const int buffers = device == "cpu" ? (use == Use::kTraining ? 2 : 1) + gaussian : 1;
  const double need = parameters * buffers * static_cast<double>(sizeof(float));
  const int64_t free = available_memory_bytes();
  if (free < 0 || need <= static_cast<double>(free)) return;
  constexpr double kLargest = 9e18;
  throw Error(ErrorKind::kRuntime,
              fmt::format("memory: model {} has {:.0f} parameters and needs at least {} parameter-sized buffers = {}, "
                          "got {} free; use a smaller model",
                          options.model.name, parameters, buffers,
                          format_bytes(static_cast<int64_t>(std::min(need, kLargest))), format_bytes(free)));
}

void check_batches(const RunOptions& options, const DataParts& data, models::Network& network,
                   posterior::BatchNormPolicy policy) {
  const std::vector<int64_t> shape = data.dataset.input_shape();
  network.eval();
  const bool fits = takes_a_row(network, shape);
  network.train();
  if (!fits)
    throw Error(ErrorKind::kUsage,
                fmt::format("model {}: inputs of shape [{}] are too small for its layers, expected larger pictures; "
                            "or choose another model.name, such as mlp",
                            options.model.name, fmt::join(shape, ", ")));
  if (policy == posterior::BatchNormPolicy::kFrozen) return;
  const auto rows = static_cast<int64_t>(data.split.train.size());
  const int64_t batch = std::min(options.data.batch_size, rows);
  if (last_batch(rows, batch) > 1) return;
  const posterior::Recalibration keeps_statistics(network);
  if (takes_a_row(network, shape)) return;
  int64_t other = batch + 1;
  while (other < rows && last_batch(rows, other) == 1) ++other;
  throw Error(ErrorKind::kUsage,
              fmt::format("data.batch_size: got {}, which leaves one of {} training rows for the last batch, and the "
                          "batch norm of {} cannot be trained on one row of shape [{}]; {}",
                          options.data.batch_size, rows, options.model.name, fmt::join(shape, ", "),
                          rows > 1 ? fmt::format("use {}", other) : "use more rows"));
}

}  // namespace scorevi::run
