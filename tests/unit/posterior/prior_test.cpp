#include "scorevi/posterior/prior.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "scorevi/core/error.h"

namespace scorevi::posterior {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

params::FlatLayout network_layout(bool learned_noise) {
  params::FlatLayout layout;
  layout.append("body.weight", {4});
  layout.append("body.bias", {2});
  layout.append("head.weight", {3});
  if (learned_noise) layout.append("log_noise", {});
  return layout;
}

const at::Tensor kTen = at::arange(1, 11, at::kDouble);

TEST(Prior, OneGroupAroundZeroNeedsNoMean) {
  const auto prior = make_prior({}, network_layout(false), kTen.narrow(0, 0, 9));
  ASSERT_EQ(prior.groups.size(), 1u);
  EXPECT_EQ(prior.groups[0].begin, 0);
  EXPECT_EQ(prior.groups[0].end, 9);
  EXPECT_EQ(prior.groups[0].std, 0.3);
  EXPECT_FALSE(prior.mean.defined());
}

TEST(Prior, GroupsSetStdAndMean) {
  PriorOptions options;
  options.mean = "pretrained";
  options.std = 0.1;
  options.groups = {{"head.*", 1.0, "zero"}, {"*.bias", INFINITY, ""}};
  const auto prior = make_prior(options, network_layout(false), kTen.narrow(0, 0, 9));
  ASSERT_EQ(prior.groups.size(), 3u);
  EXPECT_EQ(prior.groups[0].std, 0.1);
  EXPECT_TRUE(std::isinf(prior.groups[1].std));
  EXPECT_EQ(prior.groups[1].begin, 4);
  EXPECT_EQ(prior.groups[2].begin, 6);
  EXPECT_EQ(prior.groups[2].std, 1.0);
  EXPECT_TRUE(prior.mean.equal(at::tensor({1, 2, 3, 4, 5, 6, 0, 0, 0}, at::kDouble)));
}

TEST(Prior, AHeadThatIsNewIsCentredAtZero) {
  PriorOptions options;
  options.mean = "pretrained";
  options.untrained = {"head.weight"};
  const auto prior = make_prior(options, network_layout(false), kTen.narrow(0, 0, 9));
  ASSERT_EQ(prior.groups.size(), 1u);
  EXPECT_TRUE(prior.mean.equal(at::tensor({1, 2, 3, 4, 5, 6, 0, 0, 0}, at::kDouble)));
}

TEST(Prior, LearnedNoiseIsUninformativeUnlessNamed) {
  PriorOptions options;
  options.groups = {{"*", 2.0, "zero"}};
  const auto plain = make_prior(options, network_layout(true), kTen);
  ASSERT_EQ(plain.groups.size(), 2u);
  EXPECT_EQ(plain.groups[0].std, 2.0);
  EXPECT_EQ(plain.groups[1].begin, 9);
  EXPECT_EQ(plain.groups[1].end, 10);
  EXPECT_TRUE(std::isinf(plain.groups[1].std));

  options.groups.push_back({"log_noise", 5.0, "pretrained"});
  const auto named = make_prior(options, network_layout(true), kTen);
  EXPECT_EQ(named.groups[1].std, 5.0);
  EXPECT_EQ(named.mean[9].item<double>(), 10);
  EXPECT_EQ(named.mean[8].item<double>(), 0);
}

TEST(Prior, MeanIsACopy) {
  PriorOptions options;
  options.mean = "pretrained";
  at::Tensor values = at::ones({9}, at::kDouble);
  const auto prior = make_prior(options, network_layout(false), values);
  values.fill_(7);
  EXPECT_EQ(prior.mean.sum().item<double>(), 9);
}

void expect_refused(const PriorOptions& options, const char* part) {
  EXPECT_THAT([&] { make_prior(options, network_layout(false), kTen.narrow(0, 0, 9)); },
              ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(Prior, RefusesWrongSettings) {
  PriorOptions options;
  for (const double std : {0.0, -1.0, static_cast<double>(NAN)}) {
    options.std = std;
    expect_refused(options, "prior.std");
  }
  options = {};
  options.mean = "one";
  expect_refused(options, "prior.mean: prior mean, got \"one\"");
  options = {};
  options.groups = {{"head.*", -1, ""}};
  expect_refused(options, "prior.groups head.*");
  options.groups = {{"heads.*", 1, ""}};
  expect_refused(options, "did you mean \"head.*\"");
  options.groups = {{"head.*", 1, "one"}};
  expect_refused(options, "got \"one\"");
}

}  // namespace
}  // namespace scorevi::posterior
