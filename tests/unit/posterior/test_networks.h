// Small targets and golden values shared by the tests of this folder.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scorevi/models/registry.h"
#include "scorevi/posterior/network_target.h"

namespace scorevi::posterior::test {

inline torch::Device test_device() {
  const char* name = std::getenv("SCOREVI_TEST_DEVICE");
  return torch::Device(name ? name : "cpu");
}

inline torch::TensorOptions test_kind() { return torch::TensorOptions(torch::kDouble).device(test_device()); }

inline nlohmann::json golden(const std::string& name) {
  std::ifstream file("tests/golden/numbers/" + name + ".json");
  return nlohmann::json::parse(file);
}

inline double number(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == ".inf") return std::numeric_limits<double>::infinity();
  if (text == "-.inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

// Any nesting of equally long lists.
inline torch::Tensor tensor(const nlohmann::json& value) {
  if (!value.is_array()) return torch::tensor(number(value), torch::kDouble);
  std::vector<torch::Tensor> parts;
  for (const auto& part : value) parts.push_back(tensor(part));
  return torch::stack(parts);
}

inline torch::Tensor labels(const nlohmann::json& value) { return tensor(value).to(torch::kLong); }

inline std::shared_ptr<models::Network> small_mlp(std::vector<int64_t> hidden, int64_t inputs, int64_t outputs,
                                                  double dropout = 0) {
  models::ModelOptions options;
  options.hidden = std::move(hidden);
  options.activation = "tanh";
  options.dropout = dropout;
  auto network = models::make_network(options, {{inputs}}, outputs, /*seed=*/0);
  network->to(test_device(), torch::kDouble);
  return network;
}

// P(y = 1) = sigmoid(w x + b) as two logits (0, w x + b); theta = (w, b).
struct LogisticNetwork : models::Network {
  explicit LogisticNetwork(int64_t inputs) {
    fc = register_module("fc", torch::nn::Linear(inputs, 1));
    to(test_device(), torch::kDouble);
  }
  at::Tensor forward(at::Tensor x) override {
    const torch::Tensor logit = fc->forward(x);
    return torch::cat({torch::zeros_like(logit), logit}, 1);
  }
  torch::nn::Linear fc{nullptr};
};

// log p(theta), normalised, and its gradient.
inline std::pair<double, torch::Tensor> prior_of(const inference::GaussianPrior& prior, const torch::Tensor& theta) {
  double log_prior = 0;
  torch::Tensor score = torch::zeros_like(theta);
  for (const auto& group : prior.groups) {
    if (std::isinf(group.std)) continue;
    torch::Tensor z = theta.slice(0, group.begin, group.end);
    if (prior.mean.defined()) z = z - prior.mean.slice(0, group.begin, group.end);
    const auto count = static_cast<double>(group.end - group.begin);
    log_prior -=
        0.5 * (z / group.std).square().sum().item<double>() + count * std::log(group.std * std::sqrt(2 * M_PI));
    score.slice(0, group.begin, group.end).copy_(-z / (group.std * group.std));
  }
  return {log_prior, score};
}

// |actual - expected| <= tolerance * max(1, largest expected entry).
inline void expect_close(const torch::Tensor& actual, const torch::Tensor& expected, double tolerance) {
  const torch::Tensor a = actual.to(torch::kCPU, torch::kDouble), e = expected.to(torch::kCPU, torch::kDouble);
  ASSERT_EQ(a.sizes(), e.sizes());
  const torch::Tensor difference = torch::where(a == e, 0, (a - e).abs());  // infinities may agree
  const double scale = std::max(1.0, torch::where(e.isfinite(), e.abs(), 0).max().item<double>());
  EXPECT_LE(difference.max().item<double>(), tolerance * scale) << "got\n" << a << "\nexpected\n" << e;
}

}  // namespace scorevi::posterior::test
