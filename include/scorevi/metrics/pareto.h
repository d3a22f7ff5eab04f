// Pareto smoothed importance sampling (PSIS): how far importance weights of q for a target can be trusted.
//
// The largest M = min(S / 5, 3 sqrt(S / relative_efficiency)) of S weights are fitted by a generalised Pareto
// distribution and replaced by its expected order statistics. Its shape k is the diagnosis: weights have about 1/k
// finite moments. Below reliable_k(S) estimates from the weights, and q itself, are good; above 1 the mean of the
// weights does not exist.
// Sources: Vehtari, Simpson, Gelman, Yao, Gabry, "Pareto smoothed importance sampling", JMLR 25 (2024); the fit is
// that of Zhang and Stephens, Technometrics 51 (2009), with their weak prior on k.
#pragma once

#include <cstdint>
#include <vector>

namespace scorevi::metrics {

// P(X > x) = (1 + shape x / scale)^(-1/shape), x > 0; shape 0 is exponential.
struct GeneralisedPareto {
  double shape = 0;
  double scale = 0;
};

// Fits at least 5 finite values above 0 (checked). O(n sqrt n). The shape is drawn to 1/2 with the weight of 10 values.
GeneralisedPareto fit_generalised_pareto(std::vector<double> values);

struct SmoothedWeights {
  std::vector<double> log_weights;  // normalised: their exponentials sum to 1; in the order of the input
  double k = 0;                     // see smooth_weights for its special values
  double ess = 0;                   // 1 / sum of squared normalised weights
  std::int64_t tail = 0;            // M, 0 where nothing was smoothed
};

// log_weights are log target - log q at draws of q, up to a common constant. -inf is a weight of 0.
// k is -inf where the tail is constant, as where q is the target, and +inf where fewer than 5 draws have all the
// weight; NaN where it cannot be told: fewer than 21 values, or fewer than 5 of the tail above the rest, or values
// beyond 4e9 nats, whose differences are rounding. Nothing is smoothed then. NaN or +inf among the values, or no weight
// above 0: k and ess are NaN, the log weights are returned as given. relative_efficiency: effective over actual draws,
// below 1 for draws of a Markov chain.
SmoothedWeights smooth_weights(const std::vector<double>& log_weights, double relative_efficiency = 1);

// min(1 - 1 / log10 S, 0.7): the k up to which S draws suffice.
double reliable_k(std::int64_t draws);

}  // namespace scorevi::metrics
