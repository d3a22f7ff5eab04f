// A program outside the project: the posterior of a straight line through six points, y = a + b x with noise of
// standard deviation 0.5 and the prior N(0, 1) on a and b. The points are centred, so a and b are independent and
// the diagonal Gaussian can be exact: precision 6/0.25 + 1 and 17.5/0.25 + 1.
#include <cmath>
#include <cstdio>

#include <ATen/ATen.h>

#include "scorevi/inference/closed_form.h"
#include "scorevi/inference/run_engine.h"

using namespace scorevi;

class Line final : public inference::LogDensity {
 public:
  int64_t dim() const override { return 2; }
  const params::FlatLayout& layout() const override { return layout_; }
  at::Tensor point() override { return point_; }
  inference::Evaluation evaluate(const at::Tensor& theta) override {
    const at::Tensor residual = y_ - design_.mv(theta);
    const at::Tensor score = design_.t().mv(residual) / 0.25 - theta;
    const double squares = residual.square().sum().item<double>() / 0.25 + theta.square().sum().item<double>();
    return {-0.5 * squares, score, 0};
  }

 private:
  params::FlatLayout layout_ = params::FlatLayout::single(2);
  at::Tensor point_ = at::zeros({2}, at::kDouble);
  at::Tensor x_ = at::arange(-2.5, 3.0, 1.0, at::kDouble);
  at::Tensor y_ = 1.0 + 2.0 * x_;
  at::Tensor design_ = at::stack({at::ones_like(x_), x_}, 1);
};

int main() {
  Line line;
  auto q = variational::DiagonalGaussian::from_mean(at::zeros({2}, at::kDouble), 0.1);
  inference::ClosedFormOptions options;
  options.samples = 4;
  options.beta = options.mean_step = 0.01;
  inference::ClosedForm engine(options, {}, line.layout(), q.mean());
  inference::LoopOptions run;
  run.steps = 2000;
  const inference::RunSummary summary = inference::run_engine(engine, line, q, run);

  const double a = q.mean()[0].item<double>(), b = q.mean()[1].item<double>();
  const double std_a = q.log_std()[0].exp().item<double>(), std_b = q.log_std()[1].exp().item<double>();
  std::printf("a = %.3f +- %.3f, b = %.3f +- %.3f\n%s\n", a, std_a, b, std_b, summary.message.c_str());
  const bool right = std::abs(a - 24.0 / 25.0) < 0.02 && std::abs(b - 140.0 / 71.0) < 0.02 &&
                     std::abs(std_a * 5.0 - 1.0) < 0.05 && std::abs(std_b * std::sqrt(71.0) - 1.0) < 0.05;
  return right ? 0 : 1;
}
