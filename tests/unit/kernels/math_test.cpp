// The float functions that the loops and the device share, against the library's in double.
#include "functors/math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scorevi::kernels {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Exponential, IsWithinTwoUnitsInTheLastPlace) {
  double worst = 0;
  for (int i = -873000; i <= 880000; ++i) {
    const float x = static_cast<float>(i) * 1e-4f;
    const double exact = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(generic::exponential(x) - exact) / exact);
  }
  EXPECT_LT(worst, 2e-7);
  EXPECT_EQ(generic::exponential(0.0f), 1.0f);
}

TEST(Exponential, KeepsTheSpecialValues) {
  EXPECT_EQ(generic::exponential(kInf), kInf);
  EXPECT_EQ(generic::exponential(-kInf), 0.0f);
  EXPECT_EQ(generic::exponential(100.0f), kInf);
  EXPECT_EQ(generic::exponential(-100.0f), 0.0f);
  EXPECT_TRUE(std::isnan(generic::exponential(std::nanf(""))));
}

TEST(Logarithm, IsWithinTwoUnitsInTheLastPlace) {
  double worst = 0;
  for (float x = 1.2e-38f; x < 3e38f; x *= 1.00007f) {
    const double exact = std::log(static_cast<double>(x));
    worst = std::max(worst, std::abs(generic::logarithm(x) - exact) / std::max(1e-3, std::abs(exact)));
  }
  EXPECT_LT(worst, 2e-7);
  EXPECT_EQ(generic::logarithm(1.0f), 0.0f);
}

TEST(Logarithm, KeepsTheSpecialValues) {
  EXPECT_EQ(generic::logarithm(0.0f), -kInf);
  EXPECT_EQ(generic::logarithm(kInf), kInf);
  EXPECT_TRUE(std::isnan(generic::logarithm(-1.0f)));
  EXPECT_TRUE(std::isnan(generic::logarithm(std::nanf(""))));
}

}  // namespace
}  // namespace scorevi::kernels
