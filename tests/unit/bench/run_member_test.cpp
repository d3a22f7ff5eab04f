#include "run_member.h"

#include <gtest/gtest.h>

namespace scorevi::bench {
namespace {

class RunMember : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.targets.resize(1);
    options_.targets[0].target.dim = 3;
    options_.targets[0].target.condition = 10;
    options_.methods.resize(1);
    options_.seeds = 1;
    options_.evaluations = 2000;
    options_.final_draws = 500;
  }

  MethodEntry& method() { return options_.methods[0]; }

  MemberResult run() {
    targets::KnownTarget known = make_target(options_.targets[0]);
    const Truth truth(known);
    return run_member(options_, members_of(options_, {known.name})[0], truth);
  }

  BenchOptions options_;
};

TEST_F(RunMember, BamReachesAGaussian) {
  method().method.name = "bam";
  method().method.samples = 8;
  method().method.decay = "constant";
  const MemberResult result = run();
  EXPECT_EQ(result.outcome, "finished");
  EXPECT_EQ(result.evaluations, 2000);
  ASSERT_TRUE(result.has_points());
  EXPECT_LT(result.final().mean_error, 1e-6);
  EXPECT_LT(result.final().reverse_kl, 1e-9);
  EXPECT_LT(result.final().k_hat, 0.3);
  EXPECT_EQ(result.curve.front().evaluations, 0);
  for (std::size_t i = 1; i < result.curve.size(); ++i)
    EXPECT_GT(result.curve[i].evaluations, result.curve[i - 1].evaluations);
}

TEST_F(RunMember, IsAFunctionOfItsSeed) {
  method().method.name = "psm";
  method().optimizer.lr = 0.05;
  const MemberResult first = run(), second = run();
  EXPECT_EQ(first.final().mean_error, second.final().mean_error);
  EXPECT_EQ(first.final().elbo, second.final().elbo);
  EXPECT_LT(first.final().mean_error, 0.3);
  // Measuring on the way changes nothing.
  options_.points = 1;
  EXPECT_EQ(run().final().mean_error, first.final().mean_error);
}

TEST_F(RunMember, MapFindsTheMode) {
  method().method.name = "map";
  method().optimizer.lr = 0.05;
  const MemberResult result = run();
  EXPECT_EQ(result.evaluations, 2000);
  EXPECT_LT(result.final().mean_error, 1e-3);
}

TEST_F(RunMember, APointIsNotJudgedByItsElbo) {
  method().method.name = "map";
  options_.stop = true;
  EXPECT_EQ(run().outcome, "finished");
}

TEST_F(RunMember, AStepThatCostsMoreThanTheRunIsRefused) {
  method().method.name = "gsm";
  method().method.samples = 2001;
  const MemberResult result = run();
  EXPECT_EQ(result.outcome, "refused");
  EXPECT_NE(result.message.find("a step takes 2001 evaluations, got 2000"), std::string::npos) << result.message;
}

TEST_F(RunMember, SamplersAndLaplaceGiveOnePoint) {
  for (const char* name : {"laplace", "nuts", "sgld"}) {
    method().method.name = name;
    method().sgld.step_size = 0.05;
    method().nuts.draws = 500;
    const MemberResult result = run();
    EXPECT_EQ(result.outcome, "finished") << name << ": " << result.message;
    ASSERT_EQ(result.curve.size(), 1U) << name;
    EXPECT_GT(result.evaluations, 5) << name;
    EXPECT_LT(result.final().sd_error, std::string(name) == "laplace" ? 1e-4 : 0.6) << name;
  }
}

TEST_F(RunMember, DivergenceIsAResult) {
  method().method.name = "psm";
  method().optimizer.name = "sgd";
  method().optimizer.lr = 1e6;
  const MemberResult result = run();
  EXPECT_EQ(result.outcome, "diverged");
  EXPECT_NE(result.message, "");
}

// A place without density: no step is made, and fewer evaluations are used than the steps would have taken.
TEST_F(RunMember, ARunWithoutAStepDiverged) {
  options_.targets[0].target = {};
  options_.targets[0].target.name = "banana";
  options_.targets[0].target.curvature = 100;
  options_.start.mean_low = 1e200;
  options_.start.mean_high = 1e201;
  options_.evaluations = 120;
  method().method.name = "fisher";
  method().method.samples = 2;
  const MemberResult result = run();
  EXPECT_EQ(result.outcome, "diverged");
  EXPECT_EQ(result.message.rfind("20 of 20 steps were refused: log density is not finite", 0), 0U) << result.message;
  for (std::size_t i = 1; i < result.curve.size(); ++i)
    EXPECT_GE(result.curve[i].evaluations, result.curve[i - 1].evaluations);
}

TEST_F(RunMember, WhatCannotRunIsRefusedWithTheReason) {
  method().method.name = "gsm";
  method().family = "diagonal_gaussian";
  const MemberResult result = run();
  EXPECT_EQ(result.outcome, "refused");
  EXPECT_NE(result.message.find("gsm"), std::string::npos);
  EXPECT_FALSE(result.has_points());
}

TEST_F(RunMember, PicturesAreKeptInThePlane) {
  options_.targets[0].target.dim = 2;
  method().method.name = "advi";
  method().optimizer.lr = 0.05;
  const MemberResult result = run();
  EXPECT_EQ(result.mean.size(), 2U);
  ASSERT_EQ(result.covariance.size(), 4U);
  EXPECT_EQ(result.covariance[1], 0);
  EXPECT_GT(result.covariance[0], 0);
}

}  // namespace
}  // namespace scorevi::bench
