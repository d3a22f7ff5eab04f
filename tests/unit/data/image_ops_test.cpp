#include "scorevi/data/image_ops.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "scorevi/core/check.h"
#include "scorevi/core/sha256.h"
#include "scorevi/io/image.h"
#include "support/error_of.h"

namespace scorevi::data {
namespace {

using Json = nlohmann::json;

const std::string kGolden = "tests/golden/vision/";

io::Image source(const std::string& name) { return io::read_image(kGolden + name + ".png").image; }

std::string hash_of(const io::Image& image) {
  return sha256_hex({reinterpret_cast<const char*>(image.rgb.data()), image.rgb.size()});
}

ResizeFilter filter_named(const std::string& name) {
  return name == "bicubic" ? ResizeFilter::kBicubic : ResizeFilter::kBilinear;
}

// The pixels first, for they say more than the hash.
void expect_recorded(const io::Image& image, const Json& expected) {
  ASSERT_EQ(image.width, expected["width"]);
  ASSERT_EQ(image.height, expected["height"]);
  if (expected.contains("probes_x_y_r_g_b")) {
    for (const Json& probe : expected["probes_x_y_r_g_b"]) {
      const std::uint8_t* pixel = image.rgb.data() + 3 * (probe[1].get<int>() * image.width + probe[0].get<int>());
      EXPECT_EQ(Json({pixel[0], pixel[1], pixel[2]}), Json({probe[2], probe[3], probe[4]}))
          << "at " << probe[0] << ", " << probe[1];
    }
  }
  EXPECT_EQ(hash_of(image), expected["sha256_rgb"]);
}

io::Image repeat_recorded(const io::Image& image, const std::string& op, const Json& p) {
  if (op.rfind("resize256", 0) == 0) {
    return resize_and_center_crop(image, p["short_side"], p["crop"], filter_named(p["filter"]));
  }
  if (op.rfind("resized_crop", 0) == 0) {
    return resized_crop(image, {p["left"], p["top"], p["width"], p["height"]}, {p["out"], p["out"]},
                        filter_named(p["filter"]));
  }
  const io::Image cut = resize_and_center_crop(image, 256, 224, ResizeFilter::kBilinear);
  if (op == "hflip") return flip_horizontal(cut);
  return rotate(cut, p["angle"], p["filter"] == "nearest" ? Sampling::kNearest : Sampling::kBilinear);
}

TEST(ImageOps, RecordedPreprocessing) {
  const Json golden = Json::parse(std::ifstream(kGolden + "preprocess.json"));
  for (const Json& entry : golden["images"]) {
    const std::string file = entry["decoded"]["png"];
    const io::Image image = source(file.substr(0, file.size() - 4));
    const bool two_orders = entry["results"].dump().find("horizontal_first") != std::string::npos;
    for (const Json& result : entry["results"]) {
      const std::string op = result["op"];
      if (two_orders && op == "resized_crop") continue;
      SCOPED_TRACE(file + " " + op);
      expect_recorded(repeat_recorded(image, op, result["params"]), result);
    }
  }
}

TEST(ImageOps, RecordedColours) {
  const Json golden = Json::parse(std::ifstream(kGolden + "preprocess.json"));
  using Adjust = io::Image (*)(io::Image, double);
  const std::map<std::string, Adjust> adjust = {{"brightness", adjust_brightness},
                                                {"contrast", adjust_contrast},
                                                {"saturation", adjust_saturation},
                                                {"hue", adjust_hue}};
  for (const auto& [name, results] : golden["jitter"].items()) {
    const io::Image image = source("jitter." + name);
    for (const Json& result : results) {
      const std::string op = result["op"];
      if (op == "source") continue;
      SCOPED_TRACE(name + " " + op);
      const std::size_t bar = op.find('_');
      expect_recorded(adjust.at(op.substr(0, bar))(image, std::stod(op.substr(bar + 1))), result);
    }
  }
}

// `params` as in tests/golden/vision/README.md.
io::Image repeat_op(const io::Image& image, const std::string& op, const std::vector<double>& p) {
  const auto whole = [&](std::size_t i) { return static_cast<std::int64_t>(p.at(i)); };
  const auto filter = [&](std::size_t i) { return p.at(i) == 1.0 ? ResizeFilter::kBicubic : ResizeFilter::kBilinear; };
  const auto sampling = [&](std::size_t i) { return p.at(i) == 1.0 ? Sampling::kBilinear : Sampling::kNearest; };
  if (op == "resize") return resize(image, {whole(0), whole(1)}, filter(2));
  if (op == "short") return resize_short_side(image, whole(0), filter(1));
  if (op == "eval") return resize_and_center_crop(image, whole(0), whole(1), filter(2));
  if (op == "rcrop") {
    return resized_crop(image, {whole(1), whole(0), whole(3), whole(2)}, {whole(4), whole(5)}, filter(6));
  }
  if (op == "rotate") return rotate(image, p.at(0), sampling(1));
  if (op == "shearx") return shear_x(image, p.at(0), sampling(1));
  if (op == "sheary") return shear_y(image, p.at(0), sampling(1));
  if (op == "translate") return translate(image, whole(0), whole(1));
  if (op == "posterize") return posterize(image, static_cast<int>(p.at(0)));
  if (op == "solarize") return solarize(image, p.at(0));
  if (op == "autocontrast") return autocontrast(image);
  if (op == "equalize") return equalize(image);
  if (op == "sharpness") return adjust_sharpness(image, p.at(0));
  if (op == "brightness") return adjust_brightness(image, p.at(0));
  if (op == "contrast") return adjust_contrast(image, p.at(0));
  if (op == "saturation") return adjust_saturation(image, p.at(0));
  if (op == "hue") return adjust_hue(image, p.at(0));
  throw std::runtime_error("unknown operation " + op);
}

TEST(ImageOps, RecordedOperations) {
  const Json golden = Json::parse(std::ifstream(kGolden + "ops.json"));
  ASSERT_GT(golden["cases"].size(), 200U);
  for (const Json& entry : golden["cases"]) {
    SCOPED_TRACE(entry.dump());
    expect_recorded(repeat_op(source(entry["source"]), entry["op"], entry["params"]), entry);
  }
}

TEST(ImageOps, ShortSideAndCenter) {
  EXPECT_EQ(short_side_size({600, 234}, 256).width, 656);  // 656.4
  EXPECT_EQ(short_side_size({177, 300}, 256).height, 433);
  EXPECT_EQ(center_box({433, 331}, {224, 224}).left, 104);  // 104.5 to the even number
  EXPECT_EQ(center_box({433, 331}, {224, 224}).top, 54);    // 53.5 to the even number
}

// Windows give the pixels that the whole has there, bytes of the rows around them or not.
TEST(ImageOps, CroppedResizeIsTheCropOfTheResize) {
  const io::Image image = source("Bengal_157");
  const io::Image whole = resize_short_side(image, 97, ResizeFilter::kBicubic);
  const io::Image cut = resize_and_center_crop(image, 97, 41, ResizeFilter::kBicubic);
  EXPECT_EQ(cut.rgb, crop(whole, center_box({whole.width, whole.height}, {41, 41})).rgb);
  const Box box = {17, 200, 30, 46};
  EXPECT_EQ(resized_crop(image, box, {64, 20}, ResizeFilter::kBilinear).rgb,
            resize(crop(image, box), {64, 20}, ResizeFilter::kBilinear).rgb);
}

TEST(ImageOps, AStripDoesNotBecomeGigabytes) {
  io::Image strip{100000, 1, std::vector<std::uint8_t>(300000, 7)};
  const std::string message =
      test::message_of(ErrorKind::kData, [&] { resize_short_side(strip, 256, ResizeFilter::kBilinear); });
  EXPECT_EQ(message, "image: resize, got 25600000 x 256 pixels, expected at most 268435456 in all");
  const io::Image cut = resize_and_center_crop(strip, 256, 224, ResizeFilter::kBicubic);
  EXPECT_EQ(cut.rgb, std::vector<std::uint8_t>(3 * 224 * 224, 7));
}

TEST(ImageOps, ChecksImagesAndBoxes) {
  const io::Image short_of_a_byte{2, 2, std::vector<std::uint8_t>(11)};
  EXPECT_THROW(resize(short_of_a_byte, {1, 1}, ResizeFilter::kBilinear), InternalError);
  EXPECT_THROW(flip_horizontal(io::Image{}), InternalError);
  const io::Image image{2, 2, std::vector<std::uint8_t>(12)};
  EXPECT_THROW(crop(image, {1, 0, 2, 1}), InternalError);
  EXPECT_THROW(crop(image, {0, 0, 0, 1}), InternalError);
  EXPECT_THROW(resized_crop(image, {0, -1, 1, 1}, {1, 1}, ResizeFilter::kBilinear), InternalError);
  EXPECT_THROW(adjust_contrast(image, -0.5), InternalError);
  EXPECT_THROW(resize(image, {0, 1}, ResizeFilter::kBilinear), InternalError);
}

}  // namespace
}  // namespace scorevi::data
