// How well Markov chains have mixed, for one quantity: values [chains, n], double.
//
// Each chain is cut into halves (an odd one leaves out its middle), so that a drift inside a chain shows as well.
// Source: Vehtari, Gelman, Simpson, Carpenter, Buerkner, "Rank-normalization, folding, and localization: an improved
// R-hat", Bayesian Analysis 16 (2021). NaN everywhere: fewer than 4 values per chain, values that are not finite, or
// all values equal.
#pragma once

#include <ATen/core/Tensor.h>

namespace scorevi::inference {

// The larger of the split R-hat of the ranks and of the ranks of the distances from the median; 1 is perfect, and
// above 1.01 the chains should not be used together.
double rank_rhat(const at::Tensor& values);

// Effective sample size of the ranks (bulk-ESS): the number of independent draws that would tell as much about the
// centre. By Geyer's initial monotone sequence; never above chains * n * log10(chains * n). O(chains n log n).
double ess_bulk(const at::Tensor& values);

// Effective sample size for the mean, without ranks: the Monte-Carlo standard error of the mean is sd / sqrt(ess).
double ess_mean(const at::Tensor& values);

}  // namespace scorevi::inference
