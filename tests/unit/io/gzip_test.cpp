#include "scorevi/io/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gzip_bytes.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::io {
namespace {

using test::gzip_bytes;
using test::message_of;
using ::testing::HasSubstr;

std::string sample_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + ",";
  return text;
}

TEST(Gzip, RoundTripAcrossSeveralChunks) {
  const std::string text = sample_text();
  ASSERT_GT(text.size(), std::size_t{65536});
  EXPECT_EQ(gunzip(gzip_bytes(text), "t.gz"), text);
  EXPECT_EQ(gunzip(gzip_bytes(""), "t.gz"), "");
}

TEST(Gzip, TheBeginningOfTheBeginning) {
  const std::string text = sample_text(), packed = gzip_bytes(text);
  EXPECT_EQ(gunzip_beginning(packed, 4), text.substr(0, 4));
  EXPECT_EQ(gunzip_beginning(packed.substr(0, 200), 4), text.substr(0, 4));
  EXPECT_EQ(gunzip_beginning(gzip_bytes("ab"), 4), "ab");
  EXPECT_EQ(gunzip_beginning(packed.substr(0, 5), 4), "");
  EXPECT_EQ(gunzip_beginning("\x1f\x8b no gzip", 4), "");
}

TEST(Gzip, ConcatenatedMembersAreOneText) {
  EXPECT_EQ(gunzip(gzip_bytes("one ") + gzip_bytes("two"), "t.gz"), "one two");
}

TEST(Gzip, ContentDecidesNotTheName) {
  const test::TempDir dir;
  EXPECT_EQ(read_raw_or_gzip(dir.write("plain.gz", "hello")), "hello");
  EXPECT_EQ(read_raw_or_gzip(dir.write("packed.txt", gzip_bytes("hello"))), "hello");
}

TEST(Gzip, EveryTruncationIsToldOrRefused) {
  const std::string packed = gzip_bytes("some text some text some text");
  for (std::size_t n = 0; n < packed.size(); ++n) {
    EXPECT_THROW(gunzip(packed.substr(0, n), "t.gz"), Error) << n;
  }
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { gunzip(packed.substr(0, packed.size() - 9), "t.gz"); }),
              HasSubstr("t.gz: gzip data are truncated"));
}

TEST(Gzip, ChecksumLengthAndTrailingBytes) {
  std::string packed = gzip_bytes("some text");
  std::string bad_crc = packed;
  bad_crc[packed.size() - 8] ^= 1;
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { gunzip(bad_crc, "t.gz"); }), HasSubstr("checksum or length"));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { gunzip(packed + "xyz", "t.gz"); }),
              HasSubstr("3 bytes after the end"));
}

TEST(Gzip, BombIsRefusedAtTheLimit) {
  const std::string bomb = gzip_bytes(std::string(std::size_t{1} << 24, '\0'));
  ASSERT_LT(bomb.size(), std::size_t{20000});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { gunzip(bomb, "b.gz", 1 << 20); }),
              HasSubstr("more than 1048576 bytes"));
  EXPECT_EQ(gunzip(bomb, "b.gz", std::size_t{1} << 24).size(), std::size_t{1} << 24);
}

TEST(Gzip, MissingFileAndFolder) {
  const test::TempDir dir;
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { read_raw_or_gzip(dir.file("none")); }), HasSubstr("none"));
  EXPECT_THROW(read_raw_or_gzip(dir.path().string()), Error);
}

}  // namespace
}  // namespace scorevi::io
