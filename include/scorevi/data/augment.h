// Random changes of training images, and the views of an image at test time.
//
// The same image comes out for the same (seed, epoch, row), whatever the threads do: all choices are drawn from
// CounterRng(seed, Purpose::kAugmentation, epoch, row), each stage from words of its own, so that switching one stage
// on does not change what another draws. Distributions are those of torchvision 0.26.
#pragma once

#include <cstdint>
#include <vector>

#include "scorevi/data/image_ops.h"

namespace scorevi::data {

// Half widths; 0 leaves the property alone. Factors are uniform in [max(0, 1 - x), 1 + x], the hue in [-hue, hue]; the
// four are applied in a random order.
struct JitterOptions {
  double brightness = 0.0;
  double contrast = 0.0;
  double saturation = 0.0;
  double hue = 0.0;  // at most 0.5
};

// Overwrites one rectangle of the normalised values. Zhong et al., "Random erasing data augmentation", AAAI 2020.
struct ErasingOptions {
  double probability = 0.0;
  double scale_min = 0.02, scale_max = 0.33;  // share of the area
  double ratio_min = 0.3, ratio_max = 3.3;    // height / width, uniform in its logarithm
  bool noise = false;                         // N(0, 1) instead of 0
};

// The stages in their order; the erasing belongs to the floats and has a function of its own.
struct AugmentOptions {
  std::int64_t size = 224;  // of the result, a square
  ResizeFilter filter = ResizeFilter::kBilinear;

  // A random box, resized. Otherwise the short side becomes `resize` and the middle is cut out.
  bool random_resized_crop = true;
  double scale_min = 0.08, scale_max = 1.0;             // share of the image's area
  double ratio_min = 3.0 / 4.0, ratio_max = 4.0 / 3.0;  // width / height, uniform in its logarithm
  std::int64_t resize = 256;
  // Then moved by up to so many pixels each way, what comes from outside is black: torchvision's crop with padding.
  std::int64_t shift = 0;

  double flip = 0.5;                       // probability of a horizontal flip
  double rotation = 0.0;                   // degrees: uniform in [-rotation, rotation]
  Sampling sampling = Sampling::kNearest;  // of rotation, rand_augment and trivial_augment
  JitterOptions jitter;

  // Cubuk et al., "RandAugment", CVPR-W 2020: so many of 14 operations at random, each with this magnitude. 0: none.
  std::int64_t rand_augment = 0;
  std::int64_t rand_magnitude = 9;  // 0 to 30
  // Mueller, Hutter, "TrivialAugment", ICCV 2021: one of 14 operations, its strength random in a wider range.
  bool trivial_augment = false;

  ErasingOptions erasing;
};

// Throws Error(kUsage) that names the first entry with a value that makes no sense.
void validate(const AugmentOptions& options);

struct AugmentKey {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;  // 0 to 2^32 - 1, and the same for
  std::int64_t row = 0;    // the row of the data set
};

// A training image of size x size pixels. `options` must be valid. Thread safe.
io::Image augment(const io::Image& image, const AugmentOptions& options, const AugmentKey& key);

// Random erasing of `channels` planes of size.height rows, size.width values each.
void erase(const ErasingOptions& options, const AugmentKey& key, std::int64_t channels, Size size, float* values);

// Views of one image whose predictions are averaged at test time. kFlip: the middle and its mirror image. kFiveCrop:
// the four corners from left to right, from the top, then the middle. kTenCrop: those and then their mirror images.
enum class TestViews { kCenter, kFlip, kFiveCrop, kTenCrop };
std::int64_t view_count(TestViews views);

// View number `view` of them: short side to `resize`, then a square of `size` <= `resize`.
io::Image test_view(const io::Image& image, TestViews views, std::int64_t view, std::int64_t resize, std::int64_t size,
                    ResizeFilter filter = ResizeFilter::kBilinear);

}  // namespace scorevi::data
