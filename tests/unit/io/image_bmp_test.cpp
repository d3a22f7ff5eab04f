// BMP kinds of which tests/golden/images holds no file, byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/io/image.h"
#include "support/error_of.h"

namespace scorevi::io {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string little(std::uint32_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

struct Bmp {
  std::int32_t width = 1, height = 1;
  std::uint32_t bits = 24, compression = 0, colours_used = 0;
  std::string behind_header;  // masks and colour table
  std::string pixels;
  std::size_t header_bytes = 40;

  std::string bytes() const {
    const auto pixels_at = static_cast<std::uint32_t>(14 + header_bytes + behind_header.size());
    std::string info = little(static_cast<std::uint32_t>(header_bytes), 4);
    info += little(static_cast<std::uint32_t>(width), 4) + little(static_cast<std::uint32_t>(height), 4);
    info += little(1, 2) + little(bits, 2) + little(compression, 4) + std::string(12, '\0') + little(colours_used, 4);
    info.resize(header_bytes, '\0');
    return "BM" + std::string(8, '\0') + little(pixels_at, 4) + info + behind_header + pixels;
  }
};

std::vector<std::uint8_t> decoded(const Bmp& bmp) { return decode_image(bmp.bytes(), "x").image.rgb; }

std::string refusal(const Bmp& bmp) {
  return message_of(ErrorKind::kData, [&] { decode_image(bmp.bytes(), "x"); });
}

// Blue, green, red and one unused byte: colour i is (10 i + 3, 10 i + 2, 10 i + 1).
std::string table(int colours) {
  std::string out;
  for (int i = 0; i < colours; ++i) {
    out += {static_cast<char>(10 * i + 1), static_cast<char>(10 * i + 2), static_cast<char>(10 * i + 3), '\x77'};
  }
  return out;
}

// The red values of a picture with `table`, as indices.
std::vector<int> indices(const Bmp& bmp) {
  std::vector<int> out;
  const std::vector<std::uint8_t> rgb = decoded(bmp);
  for (std::size_t i = 0; i < rgb.size(); i += 3) out.push_back((rgb[i] - 3) / 10);
  return out;
}

TEST(ImageBmp, RowsFromTheBottomPaddedToFourBytes) {
  Bmp bmp;
  bmp.height = 2;
  bmp.pixels = std::string("\x01\x02\x03\0\x04\x05\x06\0", 8);
  EXPECT_THAT(decoded(bmp), ElementsAre(6, 5, 4, 3, 2, 1));
  bmp.height = -2;
  EXPECT_THAT(decoded(bmp), ElementsAre(3, 2, 1, 6, 5, 4));
  bmp.pixels.pop_back();  // the padding of the last row
  EXPECT_THAT(decoded(bmp), ElementsAre(3, 2, 1, 6, 5, 4));
  bmp.pixels.resize(6);
  EXPECT_THAT(refusal(bmp), HasSubstr("cut short, got 60 bytes, expected 7 of pixels from byte 54 on"));
}

TEST(ImageBmp, SixteenBitsWithoutMasksAre555) {
  Bmp bmp;
  bmp.width = 2;
  bmp.bits = 16;
  bmp.pixels = little(0x7C00 | (16 << 5) | 1, 2) + little(0x001F, 2);
  EXPECT_THAT(decoded(bmp), ElementsAre(255, 131, 8, 0, 0, 255));  // 255 * 16 / 31, 255 / 31
}

TEST(ImageBmp, MasksOfAnyWidth) {
  Bmp bmp;
  bmp.bits = 32;
  bmp.compression = 3;
  bmp.behind_header = little(0x3FF00000, 4) + little(0x0000FF00, 4) + little(0x0000000F, 4);
  bmp.pixels = little((512u << 20) | (0x80 << 8) | 0x3, 4);
  EXPECT_THAT(decoded(bmp), ElementsAre(127, 128, 51));
  bmp.header_bytes = 108;  // the masks lie inside the header then
  std::string bytes = bmp.bytes();
  bytes.replace(54, 12, bmp.behind_header);
  EXPECT_THAT(decode_image(bytes, "x").image.rgb, ElementsAre(127, 128, 51));
  bmp.header_bytes = 40;
  bmp.behind_header = little(0x00FF00FF, 4) + little(0, 4) + little(0, 4);
  EXPECT_THAT(refusal(bmp), HasSubstr("mask has gaps, got 0x00ff00ff"));
  bmp.behind_header = little(0xFFFFFFFF, 4) + little(0, 4) + little(0, 4);
  bmp.pixels = little(0x80000000, 4);
  EXPECT_THAT(decoded(bmp), ElementsAre(127, 0, 0));
}

TEST(ImageBmp, OldHeaderHasTableOfThreeBytes) {
  const std::string header = little(12, 4) + little(2, 2) + little(1, 2) + little(1, 2) + little(1, 2);
  const std::string bytes = "BM" + std::string(8, '\0') + little(32, 4) + header + "\x01\x02\x03\x04\x05\x06" + "\x40";
  EXPECT_THAT(decode_image(bytes + "\0\0\0", "x").image.rgb, ElementsAre(3, 2, 1, 6, 5, 4));
}

TEST(ImageBmp, TwoBitIndices) {
  Bmp bmp;
  bmp.width = 5;
  bmp.bits = 2;
  bmp.behind_header = table(4);
  bmp.pixels = std::string("\x1B\xC0\0\0", 4);
  EXPECT_THAT(indices(bmp), ElementsAre(0, 1, 2, 3, 3));
}

TEST(ImageBmp, ColourBeyondTheTableIsRefused) {
  Bmp bmp;
  bmp.bits = 8;
  bmp.colours_used = 2;
  bmp.behind_header = table(2);
  bmp.pixels = std::string("\x02\0\0\0", 4);
  EXPECT_THAT(refusal(bmp), HasSubstr("got colour 2 at pixel 0, expected a colour below 2"));
}

TEST(ImageBmp, RunsOfBytes) {
  Bmp bmp;
  bmp.width = 4;
  bmp.height = 2;
  bmp.bits = 8;
  bmp.compression = 1;
  bmp.colours_used = 8;
  bmp.behind_header = table(8);
  // Two of colour 5, row end; three of 1, then 2, 3 and 4 one by one (two of them leave the row),
  // padding, the end.
  bmp.pixels = std::string("\x02\x05\0\0\x03\x01\0\x03\x02\x03\x04\0\0\x01", 14);
  EXPECT_THAT(indices(bmp), ElementsAre(1, 1, 1, 2, 5, 5, 0, 0));
  // An odd number one by one is padded.
  bmp.pixels = std::string("\0\x03\x02\x03\x04\0\0\0\x01\x06\0\x01", 12);
  EXPECT_THAT(indices(bmp), ElementsAre(6, 0, 0, 0, 2, 3, 4, 0));
  // A move by two to the right and one up.
  bmp.pixels = std::string("\x01\x07\0\x02\x02\x01\x01\x06\0\x01", 10);
  EXPECT_THAT(indices(bmp), ElementsAre(0, 0, 0, 6, 7, 0, 0, 0));
  bmp.pixels.resize(9);
  EXPECT_THAT(refusal(bmp), HasSubstr("cut short in its pixels"));
}

TEST(ImageBmp, RunsOfNibbles) {
  Bmp bmp;
  bmp.width = 6;
  bmp.bits = 4;
  bmp.compression = 2;
  bmp.behind_header = table(16);
  bmp.pixels = std::string("\x03\x12\0\x03\x34\x50\0\x01", 8);
  EXPECT_THAT(indices(bmp), ElementsAre(1, 2, 1, 3, 4, 5));
}

TEST(ImageBmp, UnknownKindsAreNamed) {
  Bmp bmp;
  bmp.bits = 5;
  EXPECT_THAT(refusal(bmp), HasSubstr("got 5 bits per pixel"));
  bmp.bits = 24;
  bmp.compression = 5;
  EXPECT_THAT(refusal(bmp), HasSubstr("got compression 5 with 24 bits per pixel"));
  bmp.header_bytes = 41;
  EXPECT_THAT(refusal(bmp), HasSubstr("got a header of 41 bytes"));
  EXPECT_THAT(message_of(ErrorKind::kData, [] { decode_image("BMW builds cars, not pictures", "x"); }),
              HasSubstr("BMP of an unknown kind"));
}

TEST(ImageBmp, ImpossibleSizes) {
  Bmp bmp;
  bmp.width = -1;
  EXPECT_THAT(refusal(bmp), HasSubstr("got -1 x 1 pixels"));
  bmp.width = 1;
  bmp.height = 0;
  EXPECT_THAT(refusal(bmp), HasSubstr("got 1 x 0 pixels"));
  bmp.height = INT32_MIN;
  EXPECT_THAT(refusal(bmp), HasSubstr("got 1 x 2147483648 pixels, expected at most"));
}

}  // namespace
}  // namespace scorevi::io
