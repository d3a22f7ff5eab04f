// Small targets and shortcuts for the tests of the inference engines.
#pragma once

#include <fstream>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scorevi/inference/advi.h"
#include "scorevi/inference/closed_form.h"
#include "scorevi/inference/map.h"
#include "scorevi/inference/psm.h"
#include "scorevi/kernels/noise.h"
#include "scorevi/params/tensor_exec.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/point_mass.h"
#include "support/error_of.h"

namespace scorevi::test {

using Json = nlohmann::json;
using variational::DiagonalGaussian;

inline const Json& golden_vi() {
  static const Json golden = Json::parse(std::ifstream("tests/golden/numbers/vi.json"));
  return golden;
}

inline at::Tensor vec(std::initializer_list<double> values) {
  return at::tensor(std::vector<double>(values), at::TensorOptions(at::kDouble));
}

inline at::Tensor vec(const Json& values) {
  return at::tensor(values.get<std::vector<double>>(), at::TensorOptions(at::kDouble));
}

inline at::Tensor mat(const Json& rows) {
  std::vector<at::Tensor> parts;
  for (const Json& row : rows) parts.push_back(vec(row));
  return at::stack(parts);
}

// Numbers of the golden files: infinities are the text ".inf".
inline double number(const Json& value) {
  return value.is_string() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

inline void expect_near(const at::Tensor& actual, const at::Tensor& expected, double relative) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  const double scale = std::max(1e-300, expected.abs().max().item<double>());
  EXPECT_LE((actual - expected).abs().max().item<double>() / scale, relative)
      << "actual " << actual << "\nexpected " << expected;
}

inline void expect_equal(const at::Tensor& actual, const at::Tensor& expected) {
  EXPECT_TRUE(at::equal(actual, expected)) << "largest difference " << (actual - expected).abs().max().item<double>();
}

inline DiagonalGaussian copy(const DiagonalGaussian& q) {
  return DiagonalGaussian(q.mean().clone(), q.log_std().clone());
}

// eps of a step [D], as the engines draw it.
inline at::Tensor noise(const at::Tensor& like, uint64_t seed, int64_t step, uint32_t sample = 0) {
  at::Tensor eps = at::empty_like(like);
  const kernels::NoiseKey key{seed, static_cast<uint32_t>(step), sample};
  const kernels::Exec exec = params::exec_for(like);
  if (like.scalar_type() == at::kFloat)
    kernels::fill_normal<float>(exec, 0, like.numel(), key, eps.data_ptr<float>());
  else
    kernels::fill_normal<double>(exec, 0, like.numel(), key, eps.data_ptr<double>());
  return eps;
}

// A target whose answer is any function of theta and of how many evaluations came before.
class FunctionTarget final : public inference::LogDensity {
 public:
  using Function = std::function<inference::Evaluation(const at::Tensor& theta, int64_t evaluation)>;
  FunctionTarget(const at::Tensor& like, Function function)
      : layout_(params::FlatLayout::single(like.numel())),
        point_(at::zeros_like(like)),
        function_(std::move(function)) {}

  int64_t dim() const override { return layout_.dim(); }
  const params::FlatLayout& layout() const override { return layout_; }
  at::Tensor point() override { return point_; }
  const inference::GaussianPrior* prior() const override { return has_prior ? &gaussian_prior : nullptr; }
  double loss_scale() const override { return scale; }
  inference::Evaluation evaluate(const at::Tensor& theta) override { return function_(theta, evaluations++); }

  inference::GaussianPrior gaussian_prior;
  bool has_prior = false;
  double scale = 1;
  int64_t evaluations = 0;

 private:
  params::FlatLayout layout_;
  at::Tensor point_;
  Function function_;
};

inline optim::OptimizerOptions optimizer(const std::string& name, double lr, double momentum = 0) {
  optim::OptimizerOptions options;
  options.name = name;
  options.lr = lr;
  options.momentum = momentum;
  return options;
}

inline optim::OptimizerOptions sgd(double lr, double momentum = 0) { return optimizer("sgd", lr, momentum); }
inline optim::OptimizerOptions adam(double lr) { return optimizer("adam", lr); }
inline optim::OptimizerOptions adamw(double lr) { return optimizer("adamw", lr); }
inline optim::OptimizerOptions rmsprop(double lr) { return optimizer("rmsprop", lr); }

inline inference::StepInfo info_of(int64_t step, int64_t total = 1000, uint64_t seed = 7) {
  inference::StepInfo info;
  info.seed = seed;
  info.step = step;
  info.total_steps = total;
  return info;
}

}  // namespace scorevi::test
