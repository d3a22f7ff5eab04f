#include "scorevi/params/state_dict.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::params {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(StateDict, KeepsTensorsInOrderAndByName) {
  StateDict state;
  state.add("b", at::ones({2}));
  state.add("a", at::zeros({3}));
  EXPECT_EQ(state.tensors[0].first, "b");
  EXPECT_EQ(state.tensor("a").numel(), 3);
  EXPECT_TRUE(state.has_tensor("b"));
  EXPECT_FALSE(state.has_tensor("c"));
  EXPECT_THAT([&] { state.tensor("c"); }, ThrowsMessage<Error>(HasSubstr("\"c\" is missing")));
  EXPECT_THROW(state.add("a", at::zeros({1})), InternalError);
}

TEST(StateDict, NumbersRoundTrip) {
  StateDict state;
  const int64_t whole = std::numeric_limits<int64_t>::max() - 1;
  state.set_int("step", whole);
  EXPECT_EQ(state.get_int("step"), whole);
  for (const double value : {0.1, 1.0 / 3, -1e-300, 5e-324, std::numeric_limits<double>::infinity()}) {
    state.set_double("x", value);
    EXPECT_EQ(state.get_double("x"), value);
  }
  state.set_double("x", std::nan(""));
  EXPECT_TRUE(std::isnan(state.get_double("x")));
  state.set_string("word", "12 apples");
  EXPECT_EQ(state.get_string("word"), "12 apples");
}

TEST(StateDict, RefusesWrongOrMissingValues) {
  StateDict state;
  state.set_string("word", "12 apples");
  EXPECT_THAT([&] { state.get_int("word"); }, ThrowsMessage<Error>(HasSubstr("word: got \"12 apples\"")));
  EXPECT_THROW(state.get_double("word"), Error);
  EXPECT_THAT([&] { state.get_int("step"); }, ThrowsMessage<Error>(HasSubstr("step is missing")));
}

}  // namespace
}  // namespace scorevi::params
