#include "scorevi/data/encode.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_of.h"

namespace scorevi::data {
namespace {

using ::testing::HasSubstr;

at::Tensor encoded(const std::string& text, const std::vector<std::string>& names) {
  return encode_table(io::parse_csv(text, "new.csv"), names);
}

std::string refused(const std::string& text, const std::vector<std::string>& names) {
  return test::message_of(ErrorKind::kData, [&] { encoded(text, names); });
}

void expect_rows(const at::Tensor& got, const std::vector<std::vector<float>>& expected) {
  ASSERT_EQ(got.sizes(),
            at::IntArrayRef({static_cast<int64_t>(expected.size()), static_cast<int64_t>(expected.front().size())}));
  for (std::size_t r = 0; r < expected.size(); ++r)
    for (std::size_t c = 0; c < expected[r].size(); ++c)
      EXPECT_EQ(got[static_cast<int64_t>(r)][static_cast<int64_t>(c)].item<float>(), expected[r][c]) << r << " " << c;
}

const std::vector<std::string> kNamed = {"x", "colour=blue", "colour=red", "y"};

TEST(EncodeTable, ByNameInAnyOrderWithOtherColumns) {
  expect_rows(encoded("colour,id,y,x\nred,7,0.5,1\nblue,8,-2,3\n", kNamed), {{1, 0, 1, 0.5}, {3, 1, 0, -2}});
}

TEST(EncodeTable, AllBadCellsAreToldAtOnce) {
  const std::string message = refused("x,colour,y\noops,red,1\n1,green,2\n,red,3\n", kNamed);
  EXPECT_THAT(message, ::testing::MatchesRegex("new.csv:2, column 1 .x.: got \"oops\", expected a number\n"
                                               "new.csv:3, column 2 .colour.: \"green\" did not occur [^\n]*\n"
                                               "new.csv:4, column 1 .x.: got \"\", expected a number"));
}

TEST(EncodeTable, NamesAndTextsMayHoldEqualsSigns) {
  expect_rows(encoded("a=b,k\n1,c=d\n2,e\n", {"a=b", "k=c=d", "k=e"}), {{1, 1, 0}, {2, 0, 1}});
}

TEST(EncodeTable, WithoutAHeaderByPosition) {
  // The target was the second of four columns; here with it and without it.
  const std::vector<std::string> names = {"column 1", "column 3=a", "column 3=b", "column 4"};
  expect_rows(encoded("1,99,a,4\n5,99,b,8\n", names), {{1, 1, 0, 4}, {5, 0, 1, 8}});
  expect_rows(encoded("1,a,4\n5,b,8\n", names), {{1, 1, 0, 4}, {5, 0, 1, 8}});
  // Trained on a file with a header, asked with one without: only where nothing but the inputs stands.
  expect_rows(encoded("1,2\n3,4\n", {"x", "y"}), {{1, 2}, {3, 4}});
}

TEST(EncodeTable, MissingColumns) {
  EXPECT_THAT(refused("colour,X1\nred,1\n", {"colour=red", "x1"}),
              HasSubstr("no column \"x1\", which the network was trained on (did you mean \"X1\"?)"));
  EXPECT_THAT(refused("1,2,3\n4,5,6\n", {"x", "y"}), HasSubstr("no column \"x\""));
  EXPECT_THAT(refused("1,2\n3,4\n", {"column 1", "column 2", "column 5"}), HasSubstr("no column \"column 5\""));
  EXPECT_THAT(refused("1,2\n3,4\n", {"column 0"}), HasSubstr("no column \"column 0\""));
  EXPECT_THAT(refused("1,2\n3,4\n", {"column x"}), HasSubstr("no column \"column x\""));
  EXPECT_EQ(refused("a\n1\n", {"a", "b"}),
            "new.csv: no column \"b\", which the network was trained on; got the header a");
  EXPECT_THAT(refused("1,2,3\n", {"x", "y"}), HasSubstr("; got 3 columns without a header"));
}

TEST(EncodeTable, ColumnsTellAHeader) {
  EXPECT_THAT(column_names({"x", "k=c=d"}), ::testing::ElementsAre("x", "k=c=d", "k", "k=c"));
}

TEST(EncodeTable, CellsThatAreNoNumbers) {
  EXPECT_THAT(refused("x,y\n1,2\n3,red\n", {"x", "y"}), HasSubstr("new.csv:3, column 2 (y): got \"red\", expected a"));
  EXPECT_THAT(refused("x,y\n1,1e60\n", {"x", "y"}),
              HasSubstr("got \"1e60\", expected a finite number within +-3.4e38"));
  EXPECT_THAT(refused("x,y\n1,\"2,5\"\n", {"x", "y"}), HasSubstr("expected a number, with a decimal point"));
  EXPECT_THAT(refused("x,y\n1,\n", {"x", "y"}), HasSubstr("got \"\""));
}

TEST(EncodeTable, AMissingColumnOfTextsIsToldByItsName) {
  EXPECT_THAT(refused("size,x\n1,2\n", {"x", "colour=blue", "colour=red"}),
              HasSubstr("new.csv: no column \"colour\", which the network was trained on"));
}

TEST(EncodeTable, TextsThatTrainingDidNotHave) {
  EXPECT_THAT(
      refused("colour,x,y\ngreen,1,2\n", kNamed),
      HasSubstr(
          "new.csv:2, column 1 (colour): \"green\" did not occur in training, expected one of \"blue\", \"red\""));
}

TEST(EncodeImages, GetAChannel) {
  const at::Tensor images = at::arange(12, at::kByte).view({2, 2, 3});
  const at::Tensor encoded = encode_images(images, {1, 2, 3}, "new-idx3-ubyte");
  EXPECT_EQ(encoded.sizes(), at::IntArrayRef({2, 1, 2, 3}));
  EXPECT_TRUE(at::equal(encoded.view({2, 2, 3}), images));
}

TEST(EncodeImages, OtherShapesAreRefused) {
  const auto message = [](at::IntArrayRef sizes, const std::vector<int64_t>& shape) {
    return test::message_of(ErrorKind::kData, [&] { encode_images(at::zeros(sizes, at::kByte), shape, "new"); });
  };
  EXPECT_EQ(message({2, 3, 3}, {1, 2, 3}),
            "new: holds 9 numbers per row in 2 dimension(s), expected pictures of 2 rows and 3 columns");
  EXPECT_THAT(message({5}, {1, 2, 3}), HasSubstr("holds 1 numbers per row in 0 dimension(s)"));
  EXPECT_EQ(message({2, 2, 3}, {4}), "new: holds pictures of one channel, expected inputs of shape [4]");
  EXPECT_EQ(message({2, 2, 3}, {3, 2, 3}), "new: holds pictures of one channel, expected inputs of shape [3, 2, 3]");
}

TEST(EncodePixels, RowMajorWithOrWithoutALabel) {
  for (const char* text :
       {"0,1,2,3,4,5\n6,7,8,9,10,11\n", "0,1,2,3,4,5,2\n6,7,8,9,10,11,1\n", "2,0,1,2,3,4,5\n1,6,7,8,9,10,11\n",
        "label,a,b,c,d,e,f\n9,0,1,2,3,4,5\n9,6,7,8,9,10,11\n", "a,b,c,d,e,f,class\n0,1,2,3,4,5,0\n6,7,8,9,10,11,0\n"}) {
    const at::Tensor pixels = encode_pixels(io::parse_csv(text, "new.csv"), {1, 2, 3}, 3);
    ASSERT_EQ(pixels.sizes(), at::IntArrayRef({2, 1, 2, 3})) << text;
    EXPECT_TRUE(at::equal(pixels, at::arange(12, at::kFloat).view({2, 1, 2, 3}))) << text;
  }
}

TEST(EncodePixels, OtherTablesAreRefused) {
  const auto message = [](const std::string& text, const std::vector<int64_t>& shape) {
    return test::message_of(ErrorKind::kData, [&] { encode_pixels(io::parse_csv(text, "new.csv"), shape, 3); });
  };
  EXPECT_THAT(message("1,2,3\n", {1, 2, 2}), HasSubstr("3 columns, expected the 4 pixels of a picture (and a label)"));
  EXPECT_THAT(message("1,2,3,4,5,6\n", {1, 2, 2}), HasSubstr("6 columns"));
  EXPECT_THAT(message("1,9,9,9,2\n", {1, 2, 2}), HasSubstr("the label could be in the first or in the last"));
  EXPECT_THAT(message("7,9,9,9,7\n", {1, 2, 2}), HasSubstr("the label could be in the first or in the last"));
  EXPECT_THAT(message("1,2,3,4\n", {3, 2, 2}), HasSubstr("4 columns"));
  EXPECT_THAT(message("1,2,3,4\n1,2,x,4\n", {1, 2, 2}), HasSubstr("new.csv:2, column 3: got \"x\", expected a number"));
}

}  // namespace
}  // namespace scorevi::data
