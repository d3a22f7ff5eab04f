#include "scorevi/data/augment.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "augment_draws.h"
#include "scorevi/io/image.h"
#include "support/error_of.h"

namespace scorevi::data {
namespace {

using Bytes = std::vector<std::uint8_t>;

const io::Image& photo() {
  static const io::Image image = io::read_image("tests/golden/vision/Abyssinian_63.png").image;
  return image;
}

const io::Image& small() {
  static const io::Image image = io::read_image("tests/golden/vision/jitter.crop64.png").image;
  return image;
}

// Only what the test switches on.
AugmentOptions nothing() {
  AugmentOptions options;
  options.size = 64;
  options.resize = 64;
  options.random_resized_crop = false;
  options.flip = 0.0;
  return options;
}

TEST(Augment, IsAFunctionOfSeedEpochAndRow) {
  AugmentOptions options;
  options.size = 48;
  options.rotation = 20.0;
  options.jitter = {0.4, 0.4, 0.4, 0.1};
  options.rand_augment = 2;
  const io::Image first = augment(photo(), options, {3, 1, 4});
  EXPECT_EQ(first.width, 48);
  EXPECT_EQ(first.height, 48);
  EXPECT_EQ(augment(photo(), options, {3, 1, 4}).rgb, first.rgb);
  EXPECT_NE(augment(photo(), options, {4, 1, 4}).rgb, first.rgb);
  EXPECT_NE(augment(photo(), options, {3, 2, 4}).rgb, first.rgb);
  EXPECT_NE(augment(photo(), options, {3, 1, 5}).rgb, first.rgb);
}

TEST(Augment, AStageDoesNotChangeTheDrawsOfOthers) {
  AugmentOptions options;
  AugmentOptions with_rotation = options;
  with_rotation.rotation = 1e-9;  // draws, and turns nothing
  for (std::int64_t row = 0; row < 10; ++row) {
    EXPECT_EQ(augment(photo(), with_rotation, {0, 0, row}).rgb, augment(photo(), options, {0, 0, row}).rgb);
  }
}

TEST(Augment, FlipsThenTurns) {
  AugmentOptions options = nothing();
  options.flip = 1.0;
  options.rotation = 20.0;
  std::set<Bytes> seen;
  for (std::int64_t row = 0; row < 20; ++row) {
    const AugmentKey key = {0, 1, row};
    const double degrees = Draws(key, Stage::kRotation).uniform(-20.0, 20.0);
    const io::Image image = augment(small(), options, key);
    EXPECT_EQ(image.rgb, rotate(flip_horizontal(small()), degrees).rgb);
    seen.insert(image.rgb);
  }
  EXPECT_EQ(seen.size(), 20U);
}

TEST(Augment, WithoutStagesIsTheMiddle) {
  AugmentOptions options = nothing();
  options.resize = 80;
  EXPECT_EQ(augment(photo(), options, {}).rgb, resize_and_center_crop(photo(), 80, 64, ResizeFilter::kBilinear).rgb);
}

TEST(Augment, BoxesFollowTheirDistribution) {
  AugmentOptions options;
  options.scale_min = 0.2;
  options.scale_max = 0.5;
  options.ratio_min = 0.8;
  options.ratio_max = 1.25;
  const Size image = {2000, 3000};
  const int count = 4000;
  double share = 0.0;
  double share_below = 0.0;
  double log_ratio = 0.0;
  double left = 0.0;
  double top = 0.0;
  for (std::int64_t row = 0; row < count; ++row) {
    const Box box = draw_crop(options, image, Draws({1, 0, row}, Stage::kCrop));
    ASSERT_TRUE(box.left >= 0 && box.left + box.width <= image.width && box.top >= 0 &&
                box.top + box.height <= image.height);
    const double area = static_cast<double>(box.width * box.height) / 6e6;
    const double ratio = static_cast<double>(box.width) / static_cast<double>(box.height);
    ASSERT_TRUE(area > 0.199 && area < 0.501) << area;
    ASSERT_TRUE(ratio > 0.799 && ratio < 1.251) << ratio;
    share += area / count;
    share_below += (area < 0.275 ? 1.0 : 0.0) / count;
    log_ratio += std::log(ratio) / count;
    left += static_cast<double>(box.left) / static_cast<double>(image.width - box.width) / count;
    top += static_cast<double>(box.top) / static_cast<double>(image.height - box.height) / count;
  }
  EXPECT_NEAR(share, 0.35, 0.006);  // four standard errors
  EXPECT_NEAR(share_below, 0.25, 0.028);
  EXPECT_NEAR(log_ratio, 0.0, 0.0082);
  EXPECT_NEAR(left, 0.5, 0.0185);
  EXPECT_NEAR(top, 0.5, 0.0185);
}

TEST(Augment, WhatDoesNotFitBecomesTheMiddle) {
  AugmentOptions options;
  options.scale_min = 1.0;
  const auto box_of = [&](Size image) {
    const Box box = draw_crop(options, image, Draws({}, Stage::kCrop));
    return std::vector<std::int64_t>{box.left, box.top, box.width, box.height};
  };
  EXPECT_EQ(box_of({10, 1000}), (std::vector<std::int64_t>{0, 493, 10, 13}));
  EXPECT_EQ(box_of({1000, 10}), (std::vector<std::int64_t>{493, 0, 13, 10}));
  EXPECT_EQ(box_of({1, 1}), (std::vector<std::int64_t>{0, 0, 1, 1}));
  options.ratio_min = options.ratio_max = 1.2;
  EXPECT_EQ(box_of({100, 100}), (std::vector<std::int64_t>{0, 8, 100, 83}));
  options.ratio_min = 1.0;
  options.ratio_max = 2.0;
  EXPECT_EQ(box_of({7, 5}), (std::vector<std::int64_t>{0, 0, 7, 5}));
}

TEST(Augment, FlipsWithItsProbability) {
  AugmentOptions options = nothing();
  options.flip = 0.3;
  const io::Image flipped = flip_horizontal(small());
  int count = 0;
  for (std::int64_t row = 0; row < 2000; ++row) {
    const io::Image image = augment(small(), options, {5, 2, row});
    const bool mirrored = image.rgb == flipped.rgb;
    EXPECT_TRUE(mirrored || image.rgb == small().rgb);
    count += mirrored ? 1 : 0;
  }
  EXPECT_NEAR(count, 600, 82);
}

TEST(Augment, JitterStaysInItsRange) {
  const io::Image grey{64, 64, Bytes(3 * 64 * 64, 100)};
  AugmentOptions options = nothing();
  options.jitter.brightness = 0.4;
  std::set<int> values;
  for (std::int64_t row = 0; row < 1000; ++row) values.insert(augment(grey, options, {0, 0, row}).rgb[0]);
  EXPECT_EQ(*values.begin(), 60);
  EXPECT_EQ(*values.rbegin(), 139);
  EXPECT_GT(values.size(), 75U);
}

TEST(Augment, JitterUsesEveryOrder) {
  AugmentOptions options = nothing();
  options.jitter = {0.0, 0.8, 0.8, 0.0};
  int contrast_first = 0;
  for (std::int64_t row = 0; row < 200; ++row) {
    Draws draws({0, 0, row}, Stage::kJitter);
    for (std::int64_t i = 4; i > 1; --i) draws.below(i);
    draws.uniform(0.0, 1.0);
    const double contrast = draws.uniform(0.2, 1.8);
    const double saturation = draws.uniform(0.2, 1.8);
    const Bytes result = augment(small(), options, {0, 0, row}).rgb;
    const Bytes one = adjust_saturation(adjust_contrast(small(), contrast), saturation).rgb;
    const Bytes other = adjust_contrast(adjust_saturation(small(), saturation), contrast).rgb;
    EXPECT_TRUE(result == one || result == other) << row;
    contrast_first += result == one ? 1 : 0;
  }
  EXPECT_NEAR(contrast_first, 100, 30);
}

// Level 9 of 30: what each operation does to a 64 x 64 image, with its weight among 28.
TEST(Augment, RandAugmentDrawsEachOperationAtItsStrength) {
  std::map<Bytes, int> weight;
  for (const double sign : {-1.0, 1.0}) {
    ++weight[shear_x(small(), sign * 0.09).rgb];
    ++weight[shear_y(small(), sign * 0.09).rgb];
    ++weight[translate(small(), static_cast<std::int64_t>(sign * 8), 0).rgb];  // 0.3 * 150 / 331 * 64 = 8.7
    ++weight[translate(small(), 0, static_cast<std::int64_t>(sign * 8)).rgb];
    ++weight[rotate(small(), sign * 9.0).rgb];
    ++weight[adjust_brightness(small(), 1.0 + sign * 0.27).rgb];
    ++weight[adjust_saturation(small(), 1.0 + sign * 0.27).rgb];
    ++weight[adjust_contrast(small(), 1.0 + sign * 0.27).rgb];
    ++weight[adjust_sharpness(small(), 1.0 + sign * 0.27).rgb];
    ++weight[small().rgb];
    ++weight[posterize(small(), 7).rgb];
    ++weight[solarize(small(), 178.5).rgb];
    ++weight[autocontrast(small()).rgb];
    ++weight[equalize(small()).rgb];
  }
  AugmentOptions options = nothing();
  options.rand_augment = 1;
  std::map<Bytes, int> seen;
  const int count = 5600;
  for (std::int64_t row = 0; row < count; ++row) ++seen[augment(small(), options, {8, 0, row}).rgb];
  ASSERT_EQ(seen.size(), weight.size());
  for (const auto& [image, times] : seen) {
    ASSERT_EQ(weight.count(image), 1U);
    EXPECT_NEAR(times, 200 * weight[image], 85) << weight[image];
  }
}

TEST(Augment, TrivialAugmentDrawsAnyStrength) {
  std::set<Bytes> possible = {small().rgb, autocontrast(small()).rgb, equalize(small()).rgb};
  for (int level = -30; level <= 30; ++level) {
    const double share = level / 30.0;
    possible.insert(
        {shear_x(small(), 0.99 * share).rgb, shear_y(small(), 0.99 * share).rgb,
         translate(small(), static_cast<std::int64_t>(32 * share), 0).rgb,
         translate(small(), 0, static_cast<std::int64_t>(32 * share)).rgb, rotate(small(), 135 * share).rgb,
         adjust_brightness(small(), 1.0 + 0.99 * share).rgb, adjust_saturation(small(), 1.0 + 0.99 * share).rgb,
         adjust_contrast(small(), 1.0 + 0.99 * share).rgb, adjust_sharpness(small(), 1.0 + 0.99 * share).rgb,
         posterize(small(), 8 - static_cast<int>(std::lround(6 * std::abs(share)))).rgb,
         solarize(small(), 255 - 255 * std::abs(share)).rgb});
  }
  AugmentOptions options = nothing();
  options.trivial_augment = true;
  std::set<Bytes> seen;
  for (std::int64_t row = 0; row < 4000; ++row) {
    const Bytes image = augment(small(), options, {8, 0, row}).rgb;
    EXPECT_EQ(possible.count(image), 1U) << row;
    seen.insert(image);
  }
  EXPECT_GT(seen.size(), possible.size() * 9 / 10);
}

TEST(Erase, OneRectangleInEachChannel) {
  ErasingOptions options;
  options.probability = 1.0;
  options.scale_min = 0.1;
  options.scale_max = 0.3;
  const Size size = {50, 40};
  for (std::int64_t row = 0; row < 200; ++row) {
    std::vector<float> values(3 * 2000, 1.0f);
    erase(options, {0, 0, row}, 3, size, values.data());
    Box box = {50, 40, 0, 0};
    std::int64_t erased = 0;
    for (std::int64_t i = 0; i < 2000; ++i) {
      const float value = values[static_cast<std::size_t>(i)];
      EXPECT_EQ(values[static_cast<std::size_t>(2000 + i)], value);
      EXPECT_EQ(values[static_cast<std::size_t>(4000 + i)], value);
      if (value != 0.0f) continue;
      ++erased;
      box.left = std::min(box.left, i % 50);
      box.top = std::min(box.top, i / 50);
      box.width = std::max(box.width, i % 50 + 1 - box.left);
      box.height = std::max(box.height, i / 50 + 1 - box.top);
    }
    EXPECT_EQ(erased, box.width * box.height);
    EXPECT_NEAR(static_cast<double>(erased), 400.0, 230.0);
    const double ratio = static_cast<double>(box.height) / static_cast<double>(box.width);
    EXPECT_TRUE(ratio > 0.27 && ratio < 3.7) << ratio;
  }
}

TEST(Erase, NoiseAndProbability) {
  ErasingOptions options;
  options.noise = true;
  options.probability = 0.25;
  double sum = 0.0;
  double squares = 0.0;
  double count = 0.0;
  int images = 0;
  for (std::int64_t row = 0; row < 400; ++row) {
    std::vector<float> values(3 * 400, 100.0f);
    erase(options, {2, 0, row}, 3, {20, 20}, values.data());
    bool erased = false;
    for (const float value : values) {
      if (value == 100.0f) continue;
      erased = true;
      sum += value;
      squares += value * value;
      count += 1.0;
    }
    images += erased ? 1 : 0;
  }
  EXPECT_NEAR(images, 100, 35);
  EXPECT_NEAR(sum / count, 0.0, 4.0 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1.0, 6.0 / std::sqrt(count));
}

TEST(TestViews, CornersMiddleAndMirrorImages) {
  const io::Image whole = resize_short_side(photo(), 80, ResizeFilter::kBilinear);
  std::vector<io::Image> views;
  ASSERT_EQ(view_count(TestViews::kTenCrop), 10);
  for (std::int64_t i = 0; i < 10; ++i) views.push_back(test_view(photo(), TestViews::kTenCrop, i, 80, 64));
  const std::int64_t right = whole.width - 64;
  EXPECT_EQ(views[0].rgb, crop(whole, {0, 0, 64, 64}).rgb);
  EXPECT_EQ(views[1].rgb, crop(whole, {right, 0, 64, 64}).rgb);
  EXPECT_EQ(views[2].rgb, crop(whole, {0, 16, 64, 64}).rgb);
  EXPECT_EQ(views[3].rgb, crop(whole, {right, 16, 64, 64}).rgb);
  EXPECT_EQ(views[4].rgb, resize_and_center_crop(photo(), 80, 64, ResizeFilter::kBilinear).rgb);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(views[5 + i].rgb, flip_horizontal(views[i]).rgb);
  EXPECT_EQ(view_count(TestViews::kFiveCrop), 5);
  EXPECT_EQ(test_view(photo(), TestViews::kFiveCrop, 2, 80, 64).rgb, views[2].rgb);
  EXPECT_EQ(view_count(TestViews::kFlip), 2);
  EXPECT_EQ(test_view(photo(), TestViews::kFlip, 0, 80, 64).rgb, views[4].rgb);
  EXPECT_EQ(test_view(photo(), TestViews::kFlip, 1, 80, 64).rgb, views[9].rgb);
  EXPECT_EQ(view_count(TestViews::kCenter), 1);
  EXPECT_EQ(test_view(photo(), TestViews::kCenter, 0, 80, 64).rgb, views[4].rgb);
}

TEST(AugmentOptions, RefusesWhatMakesNoSense) {
  const auto message = [](auto&& change) {
    AugmentOptions options;
    change(options);
    return test::message_of(ErrorKind::kUsage, [&] { validate(options); });
  };
  EXPECT_NO_THROW(validate(AugmentOptions{}));
  EXPECT_EQ(message([](AugmentOptions& o) { o.size = 0; }), "augment.size: got 0, expected 1 to 4096");
  EXPECT_EQ(message([](AugmentOptions& o) { o.scale_min = 0.0; }),
            "augment.scale_min, scale_max: got 0 and 1, expected 0 < min <= max <= 1");
  EXPECT_EQ(message([](AugmentOptions& o) { o.erasing.ratio_min = 4.0; }),
            "augment.erasing.ratio_min, erasing.ratio_max: got 4 and 3.3, expected 0 < min <= max <= 1000");
  EXPECT_EQ(message([](AugmentOptions& o) { o.flip = std::nan(""); }), "augment.flip: got nan, expected 0 to 1");
  EXPECT_EQ(message([](AugmentOptions& o) { o.jitter.hue = 0.6; }), "augment.jitter.hue: got 0.6, expected 0 to 0.5");
  EXPECT_EQ(message([](AugmentOptions& o) { o.random_resized_crop = false, o.resize = 200; }),
            "augment.resize: got 200, expected 224 to 4096");
  EXPECT_EQ(message([](AugmentOptions& o) { o.trivial_augment = true, o.rand_augment = 2; }),
            "augment.trivial_augment: got true with rand_augment 2, expected one of the two");
}

}  // namespace
}  // namespace scorevi::data
