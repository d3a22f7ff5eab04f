// Time series with a recursion; the gradient is the recursion run backwards.
#include <cmath>

#include "posterior_models.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

// e_1 = y_1 - mu - phi mu, e_t = y_t - mu - phi y_{t-1} - vartheta e_{t-1}, e_t ~ N(0, sigma).
// mu ~ N(0, 10), phi, vartheta ~ N(0, 2), sigma ~ Cauchy(0, 2.5); theta = (mu, phi, vartheta, log sigma).
class Arma final : public PlainTarget {
 public:
  Arma(const PosteriorFile& file, int64_t n)
      : PlainTarget(file.coordinates(4)), y_(file.numbers("y", n)), e_(y_.size()) {}

 private:
  double log_density(const double* theta, double* score) override {
    const double mu = theta[0], phi = theta[1], vartheta = theta[2], log_sigma = theta[3];
    const size_t n = y_.size();
    double squares = 0;
    for (size_t t = 0; t < n; ++t) {
      e_[t] = y_[t] - mu - (t == 0 ? phi * mu : phi * y_[t - 1] + vartheta * e_[t - 1]);
      squares += e_[t] * e_[t];
    }
    const double precision = std::exp(-2 * log_sigma);
    const auto rows = static_cast<double>(n);
    const Slope sigma = on_log_scale(cauchy(std::exp(log_sigma), 0, 2.5), log_sigma);
    const Slope priors[] = {normal(mu, 0, 10), normal(phi, 0, 2), normal(vartheta, 0, 2), sigma};
    double sum = -rows * (kLogTwoPi / 2 + log_sigma) - precision * squares / 2;
    for (size_t j = 0; j < 4; ++j) {
      sum += priors[j].value;
      score[j] = priors[j].slope;
    }
    double pull = 0;  // of e_t, what follows included
    for (size_t t = n; t-- > 0;) {
      pull = -precision * e_[t] - vartheta * pull;
      score[0] -= t == 0 ? pull * (1 + phi) : pull;
      score[1] -= pull * (t == 0 ? mu : y_[t - 1]);
      if (t > 0) score[2] -= pull * e_[t - 1];
    }
    score[3] += precision * squares - rows;
    return sum;
  }

  std::vector<double> y_, e_;
};

// v_1 = sigma1^2, v_t = alpha0 + alpha1 (y_{t-1} - mu)^2 + beta1 v_{t-1}, y_t ~ N(mu, sqrt(v_t)); flat on alpha0 > 0,
// alpha1 in [0, 1], beta1 in [0, 1 - alpha1]; theta = (mu, log alpha0, logit alpha1, logit(beta1 / (1 - alpha1))).
class Garch final : public PlainTarget {
 public:
  Garch(const PosteriorFile& file, int64_t n)
      : PlainTarget(file.coordinates(4)),
        y_(file.numbers("y", n)),
        first_(file.number("sigma1", kPositive)),
        v_(y_.size()) {}

 private:
  double log_density(const double* theta, double* score) override {
    const double mu = theta[0], alpha0 = std::exp(theta[1]), alpha1 = sigmoid(theta[2]);
    const double share = sigmoid(theta[3]);
    const double beta1 = sigmoid(-theta[2]) * share;
    const size_t n = y_.size();
    double sum = 0;
    for (size_t t = 0; t < n; ++t) {
      v_[t] = t == 0 ? first_ * first_ : alpha0 + alpha1 * std::pow(y_[t - 1] - mu, 2) + beta1 * v_[t - 1];
      sum -= (kLogTwoPi + std::log(v_[t]) + std::pow(y_[t] - mu, 2) / v_[t]) / 2;
    }
    double in_mu = 0, in_alpha0 = 0, in_alpha1 = 0, in_beta1 = 0;
    double pull = 0;  // of v_t, what follows included
    for (size_t t = n; t-- > 0;) {
      const double e = y_[t] - mu;
      pull = (e * e / v_[t] - 1) / (2 * v_[t]) + beta1 * pull;
      in_mu += e / v_[t];
      if (t == 0) break;
      const double before = y_[t - 1] - mu;
      in_mu -= 2 * alpha1 * before * pull;
      in_alpha0 += pull;
      in_alpha1 += pull * before * before;
      in_beta1 += pull * v_[t - 1];
    }
    const Slope up1 = log_sigmoid(theta[2]), down1 = log_sigmoid(-theta[2]);
    const Slope up2 = log_sigmoid(theta[3]), down2 = log_sigmoid(-theta[3]);
    score[0] = in_mu;
    score[1] = in_alpha0 * alpha0 + 1;
    score[2] = alpha1 * (in_alpha1 * (1 - alpha1) - in_beta1 * beta1) + up1.slope - 2 * down1.slope;
    score[3] = in_beta1 * beta1 * (1 - share) + up2.slope - down2.slope;
    return sum + theta[1] + up1.value + 2 * down1.value + up2.value + down2.value;
  }

  std::vector<double> y_;
  double first_;
  std::vector<double> v_;
};

}  // namespace

PosteriorDensity make_arma11(const PosteriorFile& file) { return std::make_unique<Arma>(file, file.count("T", 1)); }

PosteriorDensity make_garch11(const PosteriorFile& file) { return std::make_unique<Garch>(file, file.count("T", 1)); }

}  // namespace scorevi::targets
