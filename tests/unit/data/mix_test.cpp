#include "scorevi/data/mix.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include <cmath>

#include "support/error_of.h"

namespace scorevi::data {
namespace {

constexpr std::int64_t kClasses = 4;

// Rows of constant value 1, 2, 3.
at::Tensor rows() { return at::arange(1, 4, at::kFloat).view({3, 1, 1, 1}).expand({3, 2, 16, 16}).contiguous(); }
at::Tensor labels() { return at::tensor({0, 2, 3}, at::kLong); }

MixOptions mixing(double smoothing, double mixup, double cutmix) { return {smoothing, mixup, cutmix}; }

TEST(Mix, LabelSmoothingLeavesInputsAlone) {
  const at::Tensor inputs = rows();
  const at::Tensor soft = mix(mixing(0.2, 0, 0), 1, 2, 3, inputs, labels(), kClasses);
  EXPECT_TRUE(at::equal(inputs, rows()));
  const at::Tensor expected =
      at::tensor({0.85, 0.05, 0.05, 0.05, 0.05, 0.05, 0.85, 0.05, 0.05, 0.05, 0.05, 0.85}, at::kFloat);
  EXPECT_TRUE(at::allclose(soft.flatten(), expected));
}

TEST(Mix, MixupBlendsWithTheRowBefore) {
  const at::Tensor inputs = rows();
  const at::Tensor soft = mix(mixing(0, 1.0, 0), 1, 0, 0, inputs, labels(), kClasses);
  const double lambda = soft[1][2].item<double>();
  EXPECT_GT(lambda, 0.0);
  EXPECT_LT(lambda, 1.0);
  EXPECT_NEAR(soft[1][0].item<double>(), 1 - lambda, 1e-6);
  EXPECT_NEAR(soft[0][3].item<double>(), 1 - lambda, 1e-6);
  EXPECT_NEAR(inputs[0][0][0][0].item<double>(), lambda * 1 + (1 - lambda) * 3, 1e-6);
  EXPECT_NEAR(inputs[1][1][7][3].item<double>(), lambda * 2 + (1 - lambda) * 1, 1e-6);
  EXPECT_NEAR(inputs[2][0][15][15].item<double>(), lambda * 3 + (1 - lambda) * 2, 1e-6);
}

TEST(Mix, CutmixPastesABoxOfThatShare) {
  int boxes = 0;
  for (std::int64_t batch = 0; batch < 20; ++batch) {
    const at::Tensor inputs = rows();
    const at::Tensor soft = mix(mixing(0, 0, 1.0), 5, 0, batch, inputs, labels(), kClasses);
    const at::Tensor pasted = inputs[1].eq(1.0);
    EXPECT_TRUE((pasted.logical_or(inputs[1].eq(2.0))).all().item<bool>());
    EXPECT_TRUE(at::equal(pasted, inputs[0].eq(3.0)));
    const double share = pasted.to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(soft[1][0].item<double>(), share, 1e-6);
    EXPECT_NEAR(soft.sum(1).sub(1).abs().max().item<double>(), 0.0, 1e-6);
    boxes += share > 0 ? 1 : 0;
  }
  EXPECT_GT(boxes, 15);
}

// Beta(a, a) has mean 1/2 and variance 1 / (4 (2 a + 1)).
TEST(Mix, LambdaHasTheMomentsOfItsBeta) {
  for (const double alpha : {0.2, 1.0, 4.0}) {
    constexpr int kDraws = 4000;
    double sum = 0, squares = 0;
    for (int batch = 0; batch < kDraws; ++batch) {
      const at::Tensor inputs = at::zeros({2, 1, 1, 1});
      const at::Tensor soft = mix(mixing(0, alpha, 0), 9, 1, batch, inputs, at::tensor({0, 1}, at::kLong), 2);
      const double lambda = soft[0][0].item<double>();
      sum += lambda;
      squares += (lambda - 0.5) * (lambda - 0.5);
    }
    const double variance = 1 / (4 * (2 * alpha + 1));
    EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(variance / kDraws)) << alpha;
    EXPECT_NEAR(squares / kDraws, variance, 0.1 * variance) << alpha;
  }
}

TEST(Mix, IsAFunctionOfSeedEpochAndBatch) {
  const auto run = [](std::uint64_t seed, std::int64_t epoch, std::int64_t batch) {
    const at::Tensor inputs = rows();
    return mix(mixing(0, 0.5, 0.5), seed, epoch, batch, inputs, labels(), kClasses);
  };
  EXPECT_TRUE(at::equal(run(1, 2, 3), run(1, 2, 3)));
  EXPECT_FALSE(at::equal(run(1, 2, 3), run(2, 2, 3)));
  EXPECT_FALSE(at::equal(run(1, 2, 3), run(1, 3, 3)));
  EXPECT_FALSE(at::equal(run(1, 2, 3), run(1, 2, 4)));
}

TEST(Mix, RefusesValuesOutOfRange) {
  EXPECT_EQ(test::message_of(ErrorKind::kUsage, [] { validate(mixing(1.0, 0, 0)); }),
            "data.augment.label_smoothing: got 1, expected 0 to below 1");
  EXPECT_EQ(test::message_of(ErrorKind::kUsage, [] { validate(mixing(0, 5, 0)); }),
            "data.augment.mixup: got 5, expected 0 to 4");
  EXPECT_EQ(test::message_of(ErrorKind::kUsage, [] { validate(mixing(0, 0, -1)); }),
            "data.augment.cutmix: got -1, expected 0 to 4");
}

}  // namespace
}  // namespace scorevi::data
