// Linear regressions with Gaussian noise: y ~ N(X beta, sigma^2 I) at theta = (beta, log sigma).
//   log_density = -n/2 log(2 pi) - n log sigma - |y - X beta|^2 / (2 sigma^2) + log p(beta) + log p(sigma) + log sigma
// A parameter without a prior has a flat one. Priors of sigma are densities on the whole line, not doubled.
#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_qr.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "posterior_models.h"
#include "scorevi/core/format.h"
#include "small_matrix.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

using Column = std::vector<double>;
using LogPrior = Slope (*)(double x);  // nullptr: flat

Slope normal_0_1(double x) { return normal(x, 0, 1); }
Slope normal_0_10(double x) { return normal(x, 0, 10); }
Slope cauchy_0_2_5(double x) { return cauchy(x, 0, 2.5); }
Slope student_3_8_10(double x) { return student_t(x, 3, 8, 10); }
// The one half density that is renormalised.
Slope half_student_3_0_10(double x) {
  const Slope whole = student_t(x, 3, 0, 10);
  return {whole.value + std::log(2.0), whole.slope};
}

// |y - X beta|^2 = rest + |z - R beta|^2 with R upper triangular: P^2 numbers instead of the data, without the loss of
// digits of X^T X.
struct LeastSquares {
  int64_t n = 0;
  SquareMatrix r{0};
  std::vector<double> z;
  double rest = 0;
};

LeastSquares least_squares(const std::vector<Column>& columns, const Column& y) {
  const auto p = static_cast<int64_t>(columns.size());
  const at::TensorOptions doubles(at::kDouble);
  std::vector<double> all;
  for (const Column& column : columns) all.insert(all.end(), column.begin(), column.end());
  const at::Tensor x = at::tensor(all, doubles).view({p, -1}).t();
  const at::Tensor response = at::tensor(y, doubles);
  const auto [q, r] = at::linalg_qr(x);
  const at::Tensor z = q.t().mv(response);
  const at::Tensor left = response - q.mv(z);
  LeastSquares fit{static_cast<int64_t>(y.size()), SquareMatrix(columns.size()), {}, left.dot(left).item<double>()};
  for (int64_t i = 0; i < p; ++i) {
    fit.z.push_back(z[i].item<double>());
    for (int64_t j = i; j < p; ++j) fit.r(static_cast<size_t>(i), static_cast<size_t>(j)) = r[i][j].item<double>();
  }
  return fit;
}

class Regression final : public PlainTarget {
 public:
  // One prior per coefficient.
  Regression(const PosteriorFile& file, LeastSquares fit, std::vector<LogPrior> priors, LogPrior sigma_prior)
      : PlainTarget(file.coordinates(static_cast<int64_t>(priors.size()) + 1)),
        fit_(std::move(fit)),
        priors_(std::move(priors)),
        sigma_prior_(sigma_prior) {}

 private:
  double log_density(const double* theta, double* score) override {
    const size_t p = priors_.size();
    const double log_sigma = theta[p];
    const double precision = std::exp(-2 * log_sigma);
    const auto n = static_cast<double>(fit_.n);
    std::fill(score, score + p, 0.0);
    double squares = fit_.rest;
    for (size_t i = 0; i < p; ++i) {
      double residual = fit_.z[i];
      for (size_t j = i; j < p; ++j) residual -= fit_.r(i, j) * theta[j];
      squares += residual * residual;
      for (size_t j = i; j < p; ++j) score[j] += precision * residual * fit_.r(i, j);
    }
    double sum = -n * kLogTwoPi / 2 - n * log_sigma - precision * squares / 2;
    for (size_t j = 0; j < p; ++j) {
      if (priors_[j] == nullptr) continue;
      const Slope prior = priors_[j](theta[j]);
      sum += prior.value;
      score[j] += prior.slope;
    }
    const Slope sigma = on_log_scale(sigma_prior_ ? sigma_prior_(std::exp(log_sigma)) : Slope{}, log_sigma);
    score[p] = precision * squares - n + sigma.slope;
    return sum + sigma.value;
  }

  LeastSquares fit_;
  std::vector<LogPrior> priors_;
  LogPrior sigma_prior_;
};

// One prior for all coefficients.
PosteriorDensity regression(const PosteriorFile& file, const std::vector<Column>& columns, const Column& y,
                            LogPrior prior, LogPrior sigma_prior) {
  return std::make_unique<Regression>(file, least_squares(columns, y), std::vector<LogPrior>(columns.size(), prior),
                                      sigma_prior);
}

// From a column that has been read, so that no count in the file makes memory by itself.
Column ones(const Column& like) { return Column(like.size(), 1.0); }

Column product(const Column& a, const Column& b) {
  Column result(a.size());
  for (size_t i = 0; i < a.size(); ++i) result[i] = a[i] * b[i];
  return result;
}

Column logs(Column values) {
  for (double& value : values) value = std::log(value);
  return values;
}

}  // namespace

// y_t ~ N(alpha + sum_k beta_k y_{t-k}, sigma) for t > K; alpha, beta ~ N(0, 10), sigma ~ Cauchy(0, 2.5).
PosteriorDensity make_ark(const PosteriorFile& file) {
  const int64_t lags = file.count("K", 1, 100);
  const int64_t n = file.count("T", 2 * lags + 2);
  const Column y = file.numbers("y", n);
  const Column response(y.begin() + lags, y.end());
  std::vector<Column> columns = {ones(response)};
  for (int64_t k = 1; k <= lags; ++k) columns.emplace_back(y.begin() + (lags - k), y.end() - k);
  return regression(file, columns, response, normal_0_10, cauchy_0_2_5);
}

// beta, sigma ~ N(0, 10).
PosteriorDensity make_blr(const PosteriorFile& file) {
  const int64_t d = file.count("D", 1, 1000);
  const int64_t n = file.count("N", d);
  const std::vector<double> x = file.matrix("X", n, d);
  std::vector<Column> columns(static_cast<size_t>(d));
  for (size_t i = 0; i < x.size(); ++i) columns[i % columns.size()].push_back(x[i]);
  return regression(file, columns, file.numbers("y", n), normal_0_10, normal_0_10);
}

// Y ~ N(A + (X - column means) b, sigma), b ~ N(0, 1), A ~ t(3, 8, 10), sigma ~ half t(3, 0, 10), from the moments of
// the centred design: Sxx = Xc^T Xc, Sxy = Xc^T (Y - Ybar), Syy = |Y - Ybar|^2.
PosteriorDensity make_diamonds(const PosteriorFile& file) {
  const int64_t n = file.count("N", 1);
  const int64_t k = file.count("Kc", 1, 1000);
  const auto p = static_cast<size_t>(k);
  SquareMatrix l(p, file.matrix("Sxx", k, k));
  std::vector<double> z = file.numbers("Sxy", k);
  if (!cholesky(l)) file.refuse("data.Sxx", "the matrix is not positive definite");
  solve_lower(l, z.data());
  const double total = file.number("Syy", kPositive);
  double rest = total;
  for (const double value : z) rest -= value * value;
  if (!(rest > 0))
    file.refuse("data.Syy", fmt::format("got {}, expected more than the fit explains: {}", format_double(total),
                                        format_double(total - rest)));
  LeastSquares fit{n, SquareMatrix(p + 1), std::move(z), rest};
  for (size_t i = 0; i < p; ++i)
    for (size_t j = i; j < p; ++j) fit.r(i, j) = l(j, i);
  const double root_n = std::sqrt(static_cast<double>(n));
  fit.r(p, p) = root_n;
  fit.z.push_back(root_n * file.number("Ybar"));
  std::vector<LogPrior> priors(p, normal_0_1);
  priors.push_back(student_3_8_10);
  return std::make_unique<Regression>(file, std::move(fit), std::move(priors), half_student_3_0_10);
}

// earn on height, flat priors.
PosteriorDensity make_earn_height(const PosteriorFile& file) {
  const int64_t n = file.count("N", 3);
  const Column height = file.numbers("height", n);
  return regression(file, {ones(height), height}, file.numbers("earn", n), nullptr, nullptr);
}

// kid_score on mom_hs, mom_iq and their product; sigma ~ Cauchy(0, 2.5).
PosteriorDensity make_kidscore_interaction(const PosteriorFile& file) {
  const int64_t n = file.count("N", 5);
  const Column hs = file.numbers("mom_hs", n);
  const Column iq = file.numbers("mom_iq", n);
  return regression(file, {ones(hs), hs, iq, product(hs, iq)}, file.numbers("kid_score", n), nullptr, cauchy_0_2_5);
}

// log(earn) on height, male and their product, flat priors.
PosteriorDensity make_logearn_interaction(const PosteriorFile& file) {
  const int64_t n = file.count("N", 5);
  const Column height = file.numbers("height", n);
  const Column male = file.numbers("male", n);
  return regression(file, {ones(height), height, male, product(height, male)}, logs(file.numbers("earn", n, kPositive)),
                    nullptr, nullptr);
}

// log(weight) on the logarithms of five measures and the group, flat priors.
PosteriorDensity make_logmesquite(const PosteriorFile& file) {
  const int64_t n = file.count("N", 8);
  const Column weight = file.numbers("weight", n, kPositive);
  std::vector<Column> columns = {ones(weight)};
  for (const char* measure : {"diam1", "diam2", "canopy_height", "total_height", "density"})
    columns.push_back(logs(file.numbers(measure, n, kPositive)));
  columns.push_back(file.numbers("group", n));
  return regression(file, columns, logs(weight), nullptr, nullptr);
}

// partyid7 on eight columns, three of them age groups, flat priors.
PosteriorDensity make_nes(const PosteriorFile& file) {
  const int64_t n = file.count("N", 10);
  const Column age = file.numbers("age_discrete", n, {1, 4, /*above=*/false, /*whole=*/true});
  std::vector<Column> columns = {ones(age), file.numbers("real_ideo", n), file.numbers("race_adj", n)};
  for (const double group : {2, 3, 4}) {
    Column in_group(age.size());
    for (size_t i = 0; i < age.size(); ++i) in_group[i] = age[i] == group ? 1 : 0;
    columns.push_back(std::move(in_group));
  }
  for (const char* field : {"educ1", "gender", "income"}) columns.push_back(file.numbers(field, n));
  return regression(file, columns, file.numbers("partyid7", n), nullptr, nullptr);
}

}  // namespace scorevi::targets
