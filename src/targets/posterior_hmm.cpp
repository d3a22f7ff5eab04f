// Hidden Markov models with two states: theta = (u1, u2, then two numbers for each channel).
//   transitions  P(1 -> 1) = sigmoid(u1), P(2 -> 1) = sigmoid(u2); each row ~ Dirichlet(alpha_row), alpha = 1 is flat
//   channel      values y_1..N with a parameter m_k of each state, m_1 < m_2:
//                m_1 = p (or exp(p)), m_2 = m_1 + exp(q); m_k ~ N(centre_k, 1) as a density on the whole line;
//                y_t ~ N(m_k, std) or Exponential(rate m_k)
// The likelihood is summed over all paths; both states start with weight 1. O(N).
#include <array>
#include <cmath>

#include "posterior_models.h"
#include "terms.h"

namespace scorevi::targets {
namespace {

using Pair = std::array<double, 2>;  // one number per state

struct Channel {
  std::vector<double> values;
  double std = 0;  // of the noise; 0: exponential
  bool positive = false;
  Pair centre = {};

  // log p(y | m) and its derivative in m.
  Slope emission(double y, double m) const {
    return std > 0 ? normal(m, y, std) : Slope{std::log(m) - m * y, 1 / m - y};
  }
};

class HiddenMarkov final : public PlainTarget {
 public:
  // alpha [2, 2].
  HiddenMarkov(const PosteriorFile& file, std::vector<Channel> channels, std::vector<double> alpha)
      : PlainTarget(file.coordinates(2 + 2 * static_cast<int64_t>(channels.size()))),
        channels_(std::move(channels)),
        alpha_(std::move(alpha)),
        forward_(channels_[0].values.size()),
        emission_(forward_.size()),
        weight_(forward_.size()) {}

 private:
  double log_density(const double* theta, double* score) override {
    double sum = 0;
    for (size_t row = 0; row < 2; ++row) {
      const Slope prior = beta_on_logit_scale(theta[row], alpha_[2 * row], alpha_[2 * row + 1]);
      const Slope up = log_sigmoid(theta[row]);
      const Slope down = log_sigmoid(-theta[row]);
      log_move_[row] = {up.value, down.value};
      sum += prior.value;
      score[row] = prior.slope;
    }
    std::fill(emission_.begin(), emission_.end(), Pair{});
    for (size_t c = 0; c < channels_.size(); ++c) {
      const Pair m = levels(channels_[c], theta + 2 + 2 * c);
      for (size_t t = 0; t < emission_.size(); ++t)
        for (size_t k = 0; k < 2; ++k) emission_[t][k] += channels_[c].emission(channels_[c].values[t], m[k]).value;
    }
    sum += sum_over_paths();
    for (size_t row = 0; row < 2; ++row)
      score[row] += moves_[row][0] * sigmoid(-theta[row]) - moves_[row][1] * sigmoid(theta[row]);
    for (size_t c = 0; c < channels_.size(); ++c)
      sum += channel_scores(channels_[c], theta + 2 + 2 * c, score + 2 + 2 * c);
    return sum;
  }

  static Pair levels(const Channel& channel, const double* theta) {
    const double low = channel.positive ? std::exp(theta[0]) : theta[0];
    return {low, low + std::exp(theta[1])};
  }

  // Priors and log Jacobian of a channel; its two scores from the weights of the states.
  double channel_scores(const Channel& channel, const double* theta, double* score) const {
    const Pair m = levels(channel, theta);
    Pair slope = {};
    double sum = theta[1] + (channel.positive ? theta[0] : 0);
    for (size_t k = 0; k < 2; ++k) {
      const Slope prior = normal(m[k], channel.centre[k], 1);
      sum += prior.value;
      slope[k] = prior.slope;
      for (size_t t = 0; t < weight_.size(); ++t)
        slope[k] += weight_[t][k] * channel.emission(channel.values[t], m[k]).slope;
    }
    score[0] = channel.positive ? (slope[0] + slope[1]) * m[0] + 1 : slope[0] + slope[1];
    score[1] = slope[1] * std::exp(theta[1]) + 1;
    return sum;
  }

  // The log likelihood; fills weight_ (the probability of each state at each time) and moves_ (expected transitions).
  double sum_over_paths() {
    const size_t n = emission_.size();
    forward_[0] = emission_[0];
    for (size_t t = 1; t < n; ++t)
      for (size_t k = 0; k < 2; ++k)
        forward_[t][k] =
            emission_[t][k] + log_sum(forward_[t - 1][0] + log_move_[0][k], forward_[t - 1][1] + log_move_[1][k]);
    const double total = log_sum(forward_[n - 1][0], forward_[n - 1][1]);
    moves_ = {};
    Pair after = {};  // log probability of what follows, given the state
    for (size_t t = n; t-- > 0;) {
      for (size_t k = 0; k < 2; ++k) weight_[t][k] = std::exp(forward_[t][k] + after[k] - total);
      if (t == 0) break;
      const Pair next = {emission_[t][0] + after[0], emission_[t][1] + after[1]};
      for (size_t j = 0; j < 2; ++j) {
        for (size_t k = 0; k < 2; ++k) moves_[j][k] += std::exp(forward_[t - 1][j] + log_move_[j][k] + next[k] - total);
        after[j] = log_sum(log_move_[j][0] + next[0], log_move_[j][1] + next[1]);
      }
    }
    return total;
  }

  std::vector<Channel> channels_;
  std::vector<double> alpha_;
  std::array<Pair, 2> log_move_ = {};  // [from][to]
  std::array<Pair, 2> moves_ = {};
  std::vector<Pair> forward_, emission_, weight_;  // [N]
};

void expect_two_states(const PosteriorFile& file) { file.count("K", 2, 2); }

}  // namespace

PosteriorDensity make_hmm_example(const PosteriorFile& file) {
  expect_two_states(file);
  Channel y{file.numbers("y", file.count("N", 1)), /*std=*/1, /*positive=*/true, /*centre=*/{3, 10}};
  return std::make_unique<HiddenMarkov>(file, std::vector<Channel>{std::move(y)}, std::vector<double>(4, 1.0));
}

PosteriorDensity make_hmm_drive_0(const PosteriorFile& file) {
  expect_two_states(file);
  const int64_t n = file.count("N", 1);
  constexpr Bound kNotNegative{0};
  Channel u{file.numbers("u", n, kNotNegative), /*std=*/0, /*positive=*/true, /*centre=*/{0, 3}};
  Channel v{file.numbers("v", n, kNotNegative), /*std=*/0, /*positive=*/true, /*centre=*/{0, 3}};
  return std::make_unique<HiddenMarkov>(file, std::vector<Channel>{std::move(u), std::move(v)},
                                        file.matrix("alpha", 2, 2, kPositive));
}

PosteriorDensity make_hmm_drive_1(const PosteriorFile& file) {
  expect_two_states(file);
  const int64_t n = file.count("N", 1);
  Channel u{file.numbers("u", n), file.number("tau", kPositive), /*positive=*/false, /*centre=*/{0, 3}};
  Channel v{file.numbers("v", n), file.number("rho", kPositive), /*positive=*/false, /*centre=*/{0, 3}};
  return std::make_unique<HiddenMarkov>(file, std::vector<Channel>{std::move(u), std::move(v)},
                                        file.matrix("alpha", 2, 2, kPositive));
}

}  // namespace scorevi::targets
