#include "mlp.h"

#include <functional>
#include <numeric>
#include <string>

namespace scorevi::models {

Mlp::Mlp(const ModelOptions& options, int64_t inputs, int64_t outputs)
    : activation_(activations().find(options.activation).make) {
  std::vector<int64_t> widths = options.hidden;
  widths.push_back(outputs);
  for (const int64_t width : widths) {
    layers_.push_back(register_module("fc" + std::to_string(layers_.size() + 1), torch::nn::Linear(inputs, width)));
    inputs = width;
  }
  dropout_ = register_module("dropout", torch::nn::Dropout(options.dropout));
}

at::Tensor Mlp::forward(at::Tensor x) {
  x = x.flatten(1);
  for (size_t i = 0; i + 1 < layers_.size(); ++i) x = dropout_->forward(activation_(layers_[i]->forward(x)));
  return layers_.back()->forward(x);
}

double mlp_parameters(const ModelOptions& options, double inputs, int64_t outputs) {
  double count = 0;
  for (const int64_t width : options.hidden) {
    count += (inputs + 1) * static_cast<double>(width);
    inputs = static_cast<double>(width);
  }
  return count + (inputs + 1) * static_cast<double>(outputs);
}

double mlp_parameters(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  const double inputs = std::accumulate(input.shape.begin(), input.shape.end(), 1.0, std::multiplies<double>());
  return mlp_parameters(options, inputs, outputs);
}

std::shared_ptr<Network> make_mlp(const ModelOptions& options, const InputSpec& input, int64_t outputs) {
  const int64_t inputs =
      std::accumulate(input.shape.begin(), input.shape.end(), int64_t{1}, std::multiplies<int64_t>());
  return std::make_shared<Mlp>(options, inputs, outputs);
}

}  // namespace scorevi::models
