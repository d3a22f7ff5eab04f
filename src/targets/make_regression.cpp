// Targets with generated data: logistic regression, and a small network on a curve.
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>

#include "draws.h"
#include "makers.h"
#include "scorevi/core/format.h"
#include "scorevi/data/registry.h"
#include "scorevi/targets/logistic_regression.h"
#include "scorevi/targets/mlp_regression.h"

namespace scorevi::targets {
namespace {

constexpr int64_t kMaxRows = 1'000'000;
constexpr int64_t kMaxEntries = 100'000'000;  // of a design matrix: 800 MB

int64_t rows_of(const TargetOptions& options, int64_t own) {
  require(options.rows >= 0 && options.rows <= kMaxRows, "rows", options.rows, fmt::format("0 to {}", kMaxRows));
  return options.rows == 0 ? own : options.rows;
}

void require_common(const TargetOptions& options) {
  require(options.batch_frac > 0 && options.batch_frac <= 1, "batch_frac", options.batch_frac, "above 0, up to 1");
  require(options.prior_std > 0, "prior_std", options.prior_std, "a number above 0 or inf");
}

std::string common_name(const TargetOptions& options, int64_t rows) {
  std::string name = fmt::format("_n{}", rows);
  if (options.prior_std != 1) name += "_p" + format_double(options.prior_std);
  if (options.batch_frac != 1) name += "_b" + format_double(options.batch_frac);
  return name + seed_suffix(options);
}

// Column of floats to mean 0 and standard deviation 1; returns that deviation.
double standardise(const at::Tensor& column, std::vector<double>& out) {
  const at::Tensor values = column.to(at::kDouble).flatten().contiguous();
  const at::Tensor centred = values - values.mean();
  const double std = centred.square().mean().sqrt().item<double>();
  const at::Tensor scaled = centred / std;
  const auto* data = scaled.const_data_ptr<double>();
  out.assign(data, data + scaled.numel());
  return std;
}

struct Curve {
  const char* dataset;
  double noise;
  int64_t rows;
};

Curve curve_of(const TargetOptions& options) {
  if (options.curve == "cubic") return {"cubic", 3.0, 20};
  require(options.curve == "gap", "curve", options.curve, "cubic or gap");
  return {"sine_gap", 0.1, 50};
}

}  // namespace

// x ~ N(0, I), w ~ N(0, 4 I / P), y = 1 with probability sigmoid(w.x + bias), bias ~ N(0, 1); theta ~ N(0, prior_std^2
// I).
KnownTarget make_logistic_regression(const TargetOptions& options) {
  require_dim(options, 2, kMaxFullDim);
  require_common(options);
  const int64_t p = options.dim - 1;
  const int64_t n = rows_of(options, 1000);
  require(n <= kMaxEntries / options.dim, "rows", n,
          fmt::format("at most {} with dim {}", kMaxEntries / options.dim, options.dim));
  const at::Tensor x = normals(options.seed, Part::kInputs, n, p);
  const at::Tensor w = normals(options.seed, Part::kWeights, 1, p + 1)[0];
  const at::Tensor z = x.mv(w.slice(0, 0, p)) * (2 / std::sqrt(static_cast<double>(p))) + w[p];
  const at::Tensor y = uniforms(options.seed, Part::kLabels, n).lt(z.sigmoid()).to(at::kDouble);
  KnownTarget target;
  target.name = fmt::format("logistic_regression_d{}{}", options.dim, common_name(options, n));
  target.density = std::make_unique<LogisticRegression>(x, y, /*temperature=*/1.0, options.batch_frac);
  target.density->set_prior(options.prior_std);
  return target;
}

// x and y scaled to mean 0 and standard deviation 1, the noise with y; weights ~ N(0, prior_std^2), those of the output
// N(0, prior_std^2 / hidden).
KnownTarget make_mlp_regression(const TargetOptions& options) {
  require_common(options);
  require(options.hidden >= 1 && options.hidden <= 10000, "hidden", options.hidden, "1 to 10000");
  const Curve curve = curve_of(options);
  data::DataOptions data;
  data.name = curve.dataset;
  data.rows = rows_of(options, curve.rows);
  require(data.rows >= 2, "rows", data.rows, "at least 2");
  data.noise = curve.noise;
  data.seed = options.seed;
  const data::Dataset dataset = data::load_dataset(data);
  std::vector<double> x;
  std::vector<double> y;
  standardise(dataset.inputs, x);
  const double std = standardise(dataset.targets, y);
  KnownTarget target;
  target.name = fmt::format("mlp_regression_{}_h{}{}", options.curve, options.hidden, common_name(options, data.rows));
  target.density = std::make_unique<MlpRegression>(std::move(x), std::move(y), options.hidden, curve.noise / std,
                                                   options.batch_frac);
  inference::GaussianPrior prior;
  const int64_t h = options.hidden;
  prior.groups = {{{0, 2 * h}, options.prior_std},
                  {{2 * h, 3 * h}, options.prior_std / std::sqrt(static_cast<double>(h))},
                  {{3 * h, 3 * h + 1}, options.prior_std}};
  target.density->set_prior(std::move(prior));
  return target;
}

}  // namespace scorevi::targets
