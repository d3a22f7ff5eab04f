#include "scorevi/core/counter_rng.h"

#include <gmock/gmock.h>

#include <array>
#include <map>
#include <numeric>

#include "scorevi/core/check.h"

namespace scorevi {
namespace {

TEST(CounterRng, BelowStaysBelowAndIsUniform) {
  const CounterRng rng(5, Purpose::kTest);
  std::array<int, 7> counts{};
  constexpr int kDraws = 70000;
  for (std::uint64_t i = 0; i < kDraws; ++i) ++counts.at(rng.below(7, i));
  double chi2 = 0;
  for (int count : counts) chi2 += (count - 1e4) * (count - 1e4) / 1e4;
  EXPECT_LT(chi2, 22.5);  // 0.1 % point for 6 degrees of freedom
}

TEST(CounterRng, BelowUsesAllSixtyFourBits) {
  const CounterRng rng(5, Purpose::kTest);
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < 100; ++i) seen |= rng.below(~std::uint64_t{0}, i);
  EXPECT_EQ(seen >> 60, 15u);
  EXPECT_EQ(seen & 15u, 15u);
  EXPECT_EQ(rng.below(1, 0), 0u);
  EXPECT_THROW(rng.below(0, 0), InternalError);
}

TEST(CounterRng, PermutationHoldsEveryIndexOnce) {
  auto order = CounterRng(3, Purpose::kShuffle, 2).permutation(1000);
  EXPECT_NE(order[0] + order[1] + order[2], 3);
  std::sort(order.begin(), order.end());
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(CounterRng(3, Purpose::kShuffle).permutation(0).empty());
  EXPECT_EQ(CounterRng(3, Purpose::kShuffle).permutation(1), std::vector<std::int64_t>{0});
}

// All 24 orders of four things are equally likely.
TEST(CounterRng, PermutationsAreUniform) {
  std::map<std::vector<std::int64_t>, int> counts;
  constexpr std::uint32_t kDraws = 24000;
  for (std::uint32_t step = 0; step < kDraws; ++step) ++counts[CounterRng(11, Purpose::kShuffle, step).permutation(4)];
  EXPECT_EQ(counts.size(), 24u);
  double chi2 = 0;
  for (const auto& [order, count] : counts) chi2 += (count - 1e3) * (count - 1e3) / 1e3;
  EXPECT_LT(chi2, 49.7);  // 0.1 % point for 23 degrees of freedom
}

// Pinned: stored splits and resumed runs depend on this order. Recorded from this code.
TEST(CounterRng, PermutationIsTheSameEverywhere) {
  EXPECT_EQ(CounterRng(42, Purpose::kSplit).permutation(8), (std::vector<std::int64_t>{4, 3, 5, 1, 2, 7, 6, 0}));
}

}  // namespace
}  // namespace scorevi
