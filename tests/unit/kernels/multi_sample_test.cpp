// Several weight samples per step: running means of the scores, then one update.
#include "support.h"

namespace scorevi::kernels {
namespace {

constexpr int kSamples = 3;
constexpr int64_t kN = 2500;

TEST(SeveralSamples, RunningMeansAreTheDirectAverages) {
  const NoiseKey first_key = {21, 4, 0};
  const Buffer<double> mean(Doubles(kN, std::nan(""))), with_noise(Doubles(kN, std::nan("")));
  Doubles want_mean(kN), want_noise(kN);
  for (int i = 0; i < kSamples; ++i) {
    NoiseKey key = first_key;
    key.sample += static_cast<uint32_t>(i);
    const auto s = wave<double>(kN, 2.0, 0.3 * i);
    const Buffer<double> score(s), noise(Doubles(kN, 0.0));
    fill_normal(test_exec(), 0, kN, key, noise.ptr());
    const auto eps = noise.host();
    for (std::size_t j = 0; j < s.size(); ++j) {
      want_mean[j] += s[j] / kSamples;
      want_noise[j] += s[j] * eps[j] / kSamples;
    }
    accumulate_score(test_exec(), 0, 1000, key, kSamples, i == 0, score.ptr(), mean.ptr(), with_noise.ptr());
    accumulate_score(test_exec(), 1000, kN, key, kSamples, i == 0, score.ptr(), mean.ptr(), with_noise.ptr());
  }
  expect_near(mean.host(), want_mean, 1e-14, "score");
  expect_near(with_noise.host(), want_noise, 1e-14, "score times noise");
}

// The gradient of M samples is the mean of the gradients of each.
TEST(SeveralSamples, TheGradientIsTheMeanOfTheSingleOnes) {
  const auto m = wave<double>(kN, 1.0, 0.1), rho = wave<double>(kN, 0.5, 0.9, -1.0);
  const Buffer<double> frozen_mean(wave<double>(kN, 1.0, 0.15)), frozen_log_std(wave<double>(kN, 0.5, 0.95, -1.0)),
      mean(Doubles(kN, 0.0)), with_noise(Doubles(kN, 0.0));
  PsmOptions<double> options;
  options.estimator = Estimator::kSampled;
  options.alpha = 0.5;
  options.frozen_mean = frozen_mean.ptr();
  options.frozen_log_std = frozen_log_std.ptr();
  Doubles want_mean(kN), want_log_std(kN);
  for (int i = 0; i < kSamples; ++i) {
    const Buffer<double> score(wave<double>(kN, 2.0, 0.3 * i));
    UpdateInput<double> in = input(kN, score, 0.7);
    in.key = {21, 4, static_cast<uint32_t>(i)};
    const TestFamily<double> family(m, rho);
    const auto stats =
        psm_update(test_exec(), in, options, gradient_probe(), family.mean_slot(), family.log_std_slot());
    const TestFamily<double> untouched(m, rho);
    const auto losses = psm_losses(test_exec(), in, options, untouched.mean.ptr(), untouched.log_std.ptr());
    EXPECT_NEAR(losses.matching, stats.matching, 1e-12 * stats.matching);
    EXPECT_NEAR(losses.proximal, stats.proximal, 1e-12 * stats.proximal);
    const auto g = family.mean_first.host(), h = family.log_std_first.host();
    for (std::size_t j = 0; j < g.size(); ++j) {
      want_mean[j] += g[j] / kSamples;
      want_log_std[j] += h[j] / kSamples;
    }
    accumulate_score(test_exec(), 0, kN, in.key, kSamples, i == 0, score.ptr(), mean.ptr(), with_noise.ptr());
  }
  const TestFamily<double> family(m, rho);
  UpdateInput<double> in = input(kN, mean, 0.7);
  in.key = {21, 4, 0};
  in.samples = kSamples;
  in.score_noise = with_noise.ptr();
  const auto stats = psm_update(test_exec(), in, options, gradient_probe(), family.mean_slot(), family.log_std_slot());
  expect_near(family.mean_first.host(), want_mean, 1e-12, "mean");
  expect_near(family.log_std_first.host(), want_log_std, 1e-12, "log_std");
  EXPECT_EQ(stats.matching, 0.0);
}

}  // namespace
}  // namespace scorevi::kernels
