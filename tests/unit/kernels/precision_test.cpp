// Float against double, and values at the edges of the float range, with every instruction set of this machine.
#include "cpu/instruction_set.h"
#include "support.h"

namespace scorevi::kernels {
namespace {

// Limits the instruction set for the length of a test body.
class Limit {
 public:
  explicit Limit(cpu::InstructionSet set) { cpu::limit_instruction_set(set); }
  ~Limit() { cpu::limit_instruction_set(cpu::InstructionSet::kAvx512); }
};

class Precision : public testing::TestWithParam<cpu::InstructionSet> {
 protected:
  Limit limit_{GetParam()};
};

template <class T>
struct Outcome {
  std::vector<T> mean_gradient, log_std_gradient;
  UpdateStats stats;
};

// The same float inputs for both types; given noise, so that only arithmetic differs.
template <class T>
Outcome<T> psm(Estimator estimator, Norm norm, bool frozen, int64_t n) {
  const auto as = [](const std::vector<float>& x) { return std::vector<T>(x.begin(), x.end()); };
  const Buffer<T> score(as(wave<float>(n, 3.0, 0.5))), noise(as(wave<float>(n, 2.0, 1.7))),
      frozen_mean(as(wave<float>(n, 1.0, 0.1))), frozen_log_std(as(wave<float>(n, 1.0, 0.9, -2.0))),
      curvature(as(wave<float>(n, 5.0, 0.2, 5.0)));
  const TestFamily<T> family(as(wave<float>(n, 1.0, 0.15)), as(wave<float>(n, 1.0, 0.95, -2.0)));
  UpdateInput<T> in = input(n, score, 0.5);
  in.noise = noise.ptr();
  PsmOptions<T> options;
  options.estimator = estimator;
  options.norm = norm;
  options.alpha = 0.75;
  options.frozen_mean = frozen ? frozen_mean.ptr() : nullptr;
  options.frozen_log_std = frozen ? frozen_log_std.ptr() : nullptr;
  options.curvature = curvature.ptr();
  Outcome<T> out;
  out.stats = psm_update(test_exec(), in, options, gradient_probe(0.0), family.mean_slot(), family.log_std_slot());
  out.mean_gradient = family.mean_first.host();
  out.log_std_gradient = family.log_std_first.host();
  return out;
}

TEST_P(Precision, FloatFollowsDouble) {
  for (const Estimator estimator : {Estimator::kSampled, Estimator::kAnalytic, Estimator::kAdaptive}) {
    for (const Norm norm : {Norm::kEuclidean, Norm::kCovariance}) {
      for (const bool frozen : {false, true}) {
        const auto exact = psm<double>(estimator, norm, frozen, 5000);
        const auto single = psm<float>(estimator, norm, frozen, 5000);
        expect_near(single.mean_gradient, exact.mean_gradient, 1e-5, "mean");
        expect_near(single.log_std_gradient, exact.log_std_gradient, 1e-5, "log_std");
        EXPECT_NEAR(single.stats.matching / exact.stats.matching, 1.0, 1e-5);
        EXPECT_NEAR(single.stats.kl / exact.stats.kl, 1.0, 1e-5);
        EXPECT_NEAR(single.stats.gradient_sq / exact.stats.gradient_sq, 1.0, 1e-5);
        EXPECT_NEAR(single.stats.sigma_sum, exact.stats.sigma_sum, 1e-6 * exact.stats.sigma_sum);
        EXPECT_EQ(single.stats.nonfinite, exact.stats.nonfinite);
      }
    }
  }
}

TEST_P(Precision, NoiseIsTheSame) {
  const int64_t n = 5000;
  const Buffer<float> out(std::vector<float>(static_cast<std::size_t>(n)));
  const Buffer<double> exact(Doubles(static_cast<std::size_t>(n)));
  fill_normal(test_exec(), 0, n, NoiseKey{3, 1, 4}, out.ptr());
  fill_normal(test_exec(), 0, n, NoiseKey{3, 1, 4}, exact.ptr());
  const auto got = out.host();
  const auto want = exact.host();
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(got[i], want[i], 1e-5) << i;
}

TEST_P(Precision, NonFiniteScoresAreCounted) {
  const int64_t n = 3000;
  auto s = wave<float>(n, 3.0, 0.5);
  s[0] = s[1500] = std::nanf("");
  s[2999] = HUGE_VALF;
  const Buffer<float> score(s);
  const TestFamily<float> family(wave<float>(n, 1.0, 0.1), wave<float>(n, 1.0, 0.9, -2.0));
  const auto check = check_finite(test_exec(), 0, n, score.ptr());
  EXPECT_EQ(check.nonfinite, 3);
  EXPECT_EQ(check.first_nonfinite, 0);
  EXPECT_EQ(check_finite(test_exec(), 1, 2000, score.ptr()).first_nonfinite, 1500);
  EXPECT_EQ(check_finite(test_exec(), 1501, 2999, score.ptr()).nonfinite, 0);
  const auto stats = psm_update(test_exec(), input(n, score, 0.5), PsmOptions<float>{}, gradient_probe(0.0),
                                family.mean_slot(), family.log_std_slot());
  EXPECT_EQ(stats.nonfinite, 3);
  EXPECT_TRUE(std::isnan(stats.gradient_sq));
  const auto again = advi_update(test_exec(), input(n, score, 0.5), true, gradient_probe(0.0), family.mean_slot(),
                                 family.log_std_slot());
  EXPECT_EQ(again.nonfinite, 3);
}

TEST_P(Precision, ExtremeStandardDeviations) {
  std::vector<float> rho;
  for (const double sigma : {1e-20, 1e-10, 1e-5, 1.0, 1e5, 1e10}) rho.push_back(static_cast<float>(std::log(sigma)));
  const auto n = static_cast<int64_t>(rho.size());
  const Buffer<float> score(std::vector<float>(rho.size(), 1.0f));
  const TestFamily<float> family(std::vector<float>(rho.size(), 0.5f), rho);
  PsmOptions<float> options;
  options.norm = Norm::kCovariance;
  OptimizerRule rule = gradient_probe(0.0);
  const auto stats = psm_update(test_exec(), input(n, score), options, rule, family.mean_slot(), family.log_std_slot());
  EXPECT_EQ(stats.nonfinite, 0);
  EXPECT_NEAR(stats.log_std_min, std::log(1e-20), 1e-5);
  EXPECT_NEAR(stats.log_std_max, std::log(1e10), 1e-5);
  EXPECT_NEAR(stats.sigma_sum, 1e10 + 1e5 + 1.0, 1e4);
  // d/dm = -2 g whatever sigma is.
  for (const float g : family.mean_first.host()) EXPECT_NEAR(g, -2.0f, 1e-5f);
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Precision,
                         testing::Values(cpu::InstructionSet::kBaseline, cpu::InstructionSet::kAvx2,
                                         cpu::InstructionSet::kAvx512),
                         [](const auto& set) { return cpu::name_of(set.param); });

}  // namespace
}  // namespace scorevi::kernels
