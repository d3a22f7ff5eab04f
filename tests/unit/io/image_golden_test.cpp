// Every file of tests/golden/images ends as its expected.json says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "scorevi/core/error.h"
#include "scorevi/core/sha256.h"
#include "scorevi/io/image.h"

namespace scorevi::io {
namespace {

using nlohmann::json;

const char* const kFolder = "tests/golden/images/";
constexpr std::size_t kCases = 191;
constexpr std::size_t kMaxMessage = 500;

// Where the outcome is another than the preferred one, and why.
const std::map<std::string, std::string> kOtherOutcome = {
    {"files/bombs/png_ztxt_64mb.png", "decode_ok"},  // the text chunk is skipped, the picture is sound
    {"files/jpeg_damaged/entropy_removed_silently.jpg", "decode_ok"},  // libjpeg cannot notice
    {"files/jpeg_damaged/no_entropy_data.jpg", "error"},               // nothing of it would be seen
    {"files/webp_optional/lossless.webp", "error"},                    // not supported, named
    {"files/webp_optional/lossy.webp", "error"},
    {"files/webp_optional/unsupported_kind.jp2", "error"},
    {"files/webp_optional/unsupported_kind.tif", "error"},
};

json expected() {
  std::ifstream in(std::string(kFolder) + "expected.json");
  return json::parse(in);
}

std::string sha256_of(const Image& image) {
  return sha256_hex({reinterpret_cast<const char*>(image.rgb.data()), image.rgb.size()});
}

// The reference pixels, which lie there as PNG; their recorded hash says whether they were read right.
Image reference(const std::string& file, const std::string& sha256) {
  const Image image = read_image(kFolder + file).image;
  EXPECT_EQ(sha256_of(image), sha256) << file;
  return image;
}

double mean_difference(const Image& a, const Image& b, std::int64_t first_row, std::int64_t end_row) {
  double sum = 0;
  for (std::int64_t i = 3 * a.width * first_row; i < 3 * a.width * end_row; ++i) {
    sum += std::abs(int{a.rgb[static_cast<std::size_t>(i)]} - int{b.rgb[static_cast<std::size_t>(i)]});
  }
  return sum / std::max<double>(1.0, 3.0 * static_cast<double>(a.width * (end_row - first_row)));
}

void expect_rows(const Image& got, const Image& want, double tolerance, std::int64_t first_row, std::int64_t end_row) {
  ASSERT_EQ(got.width, want.width);
  ASSERT_EQ(got.height, want.height);
  ASSERT_EQ(got.rgb.size(), want.rgb.size());
  EXPECT_LE(mean_difference(got, want, first_row, end_row), tolerance);
}

// 16-bit grey: ours is the alternative that expected.json calls better.
bool is_an_alternative(const json& one, const Image& got) {
  if (one["file"] != "files/png/grey16.png") return false;
  const json& alternative = one["alternatives"][0];
  return sha256_of(got) == alternative["rgb_sha256"].get<std::string>();
}

void expect_pixels(const json& one, const DecodedImage& got) {
  EXPECT_EQ(got.image.width, one["width"]);
  EXPECT_EQ(got.image.height, one["height"]);
  EXPECT_EQ(got.image.rgb.size(), static_cast<std::size_t>(3 * got.image.width * got.image.height));
  if (!one.contains("rgb") || is_an_alternative(one, got.image)) return;
  const Image want = reference(one["rgb"], one["rgb_sha256"]);
  const double tolerance = one.value("tolerance", json::object()).value("mean_abs", 0.0);
  expect_rows(got.image, want, tolerance, 0, one.value("intact_rows", want.height));
  if (one.contains("recovered_rows")) {
    expect_rows(got.image, want, tolerance, one["recovered_rows"][0], one["recovered_rows"][1]);
  }
}

void expect_upright(const json& one, const std::string& path) {
  ImageOptions options;
  options.exif = ExifMode::kApply;
  const DecodedImage got = read_image(path, options);
  const json& applied = one["exif_applied"];
  const Image want = reference(applied["rgb"], applied["rgb_sha256"]);
  EXPECT_EQ(want.width, applied["width"]);
  expect_rows(got.image, want, one["tolerance"]["mean_abs"], 0, want.height);
  const int tag = one["orientation_tag"].is_null() ? 1 : one["orientation_tag"].get<int>();
  EXPECT_EQ(got.orientation, tag >= 1 && tag <= 8 ? tag : 1);
}

void expect_message(const std::string& message, const std::string& path) {
  EXPECT_THAT(message, ::testing::StartsWith(path + ": "));
  EXPECT_GT(message.size(), path.size() + 10);
  EXPECT_LT(message.size(), kMaxMessage);
}

void expect_decoded(const json& one, const std::string& path, const DecodedImage& got, const std::string& outcome) {
  expect_pixels(one, got);
  const std::string format = one.value("real_format", got.format);
  EXPECT_EQ(got.format, format == "MPO" ? "JPEG" : format);  // several JPEGs, the first one counts
  EXPECT_EQ(got.partial, outcome == "decode_partial_with_warning");
  EXPECT_LE(got.warnings.size(), 1u);
  EXPECT_TRUE(!got.partial || got.warnings.size() == 1);
  for (const std::string& warning : got.warnings) expect_message(warning, path);
  const ImageHeader header = read_image_header(path);
  EXPECT_EQ(header.format, got.format);
  EXPECT_EQ(header.width, got.image.width);
  EXPECT_EQ(header.height, got.image.height);
  EXPECT_EQ(header.orientation, got.orientation);
  if (one.contains("exif_applied")) expect_upright(one, path);
}

TEST(ImageGolden, EveryFileHasItsOutcome) {
  const json cases = expected()["cases"];
  ASSERT_EQ(cases.size(), kCases);
  for (const json& one : cases) {
    const std::string file = one["file"];
    const std::string path = kFolder + file;
    SCOPED_TRACE(path);
    const auto other = kOtherOutcome.find(file);
    const std::string outcome = other == kOtherOutcome.end() ? one["accept"][0].get<std::string>() : other->second;
    EXPECT_NE(std::find(one["accept"].begin(), one["accept"].end(), outcome), one["accept"].end());
    try {
      const DecodedImage got = read_image(path);
      ASSERT_NE(outcome, "error") << "it was decoded";
      expect_decoded(one, path, got, outcome);
    } catch (const Error& error) {
      EXPECT_EQ(outcome, "error") << error.what();
      EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::kData));
      expect_message(error.what(), path);
    }
  }
}

// Sound pictures come without a word, but for these.
TEST(ImageGolden, NoWarningWithoutReason) {
  std::set<std::string> warned;
  const json golden = expected();
  for (const json& one : golden["cases"]) {
    if (one["accept"][0] == "decode_ok" && !one.value("optional", false) &&
        !read_image(kFolder + one["file"].get<std::string>()).warnings.empty()) {
      warned.insert(one["file"].get<std::string>());
    }
  }
  EXPECT_THAT(warned, ::testing::ElementsAre("files/jpeg/extraneous_bytes_before_eoi.jpg",
                                             "files/jpeg/extraneous_bytes_in_header.jpg", "files/png/no_iend.png"));
}

// What the file is, or what is wrong with it, stands in the message.
TEST(ImageGolden, ErrorsGiveTheReason) {
  const std::map<std::string, std::string> reasons = {
      {"files/not_images/zero_bytes.jpg", "the file is empty"},
      {"files/not_images/one_byte.jpg", "first bytes"},
      {"files/not_images/html_error_page.jpg", "HTML page"},
      {"files/not_images/text.jpg", "text"},
      {"files/not_images/git_lfs_pointer.jpg", "Git LFS pointer"},
      {"files/not_images/all_zeros.jpg", "5000 zero bytes"},
      {"files/not_images/gzip_of_a_jpeg.jpg", "gzip"},
      {"files/not_images/base64.jpg", "base64 text of a JPEG"},
      {"files/not_images/utf8_mangled.jpg", "changed as if it were text"},
      {"files/not_images/dir.jpg", "is a folder"},
      {"files/names/._x.jpg", "AppleDouble"},
      {"files/names/.DS_Store", ".DS_Store"},
      {"files/names/Thumbs.db", "OLE file"},
      {"files/webp_optional/lossy.webp", "WebP is not supported"},
      {"files/webp_optional/unsupported_kind.tif", "TIFF is not supported"},
      {"files/webp_optional/unsupported_kind.jp2", "JPEG 2000 is not supported"},
      {"files/bombs/png_claims_100000x100000.png",
       "claims too much, got 100000 x 100000 pixels, expected at most 178956970"},
      {"files/bombs/png_claims_2_31.png", "got 2147483647 x 2147483647 pixels"},
      {"files/bombs/jpeg_claims_65500x65500.jpg", "got 65500 x 65500 pixels"},
      {"files/bombs/jpeg_progressive_claims_65500x65500.jpg", "got 65500 x 65500 pixels"},
      {"files/bombs/gif_claims_65535x65535.gif", "got 65535 x 65535 pixels"},
      {"files/bombs/bmp_claims_100000x100000.bmp", "got 100000 x 100000 pixels"},
      {"files/bombs/png_real_20000x20000_1bit.png", "got 20000 x 20000 pixels"},
      {"files/jpeg_damaged/header_cut_in_tables.jpg", "Premature end"},
      {"files/jpeg_damaged/no_entropy_data.jpg", "damaged before its first rows are whole: Premature end"},
      {"files/jpeg_damaged/precision_12.jpg", "precision 12"},
      {"files/jpeg_damaged/height_0.jpg", "0"},
      {"files/jpeg_damaged/no_quantization_tables.jpg", "uantization table"},
      {"files/png_damaged/wrong_crc_idat.png", "CRC error"},
      {"files/png_damaged/wrong_crc_ancillary.png", "CRC error"},
      {"files/png_damaged/truncated_25.png", "cut short"},
      {"files/png_damaged/palette_index_out_of_range.png", "got colour 250 at pixel"},
      {"files/gif_bmp_damaged/truncated_60.gif", "cut short"},
      {"files/gif_bmp_damaged/header_only.gif", "cut short"},
      {"files/gif_bmp_damaged/lzw_code_size_13.gif", "damaged pixel codes"},
      {"files/gif_bmp_damaged/truncated.bmp", "cut short"},
  };
  for (const auto& [file, reason] : reasons) {
    try {
      read_image(kFolder + file);
      ADD_FAILURE() << file << " was decoded";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(reason));
    }
  }
}

}  // namespace
}  // namespace scorevi::io
