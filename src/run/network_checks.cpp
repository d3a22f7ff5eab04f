#include "network_checks.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include <c10/util/ThreadLocalDebugInfo.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/log.h"
#include "scorevi/core/memory.h"
#include "scorevi/inference/registry.h"
#include "scorevi/run/engine_factory.h"

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

// Memory of the CPU that tensors hold, counted from its construction on. LibTorch reports every allocation.
class LiveBytes final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t size, size_t, size_t, c10::Device device) override {
    if (device.is_cpu()) bytes_ += size;
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t bytes() const { return bytes_; }

 private:
  std::atomic<int64_t> bytes_{0};
};

// In training mode, as the network is; its statistics stay as they are.
bool trains_on_a_row(models::Network& network, const std::vector<int64_t>& shape) {
  const posterior::Recalibration keeps_statistics(network);
  return takes_a_row(network, shape);
}

// Of the method and its optimiser, found by making them for one weight.
int method_buffers(const RunOptions& given) {
  RunOptions options = given;
  options.optimizer.groups.clear();  // their patterns fit none of its names
  const auto engine = make_engine(options, params::FlatLayout::single(1), at::zeros({1}));
  const int product =
      inference::find_method(options.method.name).needs.hessian_product ? 3 : 0;  // and the two gradients behind it
  return static_cast<int>(engine->buffers().size()) + product;
}

// Beside the parameters: family, gradient, the method's own, the prior mean of pretrained weights.
int added_buffers(const RunOptions& options, Use use) {
  const int family = options.method.is_point() ? 0 : 2;
  if (use != Use::kTraining) return family;
  const bool centred = is_pretrained(options) && options.prior.mean != "zero";
  return 1 + family + method_buffers(options) + (centred ? 1 : 0);
}

void check_memory(const RunOptions& options, double parameters, int buffers) {
  const double need = parameters * buffers * static_cast<double>(sizeof(float));
  const int64_t free = available_memory_bytes();
  if (free < 0 || need <= static_cast<double>(free)) return;
  constexpr double kLargest = 9e18;
  throw Error(
      ErrorKind::kRuntime,
      fmt::format(
          "memory: model {} has {:.0f} parameters, method {} needs {} parameter-sized buffers = {}, got {} free; use "
          "a smaller model or another method or optimizer",
          options.model.name, parameters, options.method.name, buffers,
          format_bytes(static_cast<int64_t>(std::min(need, kLargest))), format_bytes(free)));
}

int64_t last_batch(int64_t rows, int64_t batch_size) { return rows % batch_size == 0 ? batch_size : rows % batch_size; }

}  // namespace

bool learns_all(const RunOptions& options) {
  return options.posterior.rest == "map" || options.posterior.match == std::vector<std::string>{"*"};
}

double learned_parameters(const models::Network& network) {
  int64_t count = 0;
  for (const at::Tensor& parameter : network.parameters())
    if (parameter.requires_grad()) count += parameter.numel();
  return static_cast<double>(count);
}

void check_memory_before(const RunOptions& options, double parameters, const std::string& device, Use use) {
  check_memory(options, parameters, 1 + (device == "cpu" && learns_all(options) ? added_buffers(options, use) : 0));
}

void check_memory_after(const RunOptions& options, const models::Network& network, const std::string& device, Use use) {
  if (device == "cpu") check_memory(options, learned_parameters(network), added_buffers(options, use));
}

int64_t activation_bytes_per_row(models::Network& network, const std::vector<int64_t>& input_shape) {
  std::vector<int64_t> shape = input_shape;
  shape.insert(shape.begin(), 1);
  const at::Tensor row = torch::zeros(shape);
  network.eval();  // of one row, batch norm cannot take statistics
  const auto live = std::make_shared<LiveBytes>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, live);
  const at::Tensor output = network.forward(row);
  network.train();
  return live->bytes();
}

namespace {

// Memory that `rows` rows hold between the two backward passes of a Hessian product. Runs the second one as well.
int64_t second_order_bytes(models::Network& network, std::vector<int64_t> shape, int64_t rows) {
  shape.insert(shape.begin(), rows);
  const torch::Tensor inputs = torch::zeros(shape);
  std::vector<torch::Tensor> learned;
  for (const torch::Tensor& parameter : network.parameters())
    if (parameter.requires_grad()) learned.push_back(parameter);
  const auto live = std::make_shared<LiveBytes>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, live);
  const auto first = torch::autograd::grad({torch::logsumexp(network.forward(inputs).flatten(), 0)}, learned, {},
                                           /*retain_graph=*/true, /*create_graph=*/true, /*allow_unused=*/true);
  const int64_t held = live->bytes();
  torch::Tensor along = torch::zeros({});
  for (const torch::Tensor& gradient : first)
    if (gradient.defined()) along = along + gradient.sum();
  if (along.requires_grad())
    torch::autograd::grad({along}, learned, {}, /*retain_graph=*/false, /*create_graph=*/false, /*allow_unused=*/true);
  return held;
}

}  // namespace

int64_t second_order_bytes_per_row(models::Network& network, const std::vector<int64_t>& input_shape,
                                   const std::string& name) {
  network.eval();  // of few rows, batch norm cannot take statistics
  try {
    const int64_t one = second_order_bytes(network, input_shape, 1), two = second_order_bytes(network, input_shape, 2);
    network.train();
    return two - one;  // what does not grow with the rows is counted as parameter-sized buffers
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::kUsage, "method fisher: model " + name + " cannot be differentiated twice (" +
                                       error.what_without_backtrace() + "); use another method");
  }
}

void check_activations(const RunOptions& options, const DataParts& data, models::Network& network,
                       const std::string& device) {
  if (device != "cpu") return;
  const auto rows = static_cast<int64_t>(data.split.train.size());
  int64_t at_once = std::min(options.data.batch_size, rows);
  if (options.train.micro_batch > 0) at_once = std::min(at_once, options.train.micro_batch);
  const std::vector<int64_t> shape = data.dataset.input_shape();
  const bool twice = inference::find_method(options.method.name).needs.hessian_product;
  const int64_t need = at_once * (twice ? second_order_bytes_per_row(network, shape, options.model.name)
                                        : activation_bytes_per_row(network, shape));
  const int64_t free = available_memory_bytes();
  if (free >= 0 && need > free)
    throw Error(ErrorKind::kRuntime,
                fmt::format("{}: {} rows of shape [{}] through {} need about {} for activations, got {} free; use a "
                            "smaller data.batch_size or train.micro_batch, smaller pictures, or "
                            "model.activation_checkpointing where the network has it",
                            twice ? "method fisher (two backward passes)" : "memory", at_once, fmt::join(shape, ", "),
                            options.model.name, format_bytes(need), format_bytes(free)));
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
  const auto rows = static_cast<int64_t>(data.split.train.size());
  const int64_t batch = std::min(options.data.batch_size, rows);
  const int64_t micro = options.train.micro_batch;
  const bool running = policy != posterior::BatchNormPolicy::kFrozen && !network.buffers().empty();
  if (micro > 0 && micro < batch && (running || options.model.stochastic_depth > 0))
    log().warn("train.micro_batch: {} see {} rows at a time instead of {}, which changes what is learned",
               running ? "batch-norm layers" : "layers left out by model.stochastic_depth", micro, batch);
  if (policy == posterior::BatchNormPolicy::kFrozen) return;
  if (micro > 0 && (last_batch(batch, micro) == 1 || last_batch(last_batch(rows, batch), micro) == 1) &&
      !trains_on_a_row(network, shape))
    throw Error(
        ErrorKind::kUsage,
        fmt::format("train.micro_batch: got {}, which leaves one row of a batch alone, and the batch norm of {} "
                    "cannot be trained on one row; use another size, or 0",
                    micro, options.model.name));
  if (last_batch(rows, batch) > 1) return;
  if (trains_on_a_row(network, shape)) return;
  int64_t other = batch + 1;
  while (other < rows && last_batch(rows, other) == 1) ++other;
  throw Error(ErrorKind::kUsage,
              fmt::format("data.batch_size: got {}, which leaves one of {} training rows for the last batch, and the "
                          "batch norm of {} cannot be trained on one row of shape [{}]; {}",
                          options.data.batch_size, rows, options.model.name, fmt::join(shape, ", "),
                          rows > 1 ? fmt::format("use {}", other) : "use more rows"));
}

}  // namespace scorevi::run
