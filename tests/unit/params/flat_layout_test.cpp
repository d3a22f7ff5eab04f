#include "scorevi/params/flat_layout.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::params {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

FlatLayout two_layers() {
  FlatLayout layout;
  layout.append("fc1.weight", {3, 2});
  layout.append("fc1.bias", {3});
  layout.append("empty", {0, 4});
  layout.append("fc2.weight", {2, 3});
  layout.append("scale", {});
  return layout;
}

TEST(FlatLayout, EntriesFollowEachOther) {
  const FlatLayout layout = two_layers();
  EXPECT_EQ(layout.dim(), 6 + 3 + 0 + 6 + 1);
  EXPECT_EQ(layout.entries()[3].offset, 9);
  EXPECT_EQ(FlatLayout::single(7).dim(), 7);
  EXPECT_EQ(FlatLayout::single(7).element_name(4), "theta[4]");
  EXPECT_EQ(FlatLayout().dim(), 0);
}

TEST(FlatLayout, NamesElements) {
  const FlatLayout layout = two_layers();
  EXPECT_EQ(layout.element_name(0), "fc1.weight[0,0]");
  EXPECT_EQ(layout.element_name(5), "fc1.weight[2,1]");
  EXPECT_EQ(layout.element_name(8), "fc1.bias[2]");
  EXPECT_EQ(layout.element_name(9), "fc2.weight[0,0]");
  EXPECT_EQ(layout.element_name(13), "fc2.weight[1,1]");
  EXPECT_EQ(layout.element_name(15), "scale");
  EXPECT_EQ(layout.entry_at(8).name, "fc1.bias");
  EXPECT_THROW(layout.entry_at(16), InternalError);
  EXPECT_THROW(layout.entry_at(-1), InternalError);
}

TEST(FlatLayout, RefusesTheSameNameTwice) {
  FlatLayout layout = two_layers();
  EXPECT_THROW(layout.append("fc1.bias", {3}), InternalError);
}

TEST(FlatLayout, StoresAndReadsByName) {
  const FlatLayout layout = two_layers();
  const at::Tensor flat = at::arange(16, at::kDouble);
  StateDict state;
  layout.add_to(state, "mean", flat);
  EXPECT_EQ(state.tensors[0].first, "mean.fc1.weight");
  EXPECT_EQ(state.tensor("mean.fc2.weight").sizes(), at::IntArrayRef({2, 3}));
  EXPECT_EQ(state.tensor("mean.fc2.weight")[1][0].item<double>(), 12);
  at::Tensor back = at::zeros({16}, at::kDouble);
  layout.read_from(state, "mean", back);
  EXPECT_TRUE(back.equal(flat));
}

TEST(FlatLayout, ReadsNothingWhenAnythingDoesNotFit) {
  const FlatLayout layout = two_layers();
  StateDict state;
  layout.add_to(state, "mean", at::ones({16}));
  at::Tensor back = at::zeros({16});

  state.tensors[3].second = at::ones({3, 2});
  EXPECT_THAT(
      [&] { layout.read_from(state, "mean", back); },
      ThrowsMessage<Error>(AllOf(HasSubstr("mean.fc2.weight"), HasSubstr("got [3, 2]"), HasSubstr("expected [2, 3]"))));
  state.tensors[3].second = at::ones({2, 3}, at::kDouble);
  EXPECT_THAT([&] { layout.read_from(state, "mean", back); },
              ThrowsMessage<Error>(HasSubstr("got Double, expected Float")));
  state.tensors.erase(state.tensors.begin() + 3);
  EXPECT_THAT([&] { layout.read_from(state, "mean", back); },
              ThrowsMessage<Error>(HasSubstr("\"mean.fc2.weight\" is missing")));
  EXPECT_EQ(back.sum().item<double>(), 0);
}

TEST(GroupRanges, TheFirstPatternThatFitsWins) {
  const FlatLayout layout = two_layers();
  const std::vector<GroupRange> ranges = group_ranges(layout, {"fc2.*", "fc?.weight"}, "prior.groups");
  ASSERT_EQ(ranges.size(), 4u);
  EXPECT_EQ(ranges[0].group, 1);  // fc1.weight
  EXPECT_EQ(ranges[0].end, 6);
  EXPECT_EQ(ranges[1].group, -1);  // fc1.bias
  EXPECT_EQ(ranges[2].group, 0);   // fc2.weight
  EXPECT_EQ(ranges[2].begin, 9);
  EXPECT_EQ(ranges[2].end, 15);
  EXPECT_EQ(ranges[3].group, -1);  // scale
  EXPECT_EQ(ranges[3].end, 16);
}

TEST(GroupRanges, MergesNeighboursAndCoversAll) {
  const FlatLayout layout = two_layers();
  const std::vector<GroupRange> all = group_ranges(layout, {"*", "fc1.*"}, "prior.groups");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].begin, 0);
  EXPECT_EQ(all[0].end, 16);
  EXPECT_EQ(all[0].group, 0);
  ASSERT_EQ(group_ranges(layout, {}, "prior.groups").size(), 1u);
  EXPECT_EQ(group_ranges(layout, {}, "prior.groups")[0].group, -1);
}

TEST(GroupRanges, APatternWithoutParametersIsAnErrorWithASuggestion) {
  const FlatLayout layout = two_layers();
  EXPECT_THAT([&] { group_ranges(layout, {"fc3.*"}, "prior.groups"); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("prior.groups"), HasSubstr("got \"fc3.*\""), HasSubstr("did you mean \"fc"))));
  EXPECT_THAT([&] { group_ranges(layout, {"encoder.block.*"}, "prior.groups"); },
              ThrowsMessage<Error>(HasSubstr("for example empty, fc1.*")));
}

}  // namespace
}  // namespace scorevi::params
