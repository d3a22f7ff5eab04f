#include "scorevi/io/mat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_of.h"
#include "support/mat_files.h"
#include "support/temp_dir.h"

namespace scorevi::io {
namespace {

using test::le_bytes;
using test::mat_header;
using test::mat_packed;
using test::mat_row;
using test::MatArray;
using test::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Mat : public ::testing::Test {
 protected:
  std::string write(const std::string& elements) { return dir_.write("x.mat", mat_header() + elements); }
  std::vector<std::int64_t> read(const std::string& elements, const std::string& variable = "labels") {
    return read_mat_integers(write(elements), variable);
  }
  std::string refusal(const std::string& elements, const std::string& variable = "labels") {
    return message_of(ErrorKind::kData, [&] { read(elements, variable); });
  }

  test::TempDir dir_;
};

TEST_F(Mat, PlainAndPackedArraysInOneFile) {
  const std::string file = mat_row("first", {1, 2}).element() +
                           mat_packed(mat_row("labels", {77, 5, 65535}).element()) +
                           mat_packed(mat_row("x", {}).element()) + mat_row("a2", {4}).element();
  EXPECT_THAT(read(file), ElementsAre(77, 5, 65535));
  EXPECT_THAT(read(file, "first"), ElementsAre(1, 2));
  EXPECT_THAT(read(file, "a2"), ElementsAre(4));
  EXPECT_TRUE(read(file, "x").empty());
}

TEST_F(Mat, EveryClassOfNumbers) {
  const auto check = [&](std::uint32_t array_class, std::uint32_t type, const std::string& bytes) {
    const MatArray array{"labels", {2, 1}, array_class, type, bytes};
    EXPECT_THAT(read(array.element()), ElementsAre(1, 100)) << array_class;
    EXPECT_THAT(read(mat_packed(array.element())), ElementsAre(1, 100)) << array_class;
  };
  check(6, 9, le_bytes<double>({1, 100}));
  check(7, 7, le_bytes<float>({1, 100}));
  check(8, 1, le_bytes<std::int8_t>({1, 100}));
  check(9, 2, le_bytes<std::uint8_t>({1, 100}));
  check(10, 3, le_bytes<std::int16_t>({1, 100}));
  check(11, 4, le_bytes<std::uint16_t>({1, 100}));
  check(12, 5, le_bytes<std::int32_t>({1, 100}));
  check(13, 6, le_bytes<std::uint32_t>({1, 100}));
  check(14, 12, le_bytes<std::int64_t>({1, 100}));
  check(15, 13, le_bytes<std::uint64_t>({1, 100}));
  check(6, 2, le_bytes<std::uint8_t>({1, 100}));
}

TEST_F(Mat, NumbersThatAreNotWhole) {
  const auto one = [](double value) {
    return MatArray{"labels", {1, 2}, 6, 9, le_bytes<double>({1, value})}.element();
  };
  EXPECT_THAT(read(one(-3)), ElementsAre(1, -3));
  EXPECT_THAT(refusal(one(1.5)), HasSubstr("number 2 is 1.5"));
  EXPECT_THAT(refusal(one(1e300)), HasSubstr("number 2"));
  EXPECT_THAT(refusal(one(0.0 / 0.0)), HasSubstr("nan"));
}

TEST_F(Mat, AMissingVariableListsWhatThereIs) {
  EXPECT_THAT(refusal(mat_row("label", {1}).element() + mat_row("other", {1}).element()),
              AllOf(HasSubstr("label, other"), HasSubstr("did you mean \"label\"")));
  EXPECT_THAT(refusal(""), HasSubstr("holds nothing"));
  EXPECT_THAT(refusal(mat_row("labels", {1}).element() + mat_row("labels", {2}).element()),
              HasSubstr("not there once"));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { read_mat_integers(dir_.file("none.mat"), "x"); }),
              HasSubstr("none.mat"));
}

TEST_F(Mat, OtherFilesAreRefused) {
  const auto refused = [&](const std::string& bytes) {
    return message_of(ErrorKind::kData, [&] { read_mat_integers(dir_.write("y.mat", bytes), "labels"); });
  };
  EXPECT_THAT(refused(""), HasSubstr("-v7"));
  EXPECT_THAT(refused("MATLAB 5.0"), HasSubstr("not a little-endian MATLAB 5.0 file"));
  std::string header = mat_header();
  header[125] = 2;  // version 7.3: HDF5
  EXPECT_THAT(refused(header), HasSubstr("-v7"));
  EXPECT_THAT(refused(mat_header().substr(0, 126) + "MI"), HasSubstr("little-endian"));
}

TEST_F(Mat, ArraysThatAreNoRealNumbersInTwoDimensions) {
  EXPECT_THAT(refusal(MatArray{"labels", {1, 2}, 4, 4, "abcd"}.element()), HasSubstr("class 4"));  // char
  EXPECT_THAT(refusal(MatArray{"labels", {1, 1}, 2, 9, ""}.element()), HasSubstr("class 2"));      // struct
  EXPECT_THAT(refusal(MatArray{"labels", {1, 1}, 0x0806, 2, "a"}.element()), HasSubstr("complex"));
  EXPECT_THAT(refusal(MatArray{"labels", {1, 1, 1}, 6, 2, "a"}.element()), HasSubstr("dimensions in 12 bytes"));
  EXPECT_THAT(refusal(MatArray{"", {1, 1}, 6, 2, "a"}.element()), HasSubstr("name in 0 bytes"));
  EXPECT_THAT(refusal(MatArray{std::string(64, 'n'), {1, 1}, 6, 2, "a"}.element()), HasSubstr("name in 64 bytes"));
  EXPECT_THAT(refusal(MatArray{"a/b", {1, 1}, 6, 2, "a"}.element()), HasSubstr("letters"));
}

TEST_F(Mat, ClaimsAreCheckedBeforeAnythingIsAllocated) {
  const auto both = [&](const MatArray& array, const std::string& what) {
    EXPECT_THAT(refusal(array.element()), HasSubstr(what));
    EXPECT_THAT(refusal(mat_packed(array.element())), HasSubstr(what));
  };
  both({"labels", {1, 2000000000}, 6, 9, le_bytes<double>({1})}, "1 x 2000000000");
  both({"labels", {-1, -1}, 6, 9, le_bytes<double>({1})}, "4294967295 x 4294967295");
  both({"labels", {0, -1}, 6, 9, le_bytes<double>({1})}, "has 8 bytes");
  both({"labels", {1, 2}, 6, 9, le_bytes<double>({1})}, "has 8 bytes");
  both({"labels", {1, 2}, 6, 9, le_bytes<double>({1, 2, 3})}, "has 24 bytes");
  both({"labels", {1, 8}, 6, 14, le_bytes<double>({1})}, "type 14");
}

TEST_F(Mat, EveryTruncationIsRefused) {
  const std::string tail = mat_row("z", {9, 9, 9, 9}).element();
  for (const std::string& element : {mat_row("labels", {1, 2, 3, 4, 5}).element() + tail,
                                     mat_packed(mat_row("labels", {1, 2, 3, 4, 5}).element()) + mat_packed(tail)}) {
    std::size_t read_whole = 0;
    for (std::size_t size = 0; size < element.size(); ++size) {
      const std::string path = write(element.substr(0, size));
      try {
        EXPECT_THAT(read_mat_integers(path, "labels"), ElementsAre(1, 2, 3, 4, 5));
        ++read_whole;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kData);
      }
    }
    EXPECT_EQ(read_whole, 1u);  // cut between the two arrays
  }
}

TEST_F(Mat, PackedArraysMustUnpackToWhatTheyClaim) {
  std::string longer = mat_row("labels", {1, 2, 3, 4}).element();
  EXPECT_THAT(refusal(mat_packed(longer + std::string(8, '\0'))), HasSubstr("packed array is damaged"));
  EXPECT_THAT(refusal(mat_packed(longer.substr(0, longer.size() - 8))), HasSubstr("packed array is damaged"));
  EXPECT_THAT(refusal(mat_packed(std::string(std::size_t{20} << 20, '\0'))), HasSubstr("packed array is damaged"));
  std::string flipped = mat_packed(longer);
  flipped.back() = static_cast<char>(flipped.back() ^ 1);  // the checksum
  EXPECT_THAT(refusal(flipped), HasSubstr("incorrect data check"));
}

}  // namespace
}  // namespace scorevi::io
