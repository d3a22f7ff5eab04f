#include "scorevi/core/counter_rng.h"

#include <numeric>
#include <utility>

#include "scorevi/core/check.h"

namespace scorevi {
namespace {

__extension__ typedef unsigned __int128 Uint128;

}  // namespace

PhiloxWords CounterRng::block(std::uint64_t index) const {
  return philox4x32_10(philox_counter(index, purpose_, step_, sample_), key_);
}

std::uint32_t CounterRng::word(std::uint64_t i) const { return block(i / 4).w[i % 4]; }

double CounterRng::normal(std::uint64_t i) const {
  const PhiloxWords words = block(i / 4);
  const unsigned pair = (i % 4) & 2u;
  const NormalPair normals = normal_from_words(words.w[pair], words.w[pair + 1]);
  return i % 2 == 0 ? normals.first : normals.second;
}

std::uint64_t CounterRng::below(std::uint64_t n, std::uint64_t i) const {
  SCOREVI_CHECK_OP(n, >=, 1u);
  const PhiloxWords words = block(i / 2);
  const unsigned first = (i % 2) * 2;
  const std::uint64_t word = words.w[first] | (static_cast<std::uint64_t>(words.w[first + 1]) << 32);
  return static_cast<std::uint64_t>((static_cast<Uint128>(word) * n) >> 64);
}

std::vector<std::int64_t> CounterRng::permutation(std::int64_t n) const {
  SCOREVI_CHECK_OP(n, >=, 0);
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i, i - 1)]);
  return order;
}

}  // namespace scorevi
