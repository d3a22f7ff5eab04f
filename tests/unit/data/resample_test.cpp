// The loops chosen for this machine against the portable ones.
#include "resample.h"

#include <gtest/gtest.h>

#include "scorevi/core/counter_rng.h"

namespace scorevi::data {
namespace {

std::vector<std::uint8_t> random_bytes(std::int64_t count, std::uint32_t sample) {
  const CounterRng rng(1, Purpose::kTest, 0, sample);
  std::vector<std::uint8_t> bytes;
  for (std::int64_t i = 0; i < count; ++i)
    bytes.push_back(static_cast<std::uint8_t>(rng.word(static_cast<std::uint64_t>(i))));
  return bytes;
}

struct Sizes {
  std::int64_t in, out;
};

constexpr Sizes kSizes[] = {{1, 1},  {1, 7},   {2, 5},    {5, 2},    {3, 64},
                            {64, 3}, {33, 32}, {100, 41}, {1000, 7}, {41, 224}};

TEST(Resample, WeightsAddUpAndSplit) {
  for (const ResizeFilter filter : {ResizeFilter::kBilinear, ResizeFilter::kBicubic}) {
    for (const Sizes size : kSizes) {
      const Taps taps = make_taps(filter, size.in, size.out, 0, size.out);
      ASSERT_EQ(taps.outputs(), size.out);
      for (std::int64_t i = 0; i < size.out; ++i) {
        const auto k = static_cast<std::size_t>(i);
        EXPECT_GE(taps.first[k], 0);
        EXPECT_LE(taps.first[k] + taps.count[k], size.in);
        std::int64_t sum = 0;
        for (std::int64_t t = 0; t < taps.stride; ++t) {
          const auto at = static_cast<std::size_t>(i * taps.stride + t);
          sum += taps.weight[at];
          EXPECT_EQ(taps.weight[at], taps.high[at] * (1 << kLowBits) + taps.low[at]);
          EXPECT_TRUE(t < taps.count[k] || taps.weight[at] == 0);
        }
        EXPECT_NEAR(static_cast<double>(sum), 1 << kWeightBits, static_cast<double>(taps.count[k]) / 2);
      }
    }
  }
}

TEST(Resample, HorizontalKernelsAgree) {
  for (const ResizeFilter filter : {ResizeFilter::kBilinear, ResizeFilter::kBicubic}) {
    for (const Sizes size : kSizes) {
      const Taps taps = make_taps(filter, size.in, size.out, 0, size.out);
      std::vector<std::uint8_t> rows[kRows];
      std::vector<std::uint8_t> portable[kRows];
      std::vector<std::uint8_t> chosen[kRows];
      const std::uint8_t* in[kRows];
      std::uint8_t* out[kRows];
      std::uint8_t* other[kRows];
      for (std::uint32_t r = 0; r < kRows; ++r) {
        rows[r] = random_bytes(3 * size.in + kReadableAfter, r);
        portable[r].resize(static_cast<std::size_t>(3 * size.out + kWritableAfter));
        chosen[r] = portable[r];
        in[r] = rows[r].data();
        out[r] = portable[r].data();
        other[r] = chosen[r].data();
      }
      kPortableResample.horizontal(taps, in, out);
      resample_kernels().horizontal(taps, in, other);
      for (int r = 0; r < kRows; ++r) {
        portable[r].resize(static_cast<std::size_t>(3 * size.out));
        chosen[r].resize(portable[r].size());
        EXPECT_EQ(portable[r], chosen[r]) << size.in << " to " << size.out << ", row " << r;
      }
    }
  }
}

TEST(Resample, VerticalKernelsAgree) {
  for (const ResizeFilter filter : {ResizeFilter::kBilinear, ResizeFilter::kBicubic}) {
    for (const Sizes size : kSizes) {
      for (const std::int64_t bytes : {3, 31, 32, 33, 96, 100}) {
        const Taps taps = make_taps(filter, size.in, size.out, 0, size.out);
        const std::int64_t stride = bytes + 5;
        const std::vector<std::uint8_t> in = random_bytes(stride * size.in, 9);
        std::vector<std::uint8_t> portable(static_cast<std::size_t>(bytes));
        std::vector<std::uint8_t> chosen(portable.size());
        for (std::int64_t y = 0; y < size.out; ++y) {
          kPortableResample.vertical(taps, y, in.data(), stride, bytes, portable.data());
          resample_kernels().vertical(taps, y, in.data(), stride, bytes, chosen.data());
          EXPECT_EQ(portable, chosen) << size.in << " to " << size.out << ", " << bytes << " bytes, row " << y;
        }
      }
    }
  }
}

}  // namespace
}  // namespace scorevi::data
