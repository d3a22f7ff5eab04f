#include "scorevi/inference/chain_statistics.h"

#include <cmath>
#include <limits>

#include "scorevi/core/counter_rng.h"
#include "scorevi/inference/draws.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

// Chains x_t = phi x_{t-1} + u_t, u uniform from a linear congruential generator; chain c is scaled and shifted.
struct Walk {
  int64_t chains, n;
  double phi, shift, spread;
};

at::Tensor walk(const Walk& w) {
  at::Tensor out = at::empty({w.chains, w.n}, at::kDouble);
  uint64_t state = 1;
  for (int64_t c = 0; c < w.chains; ++c) {
    double x = 0;
    for (int64_t i = 0; i < w.n; ++i) {
      state = (1103515245 * state + 12345) % (1ULL << 31);
      x = w.phi * x + static_cast<double>(state) / 0x1p31 - 0.5;
      out[c][i] = x * (1 + w.spread * static_cast<double>(c)) + w.shift * static_cast<double>(c);
    }
  }
  return out;
}

// Computed once by ArviZ 0.22 (rhat rank, ess bulk, ess mean, mcse sd).
TEST(ChainStatistics, AgreeWithArviz) {
  struct Case {
    Walk walk;
    double rhat, bulk, mean, sd_error;
  };
  const Case cases[] = {
      {{4, 250, 0.8, 0, 0}, 1.0436516106847749, 145.41855257259306, 145.98118996439263, 0.018147172495982532},
      {{4, 251, 0.0, 0, 0}, 1.0068573735480957, 835.2638236688954, 834.9204636487217, 0.0040621049345573},
      {{3, 400, 0.95, 0, 0}, 1.1519634949079787, 15.615180343330294, 15.27076561748584, 0.08186259785610885},
      {{1, 1000, 0.5, 0, 0}, std::nan(""), 303.8482257049621, 304.18031769463715, 0.00862842493633988},
      {{4, 250, -0.5, 0, 0}, 1.0004005606676962, 2955.092327029726, 2763.060766667036, 0.007165437338554386},
      {{4, 250, 0.3, 0.2, 0}, 1.3268281911569195, 10.337393110163765, 10.216144669349283, 0.012865785235171491},
      {{4, 250, 0.3, 0, 0.5}, 1.105358015935107, 479.5786091812644, 481.7091679856042, 0.06929566715735717}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.rhat);
    const at::Tensor values = walk(one.walk);
    if (!std::isnan(one.rhat)) {
      EXPECT_NEAR(rank_rhat(values), one.rhat, 1e-9);
    }
    EXPECT_NEAR(ess_bulk(values), one.bulk, 1e-6 * one.bulk);
    EXPECT_NEAR(ess_mean(values), one.mean, 1e-6 * one.mean);
    Draws draws;
    draws.chains = one.walk.chains;
    draws.theta = values.reshape({-1, 1});
    summarise(draws);
    EXPECT_NEAR(draws.sd_error[0].item<double>(), one.sd_error, 2e-3 * one.sd_error);
    EXPECT_EQ(draws.ess[0].item<double>(), ess_bulk(values));
  }
}

// One chain that drifts is told by its halves.
TEST(ChainStatistics, ADriftShows) {
  const at::Tensor values = walk({1, 1000, 0, 0, 0}) + at::linspace(0, 1, 1000, at::kDouble);
  EXPECT_GT(rank_rhat(values), 1.3);
  EXPECT_NEAR(rank_rhat(walk({1, 1000, 0, 0, 0})), 1.0, 0.01);
}

TEST(ChainStatistics, NothingToTell) {
  at::Tensor broken = walk({2, 100, 0, 0, 0});
  broken[1][7] = std::numeric_limits<double>::infinity();
  for (const at::Tensor& values : {walk({2, 3, 0, 0, 0}), at::ones({2, 100}, at::kDouble), broken}) {
    EXPECT_TRUE(std::isnan(rank_rhat(values)));
    EXPECT_TRUE(std::isnan(ess_bulk(values)));
    EXPECT_TRUE(std::isnan(ess_mean(values)));
  }
}

TEST(GaussianFit, MomentsWithAndWithoutWeights) {
  Draws draws;
  draws.theta = vec({1, 2, 3, 0, 5, 4}).view({3, 2});
  const GaussianFit full = gaussian_fit(draws, GaussianForm::kFull);
  expect_near(full.mean, vec({3, 2}), 1e-15);
  expect_near(full.covariance, vec({4, 2, 2, 4}).view({2, 2}), 1e-15);
  expect_near(gaussian_fit(draws, GaussianForm::kDiagonal).covariance, vec({4, 4}), 1e-15);
  // Weights 1/2, 1/4, 1/4: mean (2.5, 2), sum w d^2 = (2.75, 2), over 1 - 3/8.
  draws.weight = vec({0.5, 0.25, 0.25});
  const GaussianFit weighted = gaussian_fit(draws, GaussianForm::kDiagonal);
  expect_near(weighted.mean, vec({2.5, 2}), 1e-15);
  expect_near(weighted.covariance, vec({2.75, 2}) / 0.625, 1e-15);
  draws.theta = draws.theta.narrow(0, 0, 1);
  EXPECT_EQ(error_of([&] { gaussian_fit(draws, GaussianForm::kFull); }).kind, ErrorKind::kNumerical);
}

}  // namespace
}  // namespace scorevi::test
