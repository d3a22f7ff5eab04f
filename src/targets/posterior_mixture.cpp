// y_n ~ t N(m1, s1) + (1 - t) N(m2, s2), m1 < m2: m ~ N(0, 2), s ~ N(0, 2) as densities on the whole line,
// t ~ Beta(5, 5); theta = (m1, log(m2 - m1), log s1, log s2, logit t).
#include <cmath>

#include "posterior_models.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

class TwoGaussians final : public PlainTarget {
 public:
  TwoGaussians(const PosteriorFile& file, int64_t n) : PlainTarget(file.coordinates(5)), y_(file.numbers("y", n)) {}

 private:
  double log_density(const double* theta, double* score) override {
    const double gap = std::exp(theta[1]);
    const double m[] = {theta[0], theta[0] + gap};
    const double s[] = {std::exp(theta[2]), std::exp(theta[3])};
    const double log_share[] = {log_sigmoid(theta[4]).value, log_sigmoid(-theta[4]).value};
    const Slope share = beta_on_logit_scale(theta[4], 5, 5);
    double sum = share.value + theta[1];
    double in_m[2];
    for (size_t k = 0; k < 2; ++k) {
      const Slope mean = normal(m[k], 0, 2);
      const Slope spread = on_log_scale(normal(s[k], 0, 2), theta[2 + k]);
      sum += mean.value + spread.value;
      in_m[k] = mean.slope;
      score[2 + k] = spread.slope;
    }
    double first = 0;  // expected number of rows of the first component
    for (const double y : y_) {
      const Slope one = normal(m[0], y, s[0]);
      const Slope two = normal(m[1], y, s[1]);
      const double both = log_sum(log_share[0] + one.value, log_share[1] + two.value);
      const double r[] = {std::exp(log_share[0] + one.value - both), std::exp(log_share[1] + two.value - both)};
      sum += both;
      first += r[0];
      in_m[0] += r[0] * one.slope;
      in_m[1] += r[1] * two.slope;
      score[2] += r[0] * (one.slope * one.slope * s[0] * s[0] - 1);
      score[3] += r[1] * (two.slope * two.slope * s[1] * s[1] - 1);
    }
    score[0] = in_m[0] + in_m[1];
    score[1] = in_m[1] * gap + 1;
    score[4] = share.slope + first - static_cast<double>(y_.size()) * sigmoid(theta[4]);
    return sum;
  }

  std::vector<double> y_;
};

}  // namespace

PosteriorDensity make_low_dim_gauss_mix(const PosteriorFile& file) {
  return std::make_unique<TwoGaussians>(file, file.count("N", 1));
}

}  // namespace scorevi::targets
