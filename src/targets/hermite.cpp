#include "hermite.h"

#include <cmath>

#include "terms.h"

namespace scorevi::targets {
namespace {

constexpr size_t kTerms = 256;

}  // namespace

HermiteSeries hermite_series(const std::function<double(double)>& f) {
  constexpr double kStep = 0.01;
  constexpr int kHalf = 2000;
  std::vector<double> root(kTerms + 1);
  for (size_t n = 0; n <= kTerms; ++n) root[n] = std::sqrt(static_cast<double>(n));
  HermiteSeries series{std::vector<double>(kTerms), 0};
  for (int i = -kHalf; i <= kHalf; ++i) {
    const double e = kStep * i;
    const double value = f(e);
    const double weighted = kStep * std::exp(-(e * e + kLogTwoPi) / 2) * value;
    series.mean_square += weighted * value;
    double before = 0;
    double now = 1;
    for (size_t n = 0; n < kTerms; ++n) {
      series.terms[n] += weighted * now;
      const double next = (e * now - root[n] * before) / root[n + 1];
      before = now;
      now = next;
    }
  }
  return series;
}

double covariance_of(const HermiteSeries& f, const HermiteSeries& g, double correlation) {
  double sum = 0;
  double power = 1;
  for (size_t n = 1; n < kTerms; ++n) {
    power *= correlation;
    sum += power * f.terms[n] * g.terms[n];
  }
  return sum;
}

}  // namespace scorevi::targets
