#include "scorevi/metrics/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "markup.h"
#include "scorevi/core/check.h"

namespace scorevi::metrics {
namespace {

std::uint32_t big_endian(const std::string& s, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < 4; ++i) v = (v << 8) | static_cast<unsigned char>(s[at + i]);
  return v;
}

// CRC-32 bit by bit from its polynomial, to be independent of zlib's.
std::uint32_t slow_crc(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

struct Chunk {
  std::string type, data;
};

std::vector<Chunk> chunks_of(const std::string& png) {
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t size = big_endian(png, at);
    chunks.push_back({png.substr(at + 4, 4), png.substr(at + 8, size)});
    EXPECT_EQ(big_endian(png, at + 8 + size), slow_crc(png.substr(at + 4, 4 + size)));
    at += 12 + size;
  }
  return chunks;
}

std::vector<std::uint8_t> decode(const Picture& p) {
  const std::string png = encode_png(p);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const std::vector<Chunk> chunks = chunks_of(png);
  EXPECT_EQ(chunks.size(), 3u);
  EXPECT_EQ(chunks[0].type, "IHDR");
  EXPECT_EQ(big_endian(chunks[0].data, 0), static_cast<std::uint32_t>(p.width));
  EXPECT_EQ(big_endian(chunks[0].data, 4), static_cast<std::uint32_t>(p.height));
  EXPECT_EQ(chunks[0].data.substr(8), std::string({'\x08', p.channels == 3 ? '\x02' : '\0', 0, 0, 0}));
  EXPECT_EQ(chunks[1].type, "IDAT");
  EXPECT_EQ(chunks[2].type + chunks[2].data, "IEND");
  const std::size_t row = static_cast<std::size_t>(p.width) * p.channels + 1;
  uLongf size = row * p.height;
  std::vector<std::uint8_t> raw(size), pixels;
  EXPECT_EQ(uncompress(raw.data(), &size, reinterpret_cast<const Bytef*>(chunks[1].data.data()),
                       static_cast<uLong>(chunks[1].data.size())),
            Z_OK);
  EXPECT_EQ(size, raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (i % row == 0)
      EXPECT_EQ(raw[i], 0) << "filter";
    else
      pixels.push_back(raw[i]);
  }
  return pixels;
}

TEST(Png, GreyAndRgbDecodeToTheSamePixels) {
  Picture grey{3, 2, 1, {0, 128, 255, 1, 2, 3}};
  EXPECT_EQ(decode(grey), grey.pixels);
  Picture rgb{2, 2, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7}};
  EXPECT_EQ(decode(rgb), rgb.pixels);
  Picture large{300, 200, 1, {}};
  for (int i = 0; i < 60000; ++i) large.pixels.push_back(static_cast<std::uint8_t>(i % 251 * (i / 300)));
  EXPECT_EQ(decode(large), large.pixels);
}

TEST(Png, SizesAreChecked) {
  EXPECT_THROW(encode_png({2, 2, 1, {1, 2, 3}}), InternalError);
  EXPECT_THROW(encode_png({0, 2, 1, {}}), InternalError);
  EXPECT_THROW(encode_png({1, 1, 2, {1, 2}}), InternalError);
}

TEST(Png, GreyPictureScalesAndClamps) {
  const Picture p = grey_picture(5, 1, {-1.0f, 0.0f, 8.0f, 20.0f, NAN}, 0.0f, 16.0f);
  EXPECT_EQ(p.pixels, (std::vector<std::uint8_t>{0, 0, 128, 255, 0}));
}

// RFC 4648, section 10.
TEST(Base64, KnownAnswers) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(Png, SvgAndUri) {
  const Picture p{1, 1, 1, {200}};
  EXPECT_EQ(png_data_uri(p).rfind("data:image/png;base64,iVBORw0KGgo", 0), 0u);
  EXPECT_EQ(xml_fault(picture_svg(p, 8, "digit <3>")), "");
}

}  // namespace
}  // namespace scorevi::metrics
