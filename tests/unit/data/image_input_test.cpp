#include "scorevi/data/image_input.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "scorevi/core/sha256.h"
#include "scorevi/io/image.h"
#include "support/error_of.h"

namespace scorevi::data {
namespace {

using Json = nlohmann::json;

TEST(PixelScale, TheFloatsOfTorchvision) {
  const std::string folder = "tests/golden/vision/";
  const Json golden = Json::parse(std::ifstream(folder + "ops.json"))["planes"];
  const PixelScale scale(golden["mean"], golden["std"]);
  for (const Json& entry : golden["cases"]) {
    const io::Image image = io::read_image(folder + entry["source"].get<std::string>() + ".png").image;
    std::vector<float> planes(image.rgb.size());
    scale.write_planes(image, planes.data());
    EXPECT_EQ(sha256_hex({reinterpret_cast<const char*>(planes.data()), planes.size() * sizeof(float)}),
              entry["sha256_float32"])
        << entry["source"];
  }
}

TEST(PixelScale, PlanesAreRowsOfOneColour) {
  const io::Image image{2, 1, {0, 51, 102, 255, 153, 204}};
  std::vector<float> planes(6);
  PixelScale({0.0, 0.0, 0.5}, {1.0, 2.0, 1.0}).write_planes(image, planes.data());
  const std::vector<float> expected = {0.0f, 1.0f, 0.1f, 0.3f, -0.1f, 0.3f};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(planes[i], expected[i]) << i;
}

TEST(PixelScale, RefusesWhatCannotDivide) {
  const std::array<double, 3> ones = {1.0, 1.0, 1.0};
  EXPECT_EQ(test::message_of(ErrorKind::kUsage,
                             [&] {
                               PixelScale(ones, {1.0, 0.0, 1.0});
                             }),
            "std[1]: got 0, expected a number above 0");
  EXPECT_EQ(test::message_of(ErrorKind::kUsage,
                             [&] {
                               PixelScale({1.0, 1.0, std::numeric_limits<double>::quiet_NaN()}, ones);
                             }),
            "mean[2]: got nan, expected a number");
}

}  // namespace
}  // namespace scorevi::data
