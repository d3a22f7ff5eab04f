// Small convolutional network after LeNet-5 (LeCun, Bottou, Bengio, Haffner 1998):
//   x -> [5x5 convolution, padding 2, activation, 2x2 max pooling] per entry of `channels`
//     -> flatten -> [linear, activation, dropout] per hidden layer -> linear.
#pragma once

#include <torch/nn/modules/conv.h>

#include <memory>
#include <vector>

#include "mlp.h"

namespace scorevi::models {

// Layers are called conv1, conv2, ... and head.fc1, head.fc2, ...
class Cnn final : public Network {
 public:
  Cnn(const ModelOptions& options, const InputSpec& input, int64_t outputs);
  at::Tensor forward(at::Tensor x) override;

 private:
  std::vector<torch::nn::Conv2d> blocks_;
  std::shared_ptr<Mlp> head_;
  Activation activation_;
};

// Of the network that make_cnn builds, which refuses what it refuses.
double cnn_parameters(const ModelOptions& options, const InputSpec& input, int64_t outputs);

// The input is {channels, height, width}, height and width at least 2^blocks.
std::shared_ptr<Network> make_cnn(const ModelOptions& options, const InputSpec& input, int64_t outputs);

}  // namespace scorevi::models
