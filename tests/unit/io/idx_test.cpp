#include "scorevi/io/idx.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gzip_bytes.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::io {
namespace {

using test::message_of;
using ::testing::HasSubstr;

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out.push_back(static_cast<char>(value));
  return out;
}

// Two images of 2 x 3.
std::string images() {
  return bytes({0, 0, 8, 3, 0, 0, 0,   2,   0,   0,   0,   2,  0, 0, 0, 3,  //
                0, 1, 2, 3, 4, 5, 255, 254, 253, 252, 251, 250});
}

TEST(Idx, ImagesAndLabels) {
  const at::Tensor x = parse_idx(images(), "x");
  EXPECT_EQ(x.sizes(), at::IntArrayRef({2, 2, 3}));
  EXPECT_EQ(x.scalar_type(), at::kByte);
  EXPECT_EQ(x[0][1][2].item<int>(), 5);
  EXPECT_EQ(x[1][0][0].item<int>(), 255);
  const at::Tensor y = parse_idx(bytes({0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 9}), "y");
  EXPECT_TRUE(at::equal(y, at::tensor({7, 0, 9}, at::kByte)));
}

TEST(Idx, IsKnownByItsFirstBytes) {
  EXPECT_TRUE(begins_like_idx(images()));
  EXPECT_TRUE(begins_like_idx(bytes({0, 0, 8, 1})));
  EXPECT_FALSE(begins_like_idx(bytes({0, 0, 8})));
  EXPECT_FALSE(begins_like_idx(bytes({0, 0, 8, 9})));
  EXPECT_FALSE(begins_like_idx("x,y\n"));
}

TEST(Idx, RawOrGzipByContent) {
  const test::TempDir dir;
  const at::Tensor raw = read_idx(dir.write("a.gz", images()));
  const at::Tensor packed = read_idx(dir.write("b", test::gzip_bytes(images())));
  EXPECT_TRUE(at::equal(raw, packed));
}

TEST(Idx, WrongMagicIsNamed) {
  EXPECT_THAT(message_of(ErrorKind::kData, [] { parse_idx("<html>, not it", "x"); }),
              HasSubstr("not an idx file: magic 0x3c68746d, expected 0x00000801"));
  EXPECT_THAT(message_of(ErrorKind::kData, [] { parse_idx("", "x"); }), HasSubstr("0 bytes"));
  std::string doubles = images();
  doubles[2] = 0x0E;
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { parse_idx(doubles, "x"); }),
              HasSubstr("element type double (0x0e), expected unsigned byte"));
}

TEST(Idx, ShortAndLongFilesTellBothCounts) {
  const std::string all = images();
  for (std::size_t n = 0; n < all.size(); ++n) {
    EXPECT_THROW(parse_idx(all.substr(0, n), "x"), Error) << n;
  }
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { parse_idx(all.substr(0, 20), "x"); }),
              HasSubstr("found 4 data bytes, expected 12 for sizes 2 x 2 x 3"));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { parse_idx(all + "z", "x"); }),
              HasSubstr("found 13 data bytes, expected 12"));
}

TEST(Idx, SizesThatCannotBe) {
  const std::string huge = bytes({0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { parse_idx(huge, "x"); }), HasSubstr("are impossible"));
  EXPECT_THAT(message_of(ErrorKind::kData,
                         [] {
                           parse_idx(bytes({0, 0, 8, 1, 0, 0, 0, 0}), "x");
                         }),
              HasSubstr("dimension 0 is 0"));
}

}  // namespace
}  // namespace scorevi::io
