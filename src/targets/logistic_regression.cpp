#include "scorevi/targets/logistic_regression.h"

#include <fmt/format.h>

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::targets {

LogisticRegression::LogisticRegression(at::Tensor x, at::Tensor y, double temperature, double batch_frac)
    : AnalyticTarget(at::zeros({x.size(1) + 1}, x.options())),
      x_(at::cat({x, at::ones({x.size(0), 1}, x.options())}, /*dim=*/1)),
      y_(std::move(y)),
      temperature_(temperature),
      batches_(rows(), batch_frac) {
  SCOREVI_CHECK_OP(y_.numel(), ==, rows());
  if (!(temperature > 0))
    throw Error(ErrorKind::kUsage,
                fmt::format("likelihood.temperature: got {}, expected a number above 0", temperature));
  set_batch({});
}

void LogisticRegression::begin_step(uint64_t seed, int64_t step) {
  if (batches_.partial()) set_batch(batches_.rows_of(seed, step));
}

void LogisticRegression::set_batch(const std::vector<int64_t>& rows) {
  if (rows.empty()) {
    batch_x_ = x_;
    batch_y_ = y_;
    return;
  }
  const at::Tensor index = at::tensor(rows, at::TensorOptions(at::kLong)).to(x_.device());
  batch_x_ = x_.index_select(0, index);
  batch_y_ = y_.index_select(0, index);
}

double LogisticRegression::row_weight() const {
  return static_cast<double>(rows()) / (temperature_ * static_cast<double>(batch_x_.size(0)));
}

inference::Evaluation LogisticRegression::evaluate(const at::Tensor& theta) {
  const at::Tensor z = batch_x_.mv(theta);
  const double nll = (at::softplus(z) - batch_y_ * z).sum().item<double>();
  const at::Tensor score = batch_x_.t().mv(batch_y_ - z.sigmoid()) * row_weight();
  return {-row_weight() * nll, score, batch_x_.size(0)};
}

at::Tensor LogisticRegression::hessian_product(const at::Tensor& theta, const at::Tensor& v) {
  const at::Tensor p = batch_x_.mv(theta).sigmoid();
  return batch_x_.t().mv(p * (1 - p) * batch_x_.mv(v)) * -row_weight();
}

}  // namespace scorevi::targets
