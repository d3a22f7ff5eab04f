#include "inputs_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::run {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json table_of_two_inputs() {
  return {{"data", "csv"},
          {"task", "regression"},
          {"outputs", 1},
          {"class_names", json::array()},
          {"feature_names", {"a", "b"}},
          {"target", "y"},
          {"columns", 4},
          {"input_shape", {2}},
          {"input_scale", 1.0},
          {"pictures", nullptr},
          {"inputs", {{"mean", {0.5, 1.5}}, {"std", {1.0, 2.0}}, {"repeat", 1}}},
          {"targets", {{"mean", {3.0}}, {"std", {4.0}}, {"repeat", 1}}}};
}

json pictures_of_two_classes() {
  const json nothing = {{"mean", json::array()}, {"std", json::array()}, {"repeat", 1}};
  json object = table_of_two_inputs();
  object.update({{"task", "classification"},
                 {"outputs", 2},
                 {"class_names", {"cat", "dog"}},
                 {"feature_names", json::array()},
                 {"input_shape", {3, 8, 8}},
                 {"pictures",
                  {{"size", 8},
                   {"resize", 10},
                   {"exif_orientation", false},
                   {"interpolation", "bilinear"},
                   {"mean", {0.5, 0.5, 0.5}},
                   {"std", {0.2, 0.2, 0.2}}}},
                 {"inputs", nothing},
                 {"targets", nothing}});
  return object;
}

class InputsFile : public ::testing::Test {
 protected:
  InputForm load(const json& object) {
    folder_.write("run/inputs.json", object.dump());
    return load_inputs(run_);
  }
  // `value` in the place of what is there.
  void expect_damaged(json object, const char* place, const json& value, const char* part) {
    object[json::json_pointer(place)] = value;
    EXPECT_THAT(test::message_of(ErrorKind::kData, [&] { load(object); }),
                HasSubstr(std::string("inputs.json: damaged: \"") + part + "\" does not fit"))
        << place << value;
  }

  test::TempDir folder_;
  RunDirectory run_ = RunDirectory::create("run", folder_.file("run"));
};

TEST_F(InputsFile, IsReadBack) {
  const InputForm table = load(table_of_two_inputs());
  EXPECT_EQ(table.data.dataset.columns.target, "y");
  EXPECT_EQ(table.data.dataset.columns.count, 4);
  EXPECT_EQ(table.data.outputs(), 1);
  EXPECT_EQ(load(pictures_of_two_classes()).data.dataset.form.resize, 10);
}

TEST_F(InputsFile, OfEarlierVersionsDoesNotNameTheTarget) {
  json object = table_of_two_inputs();
  object.erase("target");
  object.erase("columns");
  EXPECT_EQ(load(object).data.dataset.columns.target, "");
}

TEST_F(InputsFile, PixelsThatShareAScale) {
  json object = table_of_two_inputs();
  object.update({{"input_shape", {1, 8, 8}}, {"feature_names", json::array()}});
  object["inputs"] = {{"mean", {0.0}}, {"std", {255.0}}, {"repeat", 64}};
  EXPECT_NO_THROW(load(object));
  expect_damaged(object, "/inputs/repeat", 8, "inputs");
}

TEST_F(InputsFile, PartsThatDoNotFitAreDamage) {
  const json table = table_of_two_inputs(), pictures = pictures_of_two_classes(), none = json::array();
  expect_damaged(table, "/targets/std", none, "targets");
  expect_damaged(table, "/targets/mean", {1.0, 2.0}, "targets");
  expect_damaged(table, "/targets/std", {0.0}, "targets");
  expect_damaged(table, "/inputs/mean", {1.0}, "inputs");
  expect_damaged(table, "/inputs/std", {1.0, -1.0}, "inputs");
  expect_damaged(table, "/inputs/mean", {1e300, 0.0}, "inputs");
  expect_damaged(table, "/inputs/repeat", 0, "inputs");
  expect_damaged(table, "/input_shape", {3}, "feature_names");
  expect_damaged(table, "/input_shape", none, "input_shape");
  expect_damaged(table, "/input_shape", {1L << 40, 1L << 40, 1L << 40}, "input_shape");
  expect_damaged(table, "/outputs", 2, "targets");
  expect_damaged(table, "/outputs", -1, "outputs");
  expect_damaged(table, "/class_names", {"cat"}, "class_names");
  expect_damaged(pictures, "/class_names", {"cat"}, "class_names");
  expect_damaged(pictures, "/pictures/size", 0, "pictures");
  expect_damaged(pictures, "/pictures/std", {0.2, 0.0, 0.2}, "pictures");
}

}  // namespace
}  // namespace scorevi::run
