#include "scorevi/data/split.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "scorevi/data/registry.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::data {
namespace {

using test::message_of;
using ::testing::HasSubstr;

using Rows = std::vector<std::int64_t>;

Dataset digits() { return load_dataset(DataOptions{}); }

Rows all_rows(const Dataset& set) {
  Rows rows(static_cast<std::size_t>(set.size()));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

std::set<std::int64_t> together(const Split& split) {
  std::set<std::int64_t> all(split.train.begin(), split.train.end());
  all.insert(split.validation.begin(), split.validation.end());
  all.insert(split.test.begin(), split.test.end());
  return all;
}

TEST(Split, PartsAreDisjointAndCoverEverything) {
  SplitOptions options;
  options.validation_frac = 0.2;
  const Split split = make_split(digits(), options);
  EXPECT_EQ(split.test.size(), 898u);
  EXPECT_EQ(split.validation.size(), 179u);
  EXPECT_EQ(split.train.size(), 720u);
  EXPECT_EQ(together(split).size(), 1797u);
  EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
}

TEST(Split, StandardExperiment) {
  SplitOptions options;
  options.train_size = 300;
  options.validation_frac = 0.2;
  const Split split = make_split(digits(), options);
  EXPECT_EQ(split.train.size(), 240u);
  EXPECT_EQ(split.validation.size(), 60u);
  EXPECT_EQ(split.test.size(), 898u);
  EXPECT_EQ(together(split).size(), 1198u);
}

TEST(Split, TestPartDependsOnTheSeedOnly) {
  const Dataset set = digits();
  SplitOptions options;
  const Split all = make_split(set, options);
  options.train_size = 100;
  options.validation_frac = 0.3;
  EXPECT_EQ(make_split(set, options).test, all.test);
  options.validation_frac = 0.0;
  const Split small = make_split(set, options);
  options.train_size = 300;
  const Split large = make_split(set, options);
  EXPECT_TRUE(std::includes(large.train.begin(), large.train.end(), small.train.begin(), small.train.end()));
  options.seed = 1;
  EXPECT_NE(make_split(set, options).test, all.test);
}

TEST(Split, StratifiedKeepsProportions) {
  const Dataset set = digits();
  SplitOptions options;
  options.train_size = 305;
  options.validation_frac = 0.2;
  options.stratified = true;
  const Split split = make_split(set, options);
  EXPECT_EQ(split.train.size() + split.validation.size(), 305u);
  for (const Rows* part : {&split.train, &split.validation, &split.test}) {
    const Rows counts = set.class_counts(*part);
    const Rows whole = set.class_counts(all_rows(set));
    for (std::size_t c = 0; c < 10; ++c) {
      const double expected = static_cast<double>(whole[c]) * static_cast<double>(part->size()) / 1797.0;
      EXPECT_NEAR(static_cast<double>(counts[c]), expected, 1.6) << c;
    }
  }
}

TEST(Split, OfficialPartsAsTheyAre) {
  Dataset set = digits();
  set.official_train = 1000;
  set.official_validation = 300;
  SplitOptions options;
  options.official_validation = true;
  const Split split = make_split(set, options);
  EXPECT_EQ(split.train.size(), 700u);
  EXPECT_EQ(split.train.back(), 699);
  EXPECT_EQ(split.validation.front(), 700);
  EXPECT_EQ(split.validation.back(), 999);
  EXPECT_EQ(split.test.size(), 797u);
  options.train_size = 10;
  EXPECT_THROW(make_split(set, options), Error);
  options.train_size = 0;
  set.official_validation = 0;
  EXPECT_THROW(make_split(set, options), Error);
}

TEST(Split, OfficialTestPart) {
  Dataset set = digits();
  set.official_train = 1000;
  SplitOptions options;
  options.train_size = 200;
  options.validation_frac = 0.5;
  const Split split = make_split(set, options);
  EXPECT_EQ(split.test.size(), 797u);
  EXPECT_EQ(split.test.front(), 1000);
  EXPECT_EQ(split.test.back(), 1796);
  EXPECT_LT(split.train.back(), 1000);
  EXPECT_LT(split.validation.back(), 1000);
  set.official_train = 0;
  options.train_size = 0;
  EXPECT_EQ(make_split(set, options).test.size(), 1797u);
  EXPECT_TRUE(make_split(set, options).train.empty());
}

TEST(Split, TrainingPartWithoutATestPart) {
  Dataset set = digits();
  set.official_train = set.size();
  SplitOptions options;
  options.test_frac = 0.25;
  options.stratified = true;
  const Split split = make_split(set, options);
  EXPECT_EQ(split.test.size(), 449u);
  EXPECT_EQ(together(split).size(), 1797u);
  set.official_validation = 297;
  options.official_validation = true;
  const Split official = make_split(set, options);
  EXPECT_EQ(official.validation.front(), 1500);
  EXPECT_EQ(official.validation.size(), 297u);
  EXPECT_EQ(official.test.size(), 375u);
  EXPECT_LT(official.test.back(), 1500);
  EXPECT_EQ(together(official).size(), 1797u);
  for (const std::int64_t count : set.class_counts(official.test)) EXPECT_NEAR(static_cast<double>(count), 37.5, 2);
}

TEST(Split, WhatCannotBe) {
  const Dataset set = digits();
  SplitOptions options;
  options.train_size = 900;
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { make_split(set, options); }),
              HasSubstr("train_size: got 900, expected 0 (all) to 899"));
  options = {};
  options.validation_frac = 1.0;
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { make_split(set, options); }), HasSubstr("validation_frac: got 1"));
  options = {};
  options.stratified = true;
  DataOptions cubic;
  cubic.name = "cubic";
  EXPECT_THROW(make_split(load_dataset(cubic), options), Error);
}

TEST(Split, FileRoundTripAndDamage) {
  const test::TempDir dir;
  SplitOptions options;
  options.train_size = 50;
  options.validation_frac = 0.2;
  const Split split = make_split(digits(), options);
  save_split(dir.file("split.json"), split, 1797);
  const Split read = load_split(dir.file("split.json"), 1797);
  EXPECT_EQ(read.train, split.train);
  EXPECT_EQ(read.validation, split.validation);
  EXPECT_EQ(read.test, split.test);
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_split(dir.file("split.json"), 1800); }),
              HasSubstr("split of 1797 rows, expected 1800"));

  const auto refused = [](const std::string& json) {
    return message_of(ErrorKind::kData, [&] { split_from_json(json, 5, "s"); });
  };
  const std::string head = R"({"format":1,"rows":5,)";
  EXPECT_THAT(refused("{"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(refused(R"({"format":2,"rows":5})"), HasSubstr("format 2"));
  EXPECT_THAT(refused(head + R"("train":[0],"test":[1]})"), HasSubstr("\"validation\" is missing"));
  EXPECT_THAT(refused(head + R"("train":[0,1],"validation":[1],"test":[]})"), HasSubstr("row 1 twice"));
  EXPECT_THAT(refused(head + R"("train":[5],"validation":[],"test":[]})"), HasSubstr("row 5, expected 0 to 4"));
  EXPECT_THAT(refused(head + R"("train":[0.5],"validation":[],"test":[]})"), HasSubstr("holds 0.5"));
}

}  // namespace
}  // namespace scorevi::data
