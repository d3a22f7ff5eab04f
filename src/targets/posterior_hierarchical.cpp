// Groups with means of their own: eight schools in two parameterisations, and radon levels in counties.
#include <cmath>

#include "posterior_models.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

constexpr int64_t kMaxGroups = 1000;

// y_j ~ N(effect_j, sigma_j), mu ~ N(0, 5), tau ~ Cauchy(0, 5); theta = (J effects or their z, mu, log tau).
class EightSchools : public PlainTarget {
 public:
  EightSchools(const PosteriorFile& file, int64_t schools)
      : PlainTarget(file.coordinates(schools + 2)),
        y_(file.numbers("y", schools)),
        sigma_(file.numbers("sigma", schools, kPositive)) {}

 protected:
  size_t schools() const { return y_.size(); }
  // log N(y_j | effect, sigma_j) as a function of the effect: the density is symmetric in the two.
  Slope data_term(size_t j, double effect) const { return normal(effect, y_[j], sigma_[j]); }
  // The priors of mu and tau: their value, with the slopes written into the last two scores.
  double hyperpriors(const double* theta, double* score) const {
    const size_t j = schools();
    const Slope mu = normal(theta[j], 0, 5);
    const Slope tau = on_log_scale(cauchy(std::exp(theta[j + 1]), 0, 5), theta[j + 1]);
    score[j] = mu.slope;
    score[j + 1] = tau.slope;
    return mu.value + tau.value;
  }

 private:
  std::vector<double> y_, sigma_;
};

// effect_j ~ N(mu, tau).
class CenteredSchools final : public EightSchools {
 public:
  using EightSchools::EightSchools;

 private:
  double log_density(const double* theta, double* score) override {
    const size_t n = schools();
    const double tau = std::exp(theta[n + 1]);
    double sum = hyperpriors(theta, score);
    for (size_t j = 0; j < n; ++j) {
      const Slope data = data_term(j, theta[j]);
      const Slope prior = normal(theta[j], theta[n], tau);
      sum += data.value + prior.value;
      score[j] = data.slope + prior.slope;
      score[n] -= prior.slope;
      score[n + 1] += -prior.slope * (theta[j] - theta[n]) - 1;
    }
    return sum;
  }
};

// effect_j = mu + tau z_j, z_j ~ N(0, 1).
class NoncenteredSchools final : public EightSchools {
 public:
  using EightSchools::EightSchools;

 private:
  double log_density(const double* theta, double* score) override {
    const size_t n = schools();
    const double tau = std::exp(theta[n + 1]);
    double sum = hyperpriors(theta, score);
    for (size_t j = 0; j < n; ++j) {
      const Slope data = data_term(j, theta[n] + tau * theta[j]);
      const Slope prior = normal(theta[j], 0, 1);
      sum += data.value + prior.value;
      score[j] = data.slope * tau + prior.slope;
      score[n] += data.slope;
      score[n + 1] += data.slope * tau * theta[j];
    }
    return sum;
  }
};

// y_n ~ N(alpha_c(n), s_y), alpha_c ~ N(mu, s_a), mu ~ N(0, 10), s_a, s_y ~ N(0, 1) as densities on the whole line;
// theta = (alpha, mu, log s_a, log s_y). The data enter by size, mean and squares of each county.
class Radon final : public PlainTarget {
 public:
  Radon(const PosteriorFile& file, int64_t counties)
      : PlainTarget(file.coordinates(counties + 3)), counties_(static_cast<size_t>(counties)) {
    const int64_t n = file.count("N", 1);
    const std::vector<double> county =
        file.numbers("county_idx", n, {1, static_cast<double>(counties), /*above=*/false, /*whole=*/true});
    const std::vector<double> y = file.numbers("log_radon", n);
    const auto group = [&](size_t i) -> County& { return counties_[static_cast<size_t>(county[i]) - 1]; };
    for (size_t i = 0; i < y.size(); ++i) {
      group(i).rows += 1;
      group(i).mean += y[i];
    }
    for (County& entry : counties_) entry.mean /= std::max(entry.rows, 1.0);
    for (size_t i = 0; i < y.size(); ++i) squares_ += std::pow(y[i] - group(i).mean, 2);
    rows_ = static_cast<double>(y.size());
  }

 private:
  struct County {
    double rows = 0, mean = 0;
  };

  double log_density(const double* theta, double* score) override {
    const size_t j = counties_.size();
    const double log_s_y = theta[j + 2];
    const double precision = std::exp(-2 * log_s_y);
    const double s_a = std::exp(theta[j + 1]);
    const Slope mu = normal(theta[j], 0, 10);
    const Slope prior_a = on_log_scale(normal(s_a, 0, 1), theta[j + 1]);
    const Slope prior_y = on_log_scale(normal(std::exp(log_s_y), 0, 1), log_s_y);
    double sum = mu.value + prior_a.value + prior_y.value;
    double squares = squares_;
    score[j] = mu.slope;
    score[j + 1] = prior_a.slope;
    for (size_t c = 0; c < j; ++c) {
      const double gap = counties_[c].mean - theta[c];
      squares += counties_[c].rows * gap * gap;
      const Slope prior = normal(theta[c], theta[j], s_a);
      sum += prior.value;
      score[c] = precision * counties_[c].rows * gap + prior.slope;
      score[j] -= prior.slope;
      score[j + 1] += -prior.slope * (theta[c] - theta[j]) - 1;
    }
    score[j + 2] = prior_y.slope + precision * squares - rows_;
    return sum - rows_ * (kLogTwoPi / 2 + log_s_y) - precision * squares / 2;
  }

  std::vector<County> counties_;
  double squares_ = 0;  // within counties
  double rows_ = 0;
};

}  // namespace

PosteriorDensity make_eight_schools_centered(const PosteriorFile& file) {
  return std::make_unique<CenteredSchools>(file, file.count("J", 1, kMaxGroups));
}

PosteriorDensity make_eight_schools_noncentered(const PosteriorFile& file) {
  return std::make_unique<NoncenteredSchools>(file, file.count("J", 1, kMaxGroups));
}

PosteriorDensity make_radon_partially_pooled_centered(const PosteriorFile& file) {
  return std::make_unique<Radon>(file, file.count("J", 1, kMaxGroups));
}

}  // namespace scorevi::targets
