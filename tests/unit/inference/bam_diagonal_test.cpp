// bam with the diagonal family: golden values of its equations, and the engine against them.
#include <cmath>

#include "scorevi/inference/bam.h"
#include "scorevi/targets/gaussian.h"
#include "unit/inference/tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

struct Moments {
  at::Tensor mean, variance;
};

// The equations as they are written, on M draws [M, D].
Moments written_out(const at::Tensor& mean, const at::Tensor& variance, const at::Tensor& theta,
                    const at::Tensor& scores, double lambda) {
  const double all = lambda / (1 + lambda);
  const at::Tensor theta_mean = theta.mean(0), score_mean = scores.mean(0);
  const at::Tensor u = lambda * (scores - score_mean).square().mean(0) + all * score_mean.square();
  const at::Tensor v = variance + lambda * (theta - theta_mean).square().mean(0) + all * (mean - theta_mean).square();
  const at::Tensor next = 2 * v / (1 + (1 + 4 * u * v).sqrt());
  return {(mean + lambda * (next * score_mean + theta_mean)) / (1 + lambda), next};
}

TEST(BamDiagonal, TheEquationsGiveTheGoldenValues) {
  for (const Json& golden : golden_vi()["bam_diagonal"]) {
    const Moments moments = written_out(vec(golden["mean_t"]), vec(golden["variance_t"]), mat(golden["theta"]),
                                        mat(golden["scores"]), golden["lambda"].get<double>());
    expect_near(moments.mean, vec(golden["expected"]["mean"]), 1e-12);
    expect_near(moments.variance, vec(golden["expected"]["variance"]), 1e-12);
  }
  EXPECT_NEAR(golden_vi()["bam_diagonal"][0]["expected"]["mean"][0].get<double>(), 0.172676784, 1e-9);
  EXPECT_NEAR(golden_vi()["bam_diagonal"][0]["expected"]["variance"][0].get<double>(), 0.591334855, 1e-9);
}

template <class Type>
BamOptions options_of(int64_t samples, Type lambda, LambdaSchedule schedule = LambdaSchedule::kConstant) {
  BamOptions options;
  options.samples = samples;
  options.lambda = lambda;
  options.schedule = schedule;
  return options;
}

TEST(BamDiagonal, AStepFollowsTheEquationsPriorIncluded) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    for (const int64_t samples : {1, 2, 7}) {
      for (const double lambda : {0.05, 3.0}) {
        const at::Tensor mean = vec({0.5, -1.1, 1.9, 0.2}).to(type), log_std = vec({-1.0, -0.6, 0.3, -1.4}).to(type);
        FunctionTarget target(mean, [](const at::Tensor& theta, int64_t) {
          return Evaluation{-1.0, -theta.sin() * 2 - 0.7, 0};
        });
        target.has_prior = true;
        target.gaussian_prior.groups = {{{0, 3}, 0.8}, {{3, 4}, std::numeric_limits<double>::infinity()}};
        target.gaussian_prior.mean = vec({0.3, -0.2, 0.1, 5.0}).to(type);
        DiagonalGaussian q(mean.clone(), log_std.clone());
        BamDiagonal engine(options_of(samples, lambda), mean);
        const StepStats stats = engine.step(target, q, info_of(5));

        std::vector<at::Tensor> theta, scores;
        for (uint32_t i = 0; i < samples; ++i) {
          theta.push_back((mean + log_std.exp() * noise(mean, 7, 5, i)).to(at::kDouble));
          const at::Tensor prior = (target.gaussian_prior.mean.to(at::kDouble) - theta.back()) / 0.64;
          scores.push_back(-theta.back().sin() * 2 - 0.7 + prior * vec({1.0, 1.0, 1.0, 0.0}));
        }
        const Moments expected = written_out(mean.to(at::kDouble), (log_std.to(at::kDouble) * 2).exp(),
                                             at::stack(theta), at::stack(scores), lambda);
        const double tolerance = type == at::kDouble ? 1e-13 : 2e-6;
        expect_near(q.mean().to(at::kDouble), expected.mean, tolerance);
        expect_near((q.log_std().to(at::kDouble) * 2).exp(), expected.variance, tolerance);
        EXPECT_EQ(stats.evaluations, samples);

        // KL of the q before the step in closed form, an uninformative element adding minus its entropy.
        const double log_two_pi = std::log(2 * std::acos(-1.0));
        double kl = -(log_std.sum().item<double>() + 2 * (1 + log_two_pi));
        for (int64_t j = 0; j < 3; ++j) {
          const double s = std::exp(log_std[j].item<double>());
          const double d = (mean[j] - target.gaussian_prior.mean[j]).item<double>();
          kl += std::log(0.8) + 0.5 * log_two_pi + (s * s + d * d) / (2 * 0.64);
        }
        EXPECT_NEAR(stats.kl, kl, 1e-5);
        EXPECT_NEAR(stats.loss, stats.kl + 1, 1e-5);
      }
    }
  }
}

TEST(BamDiagonal, MeetsADiagonalTargetAndStaysThere) {
  const at::Tensor mean = vec({1.0, -2.0, 3.0}), sigma = vec({0.5, 3.0, 0.1});
  targets::DiagonalGaussianTarget target(mean, sigma.pow(-2));
  DiagonalGaussian q = DiagonalGaussian::from_mean(at::zeros({3}, at::kDouble), 1);
  BamDiagonal engine(options_of(4, 1e3), q.mean());
  for (int64_t step = 0; step < 60; ++step) ASSERT_EQ(engine.step(target, q, info_of(step)).status, StepStatus::kOk);
  expect_near(q.mean(), mean, 1e-10);
  expect_near(q.log_std().exp(), sigma, 1e-8);
}

TEST(BamDiagonal, JitterIsAddedToTheVariances) {
  const at::Tensor zeros = at::zeros({3}, at::kDouble);
  targets::DiagonalGaussianTarget target(zeros + 0.3, zeros + 2.0);
  DiagonalGaussian plain(zeros.clone(), zeros.clone()), jittered(zeros.clone(), zeros.clone());
  BamOptions options = options_of(3, 1.0);
  BamDiagonal(options, zeros).step(target, plain, info_of(0));
  options.jitter = 0.25;
  BamDiagonal(options, zeros).step(target, jittered, info_of(0));
  expect_near((jittered.log_std() * 2).exp(), (plain.log_std() * 2).exp() + 0.25, 1e-14);
  expect_equal(jittered.mean(), plain.mean());
}

TEST(BamDiagonal, DefaultLambdaIsTheNumberOfSamples) {
  for (const auto schedule : {LambdaSchedule::kConstant, LambdaSchedule::kSqrt, LambdaSchedule::kLinear}) {
    const at::Tensor zeros = at::zeros({3}, at::kDouble);
    targets::DiagonalGaussianTarget target(zeros + 0.3, zeros + 2.0);
    DiagonalGaussian automatic(zeros.clone(), zeros.clone()), given(zeros.clone(), zeros.clone());
    BamDiagonal(options_of(3, 0.0, schedule), zeros).step(target, automatic, info_of(4));
    BamDiagonal(options_of(3, 3.0, schedule), zeros).step(target, given, info_of(4));
    expect_equal(automatic.mean(), given.mean());
    expect_equal(automatic.log_std(), given.log_std());
  }
}

TEST(BamDiagonal, AnOverflowingUpdateIsUndone) {
  const at::Tensor zeros = at::zeros({4}, at::kFloat);
  FunctionTarget target(zeros, [&](const at::Tensor& theta, int64_t) {
    Evaluation result{0.0, -theta, 0};
    result.score[2].fill_(3e38);
    return result;
  });
  DiagonalGaussian q(zeros.clone(), zeros.clone());
  const StepStats stats = BamDiagonal(options_of(2, 1.0), zeros).step(target, q, info_of(0));
  EXPECT_EQ(stats.status, StepStatus::kBadUpdate);
  EXPECT_EQ(stats.bad_index, 2);
  expect_equal(q.mean(), zeros);
  expect_equal(q.log_std(), zeros);
}

}  // namespace
}  // namespace scorevi::test
