// Tables whose columns stand in another order than those of training.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/data/encode.h"
#include "scorevi/data/registry.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::data {
namespace {

using ::testing::HasSubstr;

class LabelledTable : public ::testing::Test {
 protected:
  LabelledTable() {
    options_.name = "csv";
    options_.task = "regression";
  }
  Dataset trained(const std::string& text) {
    options_.path = dir_.write("train.csv", text);
    return load_dataset(options_);
  }
  Dataset labelled(const Dataset& trained, const std::string& text) {
    DataOptions other = options_;
    other.path = dir_.write("new.csv", text);
    return read_labelled(other, trained);
  }
  std::string refused(const Dataset& trained, const std::string& text) {
    return test::message_of(ErrorKind::kData, [&] { labelled(trained, text); });
  }
  test::TempDir dir_;
  DataOptions options_;
};

constexpr const char* kHouses = "id,x1,x2,price\n1,2,3,50\n2,4,5,90\n";

TEST_F(LabelledTable, TheTargetIsFoundByTheNameOfTraining) {
  options_.ignore = {"id"};
  for (const char* target : {"auto", "-1", "3", "price"}) {
    options_.target = target;
    const Dataset houses = trained(kHouses);
    for (const char* text : {"price,id,x1,x2\n70,9,6,7\n", "x1,x2,price,id\n6,7,70,9\n", "x2,y,price,x1\n7,0,70,6\n",
                             "id,x1,x2,price,last\n9,6,7,70,0\n"}) {
      const Dataset set = labelled(houses, text);
      EXPECT_EQ(set.targets.item<float>(), 70) << text;
      EXPECT_TRUE(at::equal(set.inputs, at::tensor({6.f, 7.f}).view({1, 2}))) << text;
    }
  }
  options_.test_path = dir_.write("test.csv", "price,id,x1,x2\n70,9,6,7\n");
  EXPECT_EQ(trained(kHouses).targets[2].item<float>(), 70);
}

TEST_F(LabelledTable, ClassesToo) {
  options_.task = "classification";
  const Dataset set = labelled(trained("a,kind\n1,cat\n2,dog\n"), "kind,a\ndog,3\n");
  EXPECT_EQ(set.targets.item<std::int64_t>(), 1);
}

TEST_F(LabelledTable, ATargetOfAnotherNameIsAskedFor) {
  const Dataset houses = trained(kHouses);
  EXPECT_THAT(
      refused(houses, "id,x1,x2,prize\n1,2,3,4\n"),
      HasSubstr("new.csv: no column \"price\", the target of training (did you mean \"prize\"?); got the header "
                "id, x1, x2, prize; rename the column, or tell evaluate its name with -s data.target=NAME"));
  Dataset unnamed = houses;
  unnamed.columns.target.clear();
  options_.target = "prize";
  EXPECT_EQ(labelled(unnamed, "prize,id,x1,x2\n4,1,2,3\n").targets.item<float>(), 4);
}

TEST_F(LabelledTable, ATargetIsNoInput) {
  Dataset houses = trained(kHouses);
  houses.columns.target.clear();  // as runs of earlier versions
  EXPECT_THAT(refused(houses, "price,id,x1,x2\n4,1,2,3\n"),
              HasSubstr("new.csv:2, column 4 (x2) would be both the target and the input \"x2\" of the network"));
}

TEST_F(LabelledTable, WithoutAHeaderAllColumnsOfTrainingOrTheInputs) {
  options_.ignore = {"0"};
  const Dataset numbers = trained("1,2,3,50\n2,4,5,90\n");
  EXPECT_EQ(labelled(numbers, "9,6,7,70\n").targets.item<float>(), 70);
  const std::string expected =
      "new.csv: 3 columns without a header, expected the 4 of the table that the network was trained on, or its 2 "
      "inputs alone";
  EXPECT_THAT(refused(numbers, "6,7,70\n"), HasSubstr(expected));
  EXPECT_THAT(refused(numbers, "6,7\n"), HasSubstr("no column \"column 4\", the target of training; got 2 columns"));
  const auto encoded = [&](const std::string& text) {
    return encode_table(io::parse_csv(text, "new.csv"), numbers.feature_names, numbers.columns.count);
  };
  EXPECT_TRUE(at::equal(encoded("6,7\n"), encoded("9,6,7,70\n")));
  EXPECT_THAT(test::message_of(ErrorKind::kData, [&] { encoded("6,7,70\n"); }), HasSubstr(expected));

  options_.ignore.clear();
  options_.target = "0";
  const Dataset front = trained("50,2,3\n90,4,5\n");
  EXPECT_EQ(labelled(front, "70,6,7\n").targets.item<float>(), 70);
  EXPECT_THAT(refused(front, "6,7\n"), HasSubstr("new.csv:1, column 1 would be both the target and the input"));
}

TEST_F(LabelledTable, InputsHaveNamesOfTheirOwn) {
  const std::string text = "colour,colour=red,y\nred,1,2\nblue,2,3\n";
  EXPECT_THAT(test::message_of(ErrorKind::kData, [&] { trained(text); }),
              HasSubstr("train.csv: two inputs would be called \"colour=red\""));
  options_.ignore = {"colour"};
  EXPECT_EQ(trained(text).feature_names.size(), 1U);
}

}  // namespace
}  // namespace scorevi::data
