// Student's t and normal distribution functions, and intervals of a mean over few repetitions
// (seeds).
#pragma once

#include <cstdint>
#include <vector>

namespace scorevi::metrics {

// P(Z <= x) of the standard normal, and its inverse for 0 < p < 1 (to the last bit or two).
double normal_cdf(double x);
double normal_quantile(double p);

// P(T <= t) with dof > 0 degrees of freedom, by the incomplete beta function; inverse for 0 < p
// < 1. Relative accuracy 1e-12 for dof up to 1e6.
double student_t_cdf(double t, double dof);
double student_t_quantile(double p, double dof);

struct MeanInterval {
  std::int64_t n = 0;
  double mean = 0.0;
  double sd = 0.0;  // sample standard deviation (n - 1)
  double low = 0.0;
  double high = 0.0;
};

// mean -+ t_{(1+level)/2, n-1} sd / sqrt(n). n = 0: all NaN; n = 1: sd, low and high are NaN.
// A non-finite value makes the result NaN.
MeanInterval mean_interval(const std::vector<double>& values, double level = 0.95);

// The interval of the mean of a_i - b_i: two methods on the same seeds (equal lengths, checked).
MeanInterval paired_interval(const std::vector<double>& a, const std::vector<double>& b, double level = 0.95);

}  // namespace scorevi::metrics
