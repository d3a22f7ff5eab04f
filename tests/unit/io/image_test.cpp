#include "scorevi/io/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::io {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string golden(const std::string& file) {
  std::stringstream bytes;
  bytes << std::ifstream("tests/golden/images/files/" + file, std::ios::binary).rdbuf();
  return bytes.str();
}

std::string refusal(const std::string& bytes, const ImageOptions& options = {}) {
  return message_of(ErrorKind::kData, [&] { decode_image(bytes, "x", options); });
}

// An APP1 segment with an orientation in a big-endian IFD0, behind the start marker of a JPEG.
std::string with_orientation(const std::string& jpeg, char orientation, char entries = 1) {
  const std::string tiff("MM\0*\0\0\0\x08\0", 9);
  const std::string entry = std::string("\x01\x12\0\x03\0\0\0\x01\0", 9) + orientation + std::string(2, '\0');
  const std::string body = std::string("Exif\0\0", 6) + tiff + entries + entry + std::string(4, '\0');
  return jpeg.substr(0, 2) + "\xFF\xE1" + '\0' + static_cast<char>(body.size() + 2) + body + jpeg.substr(2);
}

TEST(Image, ContentDecidesNotTheName) {
  const test::TempDir dir;
  EXPECT_EQ(read_image(dir.write("a.jpg", golden("sizes/1x1.png"))).format, "PNG");
  EXPECT_EQ(read_image(dir.write("a.png", golden("sizes/1x1.gif"))).format, "GIF");
  EXPECT_EQ(read_image(dir.write("a", golden("sizes/1x1.jpg"))).format, "JPEG");
}

TEST(Image, FilesThatCannotBeReadAreNamed) {
  const test::TempDir dir;
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { read_image(dir.file("none.jpg")); }),
              AllOf(StartsWith(dir.file("none.jpg") + ": "), HasSubstr("No such file")));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { read_image(dir.path().string()); }), HasSubstr("is a folder"));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { read_image_header(dir.write("e.jpg", "")); }), HasSubstr("is empty"));
}

TEST(Image, AnyNameOfAFile) {
  const test::TempDir dir;
  for (const char* name : {"  leading and trailing .jpg", "double \"quote\".jpg", "tab\there.jpg", "new\nline.jpg",
                           "back\\slash.jpg", "$(HOME)`id`.jpg", "\xD0\xBA\xF0\x9F\x90\x88.jpg", "latin1_\xE9.jpg"}) {
    EXPECT_EQ(read_image(dir.write(name, golden("names/with space.jpg"))).image.width, 97) << name;
  }
}

TEST(Image, RowsFromTheTopThreeBytesAPixel) {
  const Image image = read_image("tests/golden/images/files/sizes/2x3_interlaced.png").image;
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 3);
  EXPECT_EQ(image.rgb.size(), 18u);
}

TEST(Image, OrientationIsReportedAndAppliedOnRequest) {
  const std::string jpeg = golden("sizes/3x2.jpg");
  const Image stored = decode_image(jpeg, "x").image;
  for (char orientation = 1; orientation <= 8; ++orientation) {
    const DecodedImage ignored = decode_image(with_orientation(jpeg, orientation), "x");
    EXPECT_EQ(ignored.orientation, orientation);
    EXPECT_EQ(ignored.image.rgb, stored.rgb);
    EXPECT_EQ(decode_image_header(with_orientation(jpeg, orientation), "x").orientation, orientation);
  }
  ImageOptions apply;
  apply.exif = ExifMode::kApply;
  const Image turned = decode_image(with_orientation(jpeg, 6), "x", apply).image;  // clockwise by a quarter
  ASSERT_EQ(turned.width, 2);
  ASSERT_EQ(turned.height, 3);
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 2; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(turned.rgb[3 * (2 * y + x) + c], stored.rgb[3 * (3 * (1 - x) + y) + c]);
      }
    }
  }
}

TEST(Image, DamagedExifIsNoOrientation) {
  const std::string jpeg = golden("sizes/3x2.jpg");
  EXPECT_EQ(decode_image(with_orientation(jpeg, 0), "x").orientation, 1);
  EXPECT_EQ(decode_image(with_orientation(jpeg, 9), "x").orientation, 1);
  EXPECT_EQ(decode_image(with_orientation(jpeg, 6, /*entries=*/2), "x").orientation, 1);  // runs past the block
  const std::string whole = with_orientation(jpeg, 6);
  for (std::size_t at = 12; at < 38; ++at) {
    for (const char value : {'\0', '\x7F', '\xFF'}) {
      std::string changed = whole;
      changed[at] = value;
      EXPECT_EQ(decode_image(changed, "x").image.width, 3) << at;
    }
  }
}

TEST(Image, SizesAreCheckedBeforeAnythingIsAllocated) {
  ImageOptions options;
  options.max_pixels = 97 * 75;
  const std::string jpeg = golden("jpeg/baseline_420.jpg");
  EXPECT_EQ(decode_image(jpeg, "x", options).image.width, 97);
  --options.max_pixels;
  for (const char* file : {"jpeg/baseline_420.jpg", "png/rgb8.png", "gif/single_89a.gif", "bmp/rgb24.bmp"}) {
    EXPECT_THAT(refusal(golden(file), options), HasSubstr("got 97 x 75 pixels, expected at most 7274")) << file;
  }
}

// 8000 x 8000 is below the limit, but no such file can hold it.
TEST(Image, SizesThatTheFileCannotHold) {
  std::string jpeg = golden("jpeg/baseline_420.jpg");
  const std::size_t frame = jpeg.find("\xFF\xC0");
  jpeg.replace(frame + 5, 4, "\x1F\x40\x1F\x40");
  EXPECT_THAT(refusal(jpeg), HasSubstr("claims 8000 x 8000 pixels, more than a file of 4392 bytes can hold"));
  std::string png = golden("sizes/1x1.png");
  png.replace(16, 8, std::string("\0\0\x1F\x40\0\0\x1F\x40", 8));
  EXPECT_THAT(refusal(png), HasSubstr("more than a file of 69 bytes can hold"));
  std::string gif = golden("sizes/1x1.gif");
  gif.replace(6, 4, "\x40\x1F\x40\x1F");
  EXPECT_THAT(refusal(gif), HasSubstr("more than a file of 35 bytes can hold"));
  EXPECT_EQ(decode_image_header(gif, "x").width, 8000);
}

TEST(Image, EveryTruncationIsRefusedOrWarnedOf) {
  const std::string jpeg = golden("sizes/3x2.jpg");
  const std::size_t end_marker = jpeg.size() - 2;
  for (std::size_t size = 0; size <= end_marker; ++size) {
    try {
      const DecodedImage got = decode_image(jpeg.substr(0, size), "x");
      EXPECT_TRUE(got.partial) << size;
      EXPECT_EQ(got.warnings.size(), 1u) << size;
    } catch (const Error& error) {
      EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::kData));
    }
  }
  // The last bytes do not matter: checksum of IDAT and the end chunk; trailer; end of row and picture.
  const std::vector<std::pair<const char*, std::size_t>> files = {
      {"sizes/2x3_interlaced.png", 20}, {"png/palette1.png", 20}, {"sizes/1x1.gif", 2}, {"bmp/palette8_rle.bmp", 4}};
  for (const auto& [file, optional] : files) {
    const std::string bytes = golden(file);
    for (std::size_t size = 0; size + optional < bytes.size(); ++size) {
      EXPECT_THROW(decode_image(bytes.substr(0, size), "x"), Error) << file << " " << size;
    }
  }
}

TEST(ImageReduction, TheLargestThatKeepsTheLeastSize) {
  struct Case {
    std::int64_t width, height;
    int reduction;
  };
  const std::string jpeg = golden("jpeg/baseline_420_aligned.jpg");  // 160 x 128
  for (const Case& one : {Case{0, 0, 1}, Case{161, 1, 1}, Case{160, 128, 1}, Case{81, 1, 1}, Case{1, 65, 1},
                          Case{80, 64, 2}, Case{41, 1, 2}, Case{40, 32, 4}, Case{20, 16, 8}, Case{1, 0, 8}}) {
    ImageOptions options;
    options.least_width = one.width;
    options.least_height = one.height;
    const DecodedImage got = decode_image(jpeg, "x", options);
    EXPECT_EQ(got.reduction, one.reduction) << one.width << " " << one.height;
    EXPECT_EQ(got.image.width, 160 / one.reduction);
    EXPECT_EQ(got.image.height, 128 / one.reduction);
  }
}

TEST(ImageReduction, SidesAreRoundedUpAndTurned) {
  ImageOptions options;
  options.least_width = 49;
  options.least_height = 38;
  const std::string jpeg = golden("jpeg/baseline_420.jpg");  // 97 x 75
  const DecodedImage got = decode_image(jpeg, "x", options);
  EXPECT_THAT(std::vector<std::int64_t>({got.reduction, got.image.width, got.image.height}), ElementsAre(2, 49, 38));
  options.exif = ExifMode::kApply;
  EXPECT_EQ(decode_image(with_orientation(jpeg, 6), "x", options).reduction, 1);  // upright 75 x 97: 38 x 49 is narrow
  std::swap(options.least_width, options.least_height);
  const Image turned = decode_image(with_orientation(jpeg, 6), "x", options).image;
  EXPECT_THAT(std::vector<std::int64_t>({turned.width, turned.height}), ElementsAre(38, 49));
}

TEST(ImageReduction, ShowsTheMeansOfBlocks) {
  const std::string jpeg = golden("jpeg/baseline_444.jpg");
  const Image full = decode_image(jpeg, "x").image;
  ImageOptions options;
  options.least_width = 1;
  const DecodedImage got = decode_image(jpeg, "x", options);
  ASSERT_EQ(got.reduction, 8);
  double difference = 0;
  for (std::int64_t y = 0; y < 9; ++y) {
    for (std::int64_t x = 0; x < 12; ++x) {
      double mean = 0;
      for (std::int64_t i = 0; i < 64; ++i) mean += full.rgb[3 * ((8 * y + i / 8) * full.width + 8 * x + i % 8)] / 64.0;
      difference += std::abs(mean - got.image.rgb[3 * (y * got.image.width + x)]) / (9 * 12);
    }
  }
  EXPECT_LT(difference, 2.0);
}

TEST(ImageReduction, OtherFormatsKeepTheirSize) {
  ImageOptions options;
  options.least_width = 1;
  EXPECT_EQ(decode_image(golden("png/rgb8.png"), "x", options).image.width, 97);
  EXPECT_EQ(decode_image(golden("bmp/rgb24.bmp"), "x", options).reduction, 1);
}

TEST(Image, CmykAndGreyAtReducedSize) {
  ImageOptions options;
  options.least_width = 1;
  for (const char* file : {"jpeg/cmyk_adobe_inverted.jpg", "jpeg/ycck_adobe2_420.jpg", "jpeg/grey_progressive.jpg"}) {
    const DecodedImage got = decode_image(golden(file), "x", options);
    EXPECT_EQ(got.reduction, 8) << file;
    EXPECT_EQ(got.image.rgb.size(), static_cast<std::size_t>(3 * got.image.width * got.image.height)) << file;
  }
}

// A progressive file that repeats a scan header costs a pass over the picture each time.
TEST(Image, EndlessScansAreRefused) {
  const std::string jpeg = golden("jpeg/progressive_420.jpg");
  const std::size_t scan = jpeg.find("\xFF\xDA");
  const std::size_t next = jpeg.find("\xFF\xC4", scan);
  ASSERT_NE(next, std::string::npos);
  std::string many = jpeg.substr(0, scan);
  for (int i = 0; i < 200; ++i) many += jpeg.substr(scan, next - scan);
  EXPECT_THAT(refusal(many + "\xFF\xD9"), HasSubstr("more than 100 scans"));
}

}  // namespace
}  // namespace scorevi::io
