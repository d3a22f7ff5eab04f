#include "cnn.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "scorevi/core/error.h"

namespace scorevi::models {
namespace {

constexpr int64_t kKernelSize = 5;

void check_size(const ModelOptions& options, const InputSpec& input) {
  const int64_t least = int64_t{1} << std::min<size_t>(options.channels.size(), 30);
  if (input.shape.size() == 3 && input.shape[1] >= least && input.shape[2] >= least) return;
  throw Error(ErrorKind::kUsage, fmt::format("model cnn: input does not fit, got shape [{}], expected [channels, "
                                             "height, width] with "
                                             "height and width at least {} for {} convolution blocks",
                                             fmt::join(input.shape, ", "), least, options.channels.size()));
}

}  // namespace

Cnn::Cnn(const ModelOptions& options, const InputSpec& input, int64_t outputs)
    : activation_(activations().find(options.activation).make) {
  int64_t channels = input.shape[0], height = input.shape[1], width = input.shape[2];
  for (const int64_t next : options.channels) {
    const auto convolution = torch::nn::Conv2dOptions(channels, next, kKernelSize).padding(kKernelSize / 2);
    blocks_.push_back(register_module("conv" + std::to_string(blocks_.size() + 1), torch::nn::Conv2d(convolution)));
    channels = next;
    height /= 2;
    width /= 2;
  }
  head_ = register_module("head", std::make_shared<Mlp>(options, channels * height * width, outputs));
}

at::Tensor Cnn::forward(at::Tensor x) {
  for (torch::nn::Conv2d& block : blocks_) x = at::max_pool2d(activation_(block->forward(x)), /*kernel_size=*/2);
  return head_->forward(x);
}

double cnn_parameters(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  check_size(options, input);
  const size_t blocks = options.channels.size();
  double count = 0, channels = static_cast<double>(input.shape[0]);
  for (const int64_t next : options.channels) {
    count += (kKernelSize * kKernelSize * channels + 1) * static_cast<double>(next);
    channels = static_cast<double>(next);
  }
  const int64_t pixels = (input.shape[1] >> blocks) * (input.shape[2] >> blocks);
  return count + mlp_parameters(options, channels * static_cast<double>(pixels), outputs);
}

std::shared_ptr<Network> make_cnn(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  check_size(options, input);
  return std::make_shared<Cnn>(options, input, outputs);
}

}  // namespace scorevi::models
