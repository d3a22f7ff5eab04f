#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "idx_files.h"
#include "scorevi/data/data_root.h"
#include "scorevi/data/registry.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::data {
namespace {

using test::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::int64_t> all_rows(const Dataset& set) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(set.size()));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

DataOptions named(const std::string& name) {
  DataOptions options;
  options.name = name;
  return options;
}

TEST(Digits, BundledSet) {
  const Dataset digits = load_dataset(named("digits"));
  EXPECT_EQ(digits.inputs.sizes(), at::IntArrayRef({1797, 1, 8, 8}));
  EXPECT_EQ(digits.input_shape(), (std::vector<int64_t>{1, 8, 8}));
  EXPECT_EQ(digits.input_scale, 16.0);
  EXPECT_EQ(digits.official_train, -1);
  EXPECT_EQ(digits.inputs.max().item<int>(), 16);
  EXPECT_EQ(digits.inputs[0][0][0][2].item<int>(), 5);
  EXPECT_EQ(digits.inputs[0][0][7][3].item<int>(), 13);
  EXPECT_EQ(digits.targets.slice(0, 0, 3).sum().item<int>(), 0 + 1 + 2);
  // The class counts that UCI states for the test part.
  EXPECT_THAT(digits.class_counts(all_rows(digits)), ElementsAre(178, 182, 177, 183, 181, 182, 181, 179, 174, 180));
}

TEST(Datasets, GeneratedOnesDependOnTheSeed) {
  for (const char* name : {"digits", "two_moons", "blobs", "sine_gap", "cubic"}) {
    DataOptions options = named(name);
    const Dataset first = load_dataset(options);
    options.seed = 1;
    EXPECT_EQ(!at::equal(first.inputs, load_dataset(options).inputs), is_generated(name)) << name;
  }
}

TEST(Digits, FoundFromAnywhereThroughTheBundledFolder) {
  EXPECT_THAT(data_roots("").back(), HasSubstr("data"));
  EXPECT_EQ(data_roots("here"), std::vector<std::string>{"here"});
  EXPECT_EQ(find_data_files(bundled_data_dir(), "digits", {"digits.csv"}).size(), 1u);
}

void write_mnist(const test::TempDir& dir, const std::string& folder, bool train) {
  if (train) {
    dir.write(folder + "/train-images-idx3-ubyte", test::idx_images(20, 100));
    dir.write(folder + "/train-labels-idx1-ubyte", test::idx_labels(20));
  }
  dir.write(folder + "/t10k-images-idx3-ubyte.gz", test::idx_images(10, 7));
  dir.write(folder + "/t10k-labels-idx1-ubyte", test::idx_labels(10));
}

TEST(IdxSets, TrainThenTest) {
  const test::TempDir dir;
  write_mnist(dir, "mnist", true);
  DataOptions options = named("mnist");
  options.root = dir.path().string();
  const Dataset mnist = load_dataset(options);
  EXPECT_EQ(mnist.inputs.sizes(), at::IntArrayRef({30, 1, 28, 28}));
  EXPECT_EQ(mnist.official_train, 20);
  EXPECT_EQ(mnist.inputs[0][0][5][5].item<int>(), 100);
  EXPECT_EQ(mnist.inputs[20][0][5][5].item<int>(), 7);
  EXPECT_EQ(mnist.targets[13].item<int>(), 3);
  options.root = dir.file("mnist");  // the folder itself is right, too
  EXPECT_EQ(load_dataset(options).size(), 30);
  options.part = "test";
  EXPECT_EQ(load_dataset(options).size(), 10);
  EXPECT_EQ(load_dataset(options).official_train, 0);
  options.part = "train";
  EXPECT_EQ(load_dataset(options).official_train, 20);
}

TEST(IdxSets, MissingFilesAreNamedWithThePlaces) {
  const test::TempDir dir;
  write_mnist(dir, "fashion_mnist", false);
  DataOptions options = named("fashion_mnist");
  options.root = dir.path().string();
  const std::string message = message_of(ErrorKind::kData, [&] { load_dataset(options); });
  EXPECT_THAT(message,
              HasSubstr(dir.file("fashion_mnist") + ": lacks train-images-idx3-ubyte, train-labels-idx1-ubyte"));
  EXPECT_THAT(message, HasSubstr(dir.path().string() + ": none of them"));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { find_data_files(dir.file("none"), "mnist", {"x"}); }),
              HasSubstr("\n  " + dir.file("none") + ": no such folder\nset data.root or SCOREVI_DATA"));
  options.part = "test";
  EXPECT_EQ(load_dataset(options).class_names[9], "Ankle boot");
  options.part = "tets";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { load_dataset(options); }), HasSubstr("did you mean \"test\"?"));
}

TEST(IdxSets, CountsLabelsAndSizesAreChecked) {
  const test::TempDir dir;
  DataOptions options = named("kmnist");
  options.root = dir.path().string();
  options.part = "test";
  write_mnist(dir, "kmnist", false);
  dir.write("kmnist/t10k-labels-idx1-ubyte", test::idx_labels(9));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_dataset(options); }), HasSubstr("9 labels, expected 10"));
  dir.write("kmnist/t10k-labels-idx1-ubyte", test::idx_header({10}) + std::string(10, 77));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_dataset(options); }), HasSubstr("label 77, expected 0 to 9"));
  dir.write("kmnist/t10k-images-idx3-ubyte.gz", test::idx_header({1, 2, 2}) + "abcd");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_dataset(options); }), HasSubstr("expected images of 28 x 28"));
}

class CsvData : public ::testing::Test {
 protected:
  Dataset load(const std::string& text) {
    options_.name = "csv";
    options_.path = dir_.write("t.csv", text);
    return load_dataset(options_);
  }
  std::string refused(const std::string& text) {
    return message_of(ErrorKind::kData, [&] { load(text); });
  }
  std::string warnings(const std::string& text) {
    ::testing::internal::CaptureStderr();
    load(text);
    return ::testing::internal::GetCapturedStderr();
  }
  test::TempDir dir_;
  DataOptions options_;
};

TEST_F(CsvData, ClassificationWithTextTargetAndOneHotColumn) {
  options_.target = "kind";
  const Dataset set = load("size,kind,colour\n1.5,cat,red\n-2,dog, blue\n3e1,cat,red\n");
  EXPECT_THAT(set.class_names, ElementsAre("cat", "dog"));
  EXPECT_THAT(set.feature_names, ElementsAre("size", "colour=blue", "colour=red"));
  EXPECT_TRUE(at::equal(set.targets, at::tensor({0, 1, 0}, at::kLong)));
  EXPECT_TRUE(at::equal(set.inputs, at::tensor({1.5f, 0.f, 1.f, -2.f, 1.f, 0.f, 30.f, 0.f, 1.f}).view({3, 3})));
}

TEST_F(CsvData, TheTargetIsFoundByItsName) {
  EXPECT_THAT(load("Label,a,b\n1,0.5,2\n0,1.5,3\n").feature_names, ElementsAre("a", "b"));
  EXPECT_THAT(load("a,b,kind\n0.5,2,x\n1.5,3,y\n").feature_names, ElementsAre("a", "b"));
  EXPECT_THAT(load("label,a,target\n1,0.5,2\n0,1.5,3\n").feature_names, ElementsAre("label", "a"));
  EXPECT_THAT(refused("label,class,a\n1,0,2\n0,1,3\n"),
              HasSubstr("the target could be in any of the columns label, class, a; set data.target to one"));
  options_.task = "regression";
  EXPECT_THAT(load("y,a,b\n1,0,2\n0,1,3\n").feature_names, ElementsAre("a", "b"));
  EXPECT_THAT(load("x,y,price\n1,0,2\n0,1,3\n").feature_names, ElementsAre("x", "y"));
  EXPECT_THAT(refused("y,x\n1,0\n0,1\n"), HasSubstr("any of the columns y, x"));
}

TEST_F(CsvData, ALabelThatMayStandInFrontIsAsked) {
  EXPECT_THAT(refused("1,0.5,2.5\n0,1.5,3.5\n"), HasSubstr("could be in the first column (2 different values)"));
  EXPECT_THAT(refused("1,7,0\n0,8,0\n"), HasSubstr("set data.target: 0 or data.target: -1"));
  EXPECT_THAT(refused("1,7,3\n0,8,4\n1,9,5\n"), HasSubstr("set data.target: 0 or data.target: -1"));
  EXPECT_EQ(load("1,7,1\n2,8,0\n3,9,1\n").classes(), 2);
  EXPECT_EQ(load("0.5,7,1\n1.5,8,0\n").classes(), 2);
  options_.target = "0";
  EXPECT_THAT(load("1,7,3\n0,8,4\n1,9,5\n").feature_names, ElementsAre("column 2", "column 3"));
}

TEST_F(CsvData, ASecondFileHoldsTheTestRows) {
  options_.test_path = dir_.write("test.csv", "kind,colour,size\nb,red,4\nb,blue,5\n");
  options_.target = "kind";
  const Dataset set = load("size,colour,kind\n1,blue,a\n2,red,b\n3,green,a\n");
  EXPECT_EQ(set.official_train, 3);
  EXPECT_TRUE(at::equal(set.targets, at::tensor({0, 1, 0, 1, 1}, at::kLong)));
  EXPECT_TRUE(at::equal(set.inputs[3], at::tensor({4.f, 0.f, 0.f, 1.f})));
  EXPECT_TRUE(at::equal(set.inputs[4], at::tensor({5.f, 1.f, 0.f, 0.f})));
  dir_.write("test.csv", "kind,colour,size\nc,red,4\n");
  EXPECT_THAT(refused("size,colour,kind\n1,blue,a\n2,red,b\n"),
              HasSubstr("test.csv:2, column 1 (kind): got \"c\", expected one of the 2 classes of training: a, b"));
  dir_.write("test.csv", "kind,colour,size\na,pink,4\n");
  EXPECT_THAT(refused("size,colour,kind\n1,blue,a\n2,red,b\n"), HasSubstr("\"pink\" did not occur in training"));
  dir_.write("test.csv", "kind,size\na,4\n");
  EXPECT_THAT(refused("size,colour,kind\n1,blue,a\n2,red,b\n"), HasSubstr("no column \"colour"));
}

TEST_F(CsvData, TestRowsThatAreTrainedOnAreTold) {
  const std::string text = "x,k\n1,a\n2,b\n3,a\n";
  options_.test_path = dir_.write("test.csv", text);
  EXPECT_THAT(refused(text), HasSubstr("test.csv holds the rows of data.path, " + options_.path));
  dir_.write("test.csv", "x,k\n4,a\n2,b\n3,b\n");
  const std::string warned = warnings(text);
  EXPECT_THAT(warned, HasSubstr("data.test_path: 1 of 3 test rows in " + options_.test_path));
  dir_.write("test.csv", "x,k\n4,a\n2,a\n");
  EXPECT_EQ(warnings(text), "");
}

TEST_F(CsvData, ASecondFileIsReadAsTheFirst) {
  const std::string text = "x,z,k\n1,1,a\n2,2,b\n3,3,a\n";
  options_.test_path = dir_.write("test.csv", "x,id,z,k\n4,NA,4,a\nNA,1,5,b\n6,1,,b\n7,1,7,a\n");
  EXPECT_THAT(refused(text), ::testing::MatchesRegex(".*test.csv:3, column 1 .x.: a missing value; [^\n]*\n"
                                                     ".*test.csv:4, column 3 .z.: a missing value; [^\n]*"));
  options_.missing = "drop";
  const Dataset set = load(text);
  EXPECT_TRUE(at::equal(set.inputs.select(1, 0), at::tensor({1.f, 2.f, 3.f, 4.f, 7.f})));
  EXPECT_THAT(set.description, HasSubstr("test.csv, 2 rows with missing values dropped"));
  dir_.write("test.csv", "x,z,k\noops,1,a\n2,pink,b\n3,3,c\n");
  EXPECT_THAT(refused(text), ::testing::MatchesRegex(".*test.csv:2, column 1 .x.: got \"oops\"[^\n]*\n"
                                                     ".*test.csv:3, column 2 .z.: got \"pink\"[^\n]*\n"
                                                     ".*test.csv:4, column 3 .k.: got \"c\"[^\n]*"));
}

TEST_F(CsvData, RowsKnowTheirPlaceInTheirFile) {
  options_.missing = "drop";
  options_.test_path = dir_.write("test.csv", "x,k\n4,\n5,b\n");
  const Dataset set = load("x,k\n1,a\nNA,b\n3,b\n");
  ASSERT_EQ(set.size(), 3);
  EXPECT_EQ(set.place_of(1).file, options_.path);
  EXPECT_EQ(set.place_of(1).row, 3);
  EXPECT_EQ(set.place_of(2).file, options_.test_path);
  EXPECT_EQ(set.place_of(2).row, 2);
  EXPECT_EQ(load_dataset(named("cubic")).place_of(4).row, 5);
  EXPECT_EQ(load_dataset(named("cubic")).place_of(4).file, "");
}

TEST_F(CsvData, OneNumberIsNotTwoClasses) {
  EXPECT_THAT(refused("x,k\n1,0\n2,1\n3,0.0\n"),
              ::testing::MatchesRegex(".*t.csv:4, column 2 .k.: \"0.0\" is the number of .*t.csv:2, column 2 .k.: "
                                      "\"0\", expected one text for each class"));
  EXPECT_THAT(refused("x,k\n1,+1\n2,1\n3,a\n"), HasSubstr("is the number of"));
}

TEST_F(CsvData, CommasOfThousandsAreNoDecimalOnes) {
  options_.task = "regression";
  EXPECT_THAT(refused("x\ty\n1\t999.5\n2\t1,234\n"),
              HasSubstr("t.csv:3, column 2 (y): got \"1,234\" and on line 2 \"999.5\", expected one decimal sign"));
  EXPECT_THAT(refused("x;y\n12,5;1\n1.234;2\n"), HasSubstr("got \"12,5\" and on line 3 \"1.234\""));
  EXPECT_THAT(warnings("x\ty\n1\t999\n2\t1,234\n"), HasSubstr("got \"1,234\", read as 1.234: a decimal comma"));
  EXPECT_EQ(warnings("x\ty\n1\t999\n2\t1,234\n3\t1,5\n"), "");
  EXPECT_EQ(warnings("x\ty\n1\t999\n2\t0,125\n"), "");
}

TEST_F(CsvData, NamesThatAreNumbersAreAskedFor) {
  EXPECT_THAT(warnings("country,2019,2020\nA,1,2\nB,2,1\n"),
              HasSubstr("row 1 holds a number and is read as data, but its \"country\" stands nowhere else"));
  EXPECT_EQ(warnings("A,1,2\nA,1,2\nB,2,1\n"), "");
}

TEST_F(CsvData, IgnoredColumnsAreNotRead) {
  options_.ignore = {"id", "1"};
  options_.target = "kind";
  const std::string text = "id,note,size,kind\n1,,1.5,a\nx,?,2.5,b\n";
  const Dataset set = load(text);
  EXPECT_THAT(set.feature_names, ElementsAre("size"));
  EXPECT_TRUE(at::equal(set.inputs, at::tensor({1.5f, 2.5f}).view({2, 1})));
  options_.test_path = dir_.write("test.csv", "kind,size\nb,4\n");  // they need not be there
  EXPECT_EQ(load(text).size(), 3);
  options_.test_path.clear();
  options_.ignore = {"kind"};
  EXPECT_THAT(refused(text), HasSubstr("data.ignore names the target, got \"kind\""));
  options_.ignore = {"id", "note", "size"};
  EXPECT_THAT(refused(text), HasSubstr("4 columns, 3 of them ignored, expected features and a target"));
  options_.ignore = {"sise"};
  EXPECT_THAT(refused(text), HasSubstr("did you mean \"size\"?"));
}

TEST_F(CsvData, IdentifiersAreTold) {
  std::string text = "customer id,code,size,kind\n";
  for (int i = 0; i < 30; ++i)
    text += std::to_string(1000 + i) + ",c" + std::to_string(i) + "," + std::to_string(i % 7) +
            (i % 2 == 0 ? ",a\n" : ",b\n");
  ::testing::internal::CaptureStderr();
  load(text);
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("customer id counts the rows; if it is an identifier, leave it out with data.ignore: "
                              "[\"customer id\"]"));
  EXPECT_THAT(told, HasSubstr("leave it out with data.ignore: [\"code\"]"));
  EXPECT_THAT(told, ::testing::Not(HasSubstr("size")));
}

TEST_F(CsvData, NumericClassesAreSortedByValue) {
  const Dataset set = load("0.5;10\n0.25;9\n0.125;10\n");
  EXPECT_THAT(set.class_names, ElementsAre("9", "10"));
  EXPECT_TRUE(at::equal(set.targets, at::tensor({1, 0, 1}, at::kLong)));
  EXPECT_THAT(set.feature_names, ElementsAre("column 1"));
}

TEST_F(CsvData, Regression) {
  options_.task = "regression";
  options_.target = "0";
  const Dataset set = load("y,x1,x2\n1.5,2,3\n4,5,6\n");
  EXPECT_EQ(set.targets.sizes(), at::IntArrayRef({2, 1}));
  EXPECT_TRUE(at::equal(set.targets.view({-1}), at::tensor({1.5f, 4.f})));
  EXPECT_TRUE(at::equal(set.inputs, at::tensor({2.f, 3.f, 5.f, 6.f}).view({2, 2})));
  EXPECT_THAT(refused("y,x\n1,2\nabc,3\n"), HasSubstr("t.csv:3, column 1 (y): got \"abc\", expected a number"));
}

TEST_F(CsvData, BadCellsTellTheirPlace) {
  EXPECT_THAT(refused("x,k\n1,a\n2,b\noops,a\n4,b\n"),
              HasSubstr("t.csv:4, column 1 (x): got \"oops\", expected a number"));
  EXPECT_THAT(refused("x,k\n1,a\n1e300,b\n"),
              HasSubstr("t.csv:3, column 1 (x): got \"1e300\", expected a finite number"));
  EXPECT_THAT(refused("x,k\n1,a\ninf,b\n"), HasSubstr("got \"inf\", expected a finite number within"));
  EXPECT_THAT(refused("x,k\n1,a\n2,a\n"), HasSubstr("1 class (a), expected at least 2"));
  EXPECT_THAT(refused("x,k\n1,1.5\n2,2.5\n"), HasSubstr("use data.task: regression"));
  options_.text_columns = "error";
  EXPECT_THAT(refused("x,k\nred,a\n2,b\n"), HasSubstr("text in a feature column (\"red\")"));
  std::string ids = "id,k\n";
  for (int i = 0; i < 1200; ++i) ids += "name" + std::to_string(i) + ",1\n";
  options_.text_columns = "one_hot";
  EXPECT_THAT(refused(ids), HasSubstr("more than 1000 different texts"));
}

TEST_F(CsvData, AllBadCellsAreToldAtOnce) {
  const std::string message = refused("x,y,k\n1,2,a\n1,oops,b\nNA,3,a\n4,1e300,b\n4,5,a\n4,6,a\n");
  EXPECT_THAT(message, ::testing::MatchesRegex(".*t.csv:3, column 2 .y.: got \"oops\", [^\n]*\n"
                                               ".*t.csv:4, column 1 .x.: a missing value; [^\n]*\n"
                                               ".*t.csv:5, column 2 .y.: got \"1e300\", [^\n]*"));
  std::string many = "x,k\n";
  for (int i = 0; i < 60; ++i) many += (i % 3 == 0 ? "oops" : "1") + std::string(i % 2 == 0 ? ",a\n" : ",b\n");
  EXPECT_THAT(refused(many), ::testing::EndsWith("\nand 10 more cells"));
}

TEST_F(CsvData, QuantitiesAsClassesAreAskedFor) {
  const auto warned = [&](int first, int step, int rows = 300) {
    std::string text = "x,y\n";
    for (int i = 0; i < rows; ++i) text += std::to_string(2 * i) + "," + std::to_string(first + step * (i % 30)) + "\n";
    ::testing::internal::CaptureStderr();
    load(text);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warned(17, 1),
              HasSubstr("the target y holds 30 different whole numbers from 17 to 46, and each becomes a "
                        "class; if it is a quantity, set data.task: regression"));
  EXPECT_THAT(warned(0, 2), HasSubstr("30 different whole numbers from 0 to 58"));
  EXPECT_THAT(warned(0, 1, 60), HasSubstr("30 different whole numbers from 0 to 29"));
  EXPECT_EQ(warned(0, 1), "");
  EXPECT_EQ(warned(1, 1), "");
}

TEST_F(CsvData, NumbersInAnotherStyleAreNoCategories) {
  EXPECT_THAT(refused("x,k\n\"1,5\",a\n\"2,5\",b\n"),
              HasSubstr("t.csv:2, column 1 (x): got \"1,5\", expected a number, with a decimal point"));
  EXPECT_THAT(refused("x;k\n1.234,5;a\n1.300,5;b\n"), HasSubstr("no separators of thousands"));
  EXPECT_THAT(load("x,k\n\"1,5\",a\nred,b\nblue,b\n").feature_names, ElementsAre("x=1,5", "x=blue", "x=red"));
}

TEST_F(CsvData, AConstantColumnThat32BitsRoundIsTaken) { EXPECT_EQ(load("x,k\n0.1,a\n0.1,b\n").size(), 2); }

TEST_F(CsvData, WhatAColumnOfTextMayBeIsAsked) {
  const auto warned = [&](const std::string& text) {
    ::testing::internal::CaptureStderr();
    load(text);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warned("x,k\nred,a\nblue,b\n"), HasSubstr("row 1 is read as data; set data.header: yes"));
  std::string dates = "day,k\n";
  for (int i = 10; i < 30; ++i) dates += "2020-01-" + std::to_string(i) + (i % 2 == 0 ? ",a\n" : ",b\n");
  options_.header = "yes";
  EXPECT_THAT(warned(dates), HasSubstr("day has 20 different texts in 20 rows"));
  EXPECT_EQ(warned("x,k\nred,a\nblue,b\n"), "");
}

TEST_F(CsvData, MissingValues) {
  const std::string text = "x,k\n1,a\nNA,b\n3,b\n4, ?\n";
  EXPECT_THAT(refused(text), HasSubstr("t.csv:3, column 1 (x): a missing value"));
  options_.missing = "drop";
  const Dataset set = load(text);
  EXPECT_EQ(set.size(), 2);
  EXPECT_THAT(set.description, HasSubstr("2 rows with missing values dropped"));
  options_.header = "yes";
  EXPECT_THAT(refused("x,k\nNA,b\n,b\n"), HasSubstr("every row has a missing value"));
}

TEST_F(CsvData, Options) {
  options_.name = "csv";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { load_dataset(options_); }), HasSubstr("data.path: missing"));
  options_.task = "clasification";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { load("1,2\n"); }), HasSubstr("did you mean \"classification\"?"));
  options_ = {};
  options_.target = "label";
  EXPECT_THAT(refused("x,k\n1,a\n2,b\n"), HasSubstr("no column \"label\""));
  options_ = {};
  EXPECT_THAT(refused("1\n2\n"), HasSubstr("1 column"));
}

TEST(Toys, FormulasNoiseAndPrefixes) {
  DataOptions options = named("cubic");
  options.noise = 0;
  const Dataset cubic = load_dataset(options);
  EXPECT_TRUE(at::allclose(cubic.targets, cubic.inputs.pow(3), 1e-5, 1e-5));
  EXPECT_GT(cubic.inputs.max().item<float>(), 3.9f);
  EXPECT_LT(cubic.inputs.min().item<float>(), -3.9f);
  options.noise = -1;
  options.rows = 20000;
  const Dataset noisy = load_dataset(options);
  EXPECT_NEAR((noisy.targets - noisy.inputs.pow(3)).std().item<double>(), 3.0, 0.06);
  EXPECT_TRUE(at::equal(noisy.inputs.slice(0, 0, 1000), cubic.inputs));

  const Dataset gap = load_dataset(named("sine_gap"));
  EXPECT_GE(gap.inputs.abs().min().item<float>(), 0.5f);
  EXPECT_LE(gap.inputs.abs().max().item<float>(), 2.0f);
  EXPECT_NEAR((gap.targets - (gap.inputs * M_PI).sin()).std().item<double>(), 0.1, 0.01);

  options = named("two_moons");
  options.noise = 0;
  const Dataset moons = load_dataset(options);
  const at::Tensor upper = moons.inputs.slice(0, 0, 1000, 2);
  EXPECT_TRUE(at::allclose(upper.pow(2).sum(1), at::ones({500}), 1e-5, 1e-5));
  EXPECT_EQ(moons.class_counts(all_rows(moons)), (std::vector<int64_t>{500, 500}));

  options = named("blobs");
  options.classes = 4;
  const Dataset blobs = load_dataset(options);
  EXPECT_EQ(blobs.classes(), 4);
  const at::Tensor centre = blobs.inputs.slice(0, 1, 1000, 4).mean(0);
  EXPECT_NEAR(centre[0].item<double>(), 0.0, 0.25);
  EXPECT_NEAR(centre[1].item<double>(), 3.0, 0.25);
}

TEST(Toys, SeedsDiffer) {
  DataOptions options = named("blobs");
  const Dataset first = load_dataset(options);
  EXPECT_TRUE(at::equal(load_dataset(options).inputs, first.inputs));
  options.seed = 1;
  EXPECT_FALSE(at::equal(load_dataset(options).inputs, first.inputs));
  options.rows = 0;
  EXPECT_THROW(load_dataset(options), Error);
}

TEST(Datasets, RegistryNamesTheNearest) {
  EXPECT_THAT(message_of(ErrorKind::kUsage, [] { load_dataset(named("minst")); }),
              AllOf(HasSubstr("minst"), HasSubstr("did you mean \"mnist\"?")));
  EXPECT_EQ(datasets().names().size(), 17u);
}

}  // namespace
}  // namespace scorevi::data
