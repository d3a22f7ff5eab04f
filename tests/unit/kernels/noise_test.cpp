#include "support.h"

#include "scorevi/core/philox.h"

namespace scorevi::kernels {
namespace {

template <class T>
std::vector<T> normals(int64_t begin, int64_t end, const NoiseKey& key) {
  const Buffer<T> out(std::vector<T>(static_cast<std::size_t>(end - begin)));
  fill_normal(test_exec(), begin, end, key, out.ptr() - begin);
  return out.host();
}

double exact_normal(int64_t element, const NoiseKey& key) {
  const PhiloxCounter counter = philox_counter(static_cast<uint64_t>(element / 4), key.purpose, key.step, key.sample);
  const PhiloxWords words = philox4x32_10(counter, philox_key(key.seed));
  const int first = static_cast<int>(element % 4) / 2 * 2;
  const NormalPair pair = normal_from_words(words.w[first], words.w[first + 1]);
  return element % 2 == 0 ? pair.first : pair.second;
}

NoiseKey key_of(const Json& block) {
  NoiseKey key;
  key.seed = block["seed"].get<uint64_t>();
  key.step = block["step"].get<uint32_t>();
  key.sample = block["sample"].get<uint32_t>();
  return key;
}

TEST(Noise, EqualsTheGoldenBlocks) {
  for (const char* list : {"blocks", "far_blocks"}) {
    for (const Json& block : golden("philox")[list]) {
      // The layout uses 56 bits of the block number; more belong to the purpose.
      const uint64_t index = block["block"].get<uint64_t>();
      if (index >= (uint64_t{1} << 56)) continue;
      const int64_t begin = static_cast<int64_t>(4 * index);
      const std::string what = std::string(list) + " " + block.dump();
      const Doubles want = numbers(block["normal_float64"]);
      const auto exact = normals<double>(begin, begin + 4, key_of(block));
      const auto single = normals<float>(begin, begin + 4, key_of(block));
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(exact[i], want[i], 4e-15) << what;
        EXPECT_NEAR(single[i], want[i], 3e-6) << what;
      }
    }
  }
}

TEST(Noise, HasTheGoldenStatistics) {
  for (const Json& row : golden("philox")["statistics"]) {
    const int64_t count = row["count"].get<int64_t>();
    const auto x = normals<float>(0, count, key_of(row));
    double mean = 0, square = 0, least = 0, most = 0;
    for (float v : x) {
      mean += v;
      least = std::min<double>(least, v);
      most = std::max<double>(most, v);
    }
    mean /= static_cast<double>(count);
    for (float v : x) square += (v - mean) * (v - mean);
    EXPECT_NEAR(mean, row["mean"].get<double>(), 1e-6);
    EXPECT_NEAR(square / static_cast<double>(count), row["variance"].get<double>(), 1e-6);
    EXPECT_NEAR(least, row["min"].get<double>(), 1e-5);
    EXPECT_NEAR(most, row["max"].get<double>(), 1e-5);
  }
}

TEST(Noise, FollowsTheCoreGenerator) {
  NoiseKey key;
  key.seed = 0x123456789ABCDEFull;
  key.step = 77;
  key.sample = 3;
  key.purpose = Purpose::kPrediction;
  const int64_t begin = 4 * ((int64_t{1} << 32) - 3) + 1;  // the low word of the block carries over
  const auto exact = normals<double>(begin, begin + 2000, key);
  const auto single = normals<float>(begin, begin + 2000, key);
  for (int64_t i = 0; i < 2000; ++i) {
    const double want = exact_normal(begin + i, key);
    ASSERT_NEAR(exact[static_cast<std::size_t>(i)], want, 4e-15) << i;
    ASSERT_NEAR(single[static_cast<std::size_t>(i)], want, 3e-4) << i;
  }
}

TEST(Noise, FloatStaysCloseToDoubleOverAMillionDraws) {
  NoiseKey key;
  key.seed = 9;
  const auto exact = normals<double>(0, 1000000, key);
  const auto single = normals<float>(0, 1000000, key);
  double worst = 0, sum_sq = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double difference = std::abs(exact[i] - single[i]);
    worst = std::max(worst, difference);
    sum_sq += difference * difference;
  }
  EXPECT_LT(worst, 3e-4);
  EXPECT_LT(std::sqrt(sum_sq / 1e6), 1e-6);
}

TEST(Noise, SampleIsMeanPlusSigmaTimesNoise) {
  const int64_t n = 3001;
  NoiseKey key;
  key.seed = 5;
  const auto mean = wave<double>(n, 2.0, 0.3), log_std = wave<double>(n, 3.0, 1.1, -2.0);
  const Buffer<double> m(mean), rho(log_std), theta(std::vector<double>(static_cast<std::size_t>(n), 7.0));
  sample_gaussian(test_exec(), 5, n - 2, key, m.ptr(), rho.ptr(), theta.ptr());
  const auto got = theta.host();
  const auto eps = normals<double>(0, n, key);
  for (int64_t j = 0; j < n; ++j) {
    const auto i = static_cast<std::size_t>(j);
    const double want = j < 5 || j >= n - 2 ? 7.0 : mean[i] + std::exp(log_std[i]) * eps[i];
    ASSERT_NEAR(got[i], want, 1e-14 * std::max(1.0, std::abs(want))) << j;
  }
}

TEST(Noise, EmptyRangesWriteNothing) {
  fill_normal<float>(test_exec(), 7, 7, NoiseKey{}, nullptr);
  sample_gaussian<double>(test_exec(), 0, 0, NoiseKey{}, nullptr, nullptr, nullptr);
}

}  // namespace
}  // namespace scorevi::kernels
