#include "scorevi/core/philox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "scorevi/core/counter_rng.h"

namespace scorevi {
namespace {

nlohmann::json golden() {
  std::ifstream file("tests/golden/numbers/philox.json");
  return nlohmann::json::parse(file);
}

std::vector<std::uint32_t> words_of(const PhiloxWords& words) { return {words.w, words.w + 4}; }

// Random123's published vectors.
TEST(Philox, KnownAnswers) {
  const nlohmann::json file = golden();
  for (const auto& item : file["known_answers"]["vectors"]) {
    const auto c = item["counter"].get<std::vector<std::uint32_t>>();
    const auto k = item["key"].get<std::vector<std::uint32_t>>();
    const PhiloxWords words = philox4x32_10({c[0], c[1], c[2], c[3]}, {k[0], k[1]});
    EXPECT_EQ(words_of(words), item["words"].get<std::vector<std::uint32_t>>()) << item["name"];
  }
}

void check_block(const nlohmann::json& item) {
  const auto seed = item["seed"].get<std::uint64_t>();
  const auto step = item["step"].get<std::uint32_t>();
  const auto sample = item["sample"].get<std::uint32_t>();
  SCOPED_TRACE(item["counter"].dump());
  // A block above 2^56 has the purpose in its top byte.
  const auto block = item["block"].get<std::uint64_t>() & 0x00FFFFFFFFFFFFFFu;
  const auto purpose = static_cast<Purpose>(item["block"].get<std::uint64_t>() >> 56);
  const PhiloxCounter counter = philox_counter(block, purpose, step, sample);
  const std::vector<std::uint32_t> counter_words = {counter.c0, counter.c1, counter.c2, counter.c3};
  EXPECT_EQ(counter_words, item["counter"].get<std::vector<std::uint32_t>>());
  const CounterRng rng(seed, purpose, step, sample);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const std::uint64_t element = 4 * block + i;
    EXPECT_EQ(rng.word(element), item["words"][i].get<std::uint32_t>());
    EXPECT_EQ(rng.uniform(element), item["uniforms"][i].get<double>());
    const double normal = item["normal_float64"][i].get<double>();
    EXPECT_NEAR(rng.normal(element), normal, 4e-15);
    EXPECT_FLOAT_EQ(static_cast<float>(rng.normal(element)), item["normal_float32"][i].get<float>());
  }
}

TEST(Philox, GoldenBlocks) {
  const nlohmann::json file = golden();
  for (const auto& item : file["blocks"]) check_block(item);
  for (const auto& item : file["far_blocks"]) check_block(item);
}

// Mean, variance, Kolmogorov-Smirnov distance and checksums of a million normals.
TEST(Philox, GoldenStatistics) {
  const nlohmann::json file = golden();
  for (const auto& item : file["statistics"]) {
    const auto count = item["count"].get<std::uint64_t>();
    const CounterRng rng(item["seed"].get<std::uint64_t>(), Purpose::kWeightNoise, item["step"].get<std::uint32_t>(),
                         item["sample"].get<std::uint32_t>());
    std::vector<double> values(count);
    std::uint64_t sum = 0;
    std::uint32_t parity = 0;
    double mean = 0;
    double square = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t word = rng.word(i);
      sum += word;
      parity ^= word;
      values[i] = rng.normal(i);
      mean += values[i];
      square += values[i] * values[i];
    }
    const auto n = static_cast<double>(count);
    mean /= n;
    EXPECT_EQ(sum, item["words_sum"].get<std::uint64_t>());
    EXPECT_EQ(parity, item["words_xor"].get<std::uint32_t>());
    EXPECT_NEAR(mean, item["mean"].get<double>(), 1e-11);
    EXPECT_NEAR(square / n - mean * mean, item["variance"].get<double>(), 1e-11);
    std::sort(values.begin(), values.end());
    double ks = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double phi = 0.5 * std::erfc(-values[i] / std::sqrt(2.0));
      ks = std::max({ks, (static_cast<double>(i) + 1) / n - phi, phi - static_cast<double>(i) / n});
    }
    EXPECT_NEAR(ks, item["ks"].get<double>(), 1e-11);
  }
}

TEST(Philox, PurposesStepsAndSamplesGiveOtherWords) {
  const std::uint32_t base = CounterRng(1, Purpose::kWeightNoise, 0, 0).word(0);
  EXPECT_NE(base, CounterRng(1, Purpose::kShuffle, 0, 0).word(0));
  EXPECT_NE(base, CounterRng(1, Purpose::kWeightNoise, 1, 0).word(0));
  EXPECT_NE(base, CounterRng(1, Purpose::kWeightNoise, 0, 1).word(0));
  EXPECT_NE(base, CounterRng(2, Purpose::kWeightNoise, 0, 0).word(0));
  EXPECT_NE(base, CounterRng(1 + (std::uint64_t{1} << 32), Purpose::kWeightNoise, 0, 0).word(0));
}

TEST(Philox, PurposeIsTheTopByteOfTheSecondCounterWord) {
  const PhiloxCounter counter = philox_counter((std::uint64_t{0x00ABCDEF} << 32) | 7, Purpose::kBootstrap, 3, 4);
  EXPECT_EQ(counter.c0, 7u);
  EXPECT_EQ(counter.c1, 0x06ABCDEFu);
  EXPECT_EQ(counter.c2, 4u);
  EXPECT_EQ(counter.c3, 3u);
}

TEST(Philox, UniformNeverReachesItsEnds) {
  EXPECT_EQ(uniform_from_word(0), 0x1p-33);
  EXPECT_EQ(uniform_from_word(0xFFFFFFFFu), 1 - 0x1p-33);
  EXPECT_NEAR(normal_from_words(0, 0).first, std::sqrt(66 * std::log(2.0)), 1e-12);
}

}  // namespace
}  // namespace scorevi
