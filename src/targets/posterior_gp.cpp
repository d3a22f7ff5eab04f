// Gaussian processes on N points with covariance K = a^2 C + diagonal, C_ij = exp(-(x_i - x_j)^2 / (2 rho^2)).
// Priors of both: rho ~ Gamma(25, 4), a ~ N(0, 2) as a density on the whole line; theta = (log rho, log a, ...).
// Where K is not positive definite in doubles, the log density is -inf and the score 0.
#include <cmath>

#include "posterior_models.h"
#include "small_matrix.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

constexpr int64_t kMaxPoints = 500;

class GaussianProcess : public PlainTarget {
 public:
  GaussianProcess(const PosteriorFile& file, int64_t points, int64_t dim)
      : PlainTarget(file.coordinates(dim)), x_(file.numbers("x", points)), kernel_(x_.size()), factor_(x_.size()) {}

 protected:
  size_t points() const { return x_.size(); }
  double squared_distance(size_t i, size_t j) const { return (x_[i] - x_[j]) * (x_[i] - x_[j]); }

  // Fills kernel_ = a^2 C and factor_ = chol(a^2 C + diagonal I). False where there is no factor.
  bool factorise(double log_rho, double log_a, double diagonal) {
    const double narrowness = std::exp(-2 * log_rho) / 2;
    for (size_t i = 0; i < points(); ++i) {
      for (size_t j = 0; j <= i; ++j) {
        const double value = std::exp(2 * log_a - squared_distance(i, j) * narrowness);
        kernel_(i, j) = kernel_(j, i) = value;
        factor_(i, j) = factor_(j, i) = value + (i == j ? diagonal : 0);
      }
    }
    return cholesky(factor_);
  }

  // The priors of rho and a: their value, with the slopes written into the first two scores.
  static double hyperpriors(const double* theta, double* score) {
    const Slope rho = on_log_scale(gamma(std::exp(theta[0]), 25, 4), theta[0]);
    const Slope a = on_log_scale(normal(std::exp(theta[1]), 0, 2), theta[1]);
    score[0] = rho.slope;
    score[1] = a.slope;
    return rho.value + a.value;
  }

  double impossible(double* score) const {
    std::fill(score, score + dim(), 0.0);
    return -std::numeric_limits<double>::infinity();
  }

  std::vector<double> x_;
  SquareMatrix kernel_, factor_;
};

// y ~ N(0, a^2 C + s I), s ~ N(0, 1) as a density on the whole line; theta = (log rho, log a, log s).
class GpRegression final : public GaussianProcess {
 public:
  GpRegression(const PosteriorFile& file, int64_t points)
      : GaussianProcess(file, points, /*dim=*/3), y_(file.numbers("y", points)) {}

 private:
  double log_density(const double* theta, double* score) override {
    const size_t n = points();
    const double s = std::exp(theta[2]);
    double sum = hyperpriors(theta, score);
    if (!factorise(theta[0], theta[1], s)) return impossible(score);
    const Slope prior = on_log_scale(normal(s, 0, 1), theta[2]);
    score[2] = prior.slope;
    std::vector<double> weights = y_;
    solve_lower(factor_, weights.data());
    sum += prior.value - static_cast<double>(n) * kLogTwoPi / 2;
    for (size_t i = 0; i < n; ++i) sum -= std::log(factor_(i, i)) + weights[i] * weights[i] / 2;
    solve_lower_transposed(factor_, weights.data());
    // d log N / dK = (w w^T - K^-1) / 2 with w = K^-1 y.
    const double width = std::exp(-2 * theta[0]);
    std::vector<double> column(n);
    for (size_t j = 0; j < n; ++j) {
      std::fill(column.begin(), column.end(), 0.0);
      column[j] = 1;
      solve_lower(factor_, column.data());
      solve_lower_transposed(factor_, column.data());
      for (size_t i = 0; i < n; ++i) {
        const double slope = (weights[i] * weights[j] - column[i]) / 2;
        score[0] += slope * kernel_(i, j) * squared_distance(i, j) * width;
        score[1] += slope * kernel_(i, j) * 2;
        if (i == j) score[2] += slope * s;
      }
    }
    return sum;
  }

  std::vector<double> y_;
};

// k_i ~ Poisson(exp(f_i)), f = L g, L = chol(a^2 C + 1e-10 I), g ~ N(0, I); theta = (log rho, log a, g).
class GpPoisson final : public GaussianProcess {
 public:
  GpPoisson(const PosteriorFile& file, int64_t points)
      : GaussianProcess(file, points, points + 2), counts_(file.numbers("k", points, kCount)) {}

 private:
  static constexpr double kJitter = 1e-10;

  double log_density(const double* theta, double* score) override {
    const size_t n = points();
    const double* g = theta + 2;
    double sum = hyperpriors(theta, score);
    if (!factorise(theta[0], theta[1], kJitter)) return impossible(score);
    std::vector<double> pull(n);  // of each f_i
    for (size_t i = 0; i < n; ++i) {
      double f = 0;
      for (size_t j = 0; j <= i; ++j) f += factor_(i, j) * g[j];
      const double rate = std::exp(f);
      pull[i] = counts_[i] - rate;
      sum += counts_[i] * f - rate - std::lgamma(counts_[i] + 1);
    }
    for (size_t j = 0; j < n; ++j) {
      const Slope prior = normal(g[j], 0, 1);
      sum += prior.value;
      score[2 + j] = prior.slope;
      for (size_t i = j; i < n; ++i) score[2 + j] += pull[i] * factor_(i, j);
    }
    const double width = std::exp(-2 * theta[0]);
    score[0] += along(pull, g, [&](size_t i, size_t j) { return kernel_(i, j) * squared_distance(i, j) * width; });
    score[1] += along(pull, g, [&](size_t i, size_t j) { return 2 * kernel_(i, j); });
    return sum;
  }

  // pull^T dL g for dL = L Phi(L^-1 dK L^-T), where Phi takes the lower triangle and half of the diagonal.
  template <class Change>
  double along(const std::vector<double>& pull, const double* g, Change change) const {
    const size_t n = points();
    SquareMatrix m(n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) m(i, j) = change(i, j);
    for (size_t j = 0; j < n; ++j) solve_lower(factor_, &m(0, j), /*stride=*/n);
    for (size_t i = 0; i < n; ++i) solve_lower(factor_, &m(i, 0));
    double sum = 0;
    for (size_t i = 0; i < n; ++i) {
      double moved = m(i, i) * g[i] / 2;
      for (size_t j = 0; j < i; ++j) moved += m(i, j) * g[j];
      for (size_t k = i; k < n; ++k) sum += pull[k] * factor_(k, i) * moved;
    }
    return sum;
  }

  std::vector<double> counts_;
};

}  // namespace

PosteriorDensity make_gp_regr(const PosteriorFile& file) {
  return std::make_unique<GpRegression>(file, file.count("N", 1, kMaxPoints));
}

PosteriorDensity make_gp_pois_regr(const PosteriorFile& file) {
  return std::make_unique<GpPoisson>(file, file.count("N", 1, kMaxPoints));
}

}  // namespace scorevi::targets
