#include "scorevi/metrics/axis.h"

#include <gmock/gmock.h>

#include <cmath>

namespace scorevi::metrics {
namespace {

using ::testing::ElementsAre;

DataRange range(std::initializer_list<double> values, bool log = false) {
  DataRange r(log);
  for (double v : values) r.add(v);
  return r;
}

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> out;
  for (const Tick& t : axis.ticks())
    if (!t.label.empty()) out.push_back(t.label);
  return out;
}

Axis linear(std::initializer_list<double> values, int ticks = 5) { return Axis({}, range(values), ticks); }

Axis logarithmic(std::initializer_list<double> values, int ticks = 5) {
  AxisOptions options;
  options.log = true;
  return Axis(options, range(values, true), ticks);
}

TEST(Axis, TicksAPersonWouldDraw) {
  EXPECT_THAT(labels_of(linear({1, 200})), ElementsAre("0", "50", "100", "150", "200"));
  EXPECT_THAT(labels_of(linear({0.02, 0.98})), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels_of(linear({-1, 1}, 4)), ElementsAre("−1.0", "−0.5", "0.0", "0.5", "1.0"));
  EXPECT_THAT(labels_of(linear({0.121, 0.149})), ElementsAre("0.12", "0.13", "0.14", "0.15"));
}

TEST(Axis, LimitsSnapToNearTicksOrGetAMargin) {
  const Axis near = linear({1, 199});
  EXPECT_EQ(near.low(), 0.0);
  EXPECT_EQ(near.high(), 200.0);
  const Axis far = linear({0, 224});  // the next tick, 250, is more than 0.4 steps away
  EXPECT_NEAR(far.high(), 224 + 0.03 * 224, 1e-9);
}

TEST(Axis, HugeAndTinyValuesHaveACommonFactor) {
  AxisOptions options;
  options.label = "loss";
  const Axis tiny(options, range({1e-12, 3e-12}), 4);
  EXPECT_EQ(tiny.label(), "loss (×10⁻¹²)");
  EXPECT_EQ(labels_of(tiny).back(), "3.0");
  const Axis huge(options, range({0, 9e6}), 4);
  EXPECT_EQ(huge.label(), "loss (×10⁶)");
  EXPECT_THAT(labels_of(huge), ElementsAre("0", "5", "10"));
  const Axis offset(options, range({1000002, 1000009}), 4);  // close together: written out
  EXPECT_EQ(offset.label(), "loss");
  EXPECT_EQ(labels_of(offset).front(), "1000002");
}

TEST(Axis, ConstantValuesAreInTheMiddle) {
  for (double v : {0.5, -3.0, 0.0, 1e20, 5e-324}) {
    Axis axis = linear({v, v});
    axis.place(0, 100);
    EXPECT_NEAR(axis.pixel(v), 50.0, 12.0) << v;
    EXPECT_GE(labels_of(axis).size(), 1u) << v;
  }
  EXPECT_THAT(labels_of(linear({})), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
}

TEST(Axis, ExtremeRangesStayFinite) {
  for (Axis axis : {linear({-1.7e308, 1.7e308}), linear({1e-320, 2e-320}), linear({-1e300, 1e-300}),
                    logarithmic({5e-324, 1.7e308}), logarithmic({1e-300, 1e300})}) {
    axis.place(0, 100);
    EXPECT_TRUE(std::isfinite(axis.low()) && std::isfinite(axis.high()));
    EXPECT_LT(axis.low(), axis.high());
    EXPECT_LE(axis.ticks().size(), 100u);
    for (const Tick& t : axis.ticks()) EXPECT_TRUE(std::isfinite(axis.pixel(t.value)));
  }
}

TEST(Axis, PixelsAreLinearOrLogarithmic) {
  Axis axis = linear({0, 10});
  axis.place(100, 0);  // upwards
  EXPECT_DOUBLE_EQ(axis.pixel(2.5), 75.0);
  Axis log = logarithmic({1, 100});
  log.place(0, 100);
  EXPECT_NEAR(log.pixel(10), 50.0, 1e-9);
}

TEST(Axis, LogTicks) {
  EXPECT_THAT(labels_of(logarithmic({0.01, 1000})), ElementsAre("0.01", "0.1", "1", "10", "100", "1000"));
  EXPECT_THAT(labels_of(logarithmic({1e-9, 1e-6})), ElementsAre("10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶"));
  EXPECT_THAT(labels_of(logarithmic({100, 3000})), ElementsAre("100", "200", "500", "1000", "2000"));
  EXPECT_THAT(labels_of(logarithmic({1e-12, 1e9}, 4)), ElementsAre("10⁻¹⁰", "10⁻⁵", "10⁰", "10⁵"));
  EXPECT_THAT(labels_of(logarithmic({100, 105})), ElementsAre("100", "102", "104"));
  std::size_t minor = 0;
  const Axis decades = logarithmic({1, 100});
  for (const Tick& t : decades.ticks()) minor += t.label.empty();
  EXPECT_EQ(minor, 16u);  // 2..9 and 20..90
}

TEST(Axis, LogIgnoresWhatDoesNotExist) {
  const Axis axis = logarithmic({-1, 0, NAN, INFINITY, 2, 20});
  EXPECT_GT(axis.low(), 1.0);
  EXPECT_FALSE(axis.shows(0.0));
  EXPECT_FALSE(axis.shows(-1.0));
  EXPECT_TRUE(axis.shows(1e-9));
}

TEST(Axis, OptionsAreHonoured) {
  AxisOptions options;
  options.integer = true;
  const Axis whole(options, range({1, 3}), 8);
  EXPECT_THAT(labels_of(whole), ElementsAre("1", "2", "3"));
  AxisOptions zero;
  zero.include_zero = true;
  EXPECT_EQ(Axis(zero, range({3, 8}), 5).low(), 0.0);
  AxisOptions fixed;
  fixed.low = 0.25;
  fixed.high = 0.75;
  const Axis axis(fixed, range({0, 100}), 5);
  EXPECT_EQ(axis.low(), 0.25);
  EXPECT_EQ(axis.high(), 0.75);
}

TEST(Axis, PowerLabels) {
  EXPECT_EQ(power_of_ten_label(1, -5), "10⁻⁵");
  EXPECT_EQ(power_of_ten_label(2, 16), "2×10¹⁶");
}

}  // namespace
}  // namespace scorevi::metrics
