#include "scorevi/data/equal_rows.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace scorevi::data {
namespace {

using Rows = std::vector<std::int64_t>;

Dataset table(std::vector<float> inputs, std::vector<float> targets) {
  const auto rows = static_cast<std::int64_t>(targets.size());
  Dataset set;
  set.task = Task::kRegression;
  set.inputs = at::tensor(inputs).view({rows, -1});
  set.targets = at::tensor(targets).view({rows, 1});
  return set;
}

std::int64_t count(const Dataset& set, const Rows& rows, const Dataset& known, const Rows& known_rows,
                   CompareRows compare = CompareRows::kInputsAndTargets) {
  return count_known({set, rows}, {known, known_rows}, compare);
}

TEST(CountKnown, InputsAndTargetsWithRepetitions) {
  const Dataset known = table({1, 2, 3, 4, 5, 6}, {7, 8, 9});
  const Dataset set = table({3, 4, 3, 4, 1, 2, 5, 7}, {8, 8, 8, 9});
  EXPECT_EQ(count(set, {0, 1, 2, 3}, known, {0, 1, 2}), 2);
  EXPECT_EQ(count(set, {0, 1, 2, 3}, known, {0, 1, 2}, CompareRows::kInputs), 3);
  EXPECT_EQ(count(set, {1, 2, 3}, known, {0, 1, 2}), 1);
  EXPECT_EQ(count(set, {0, 1, 2, 3}, known, {0, 2}, CompareRows::kInputs), 1);
  EXPECT_EQ(count(set, {0, 1}, set, {2, 3}), 0);
  EXPECT_EQ(count(set, {0}, set, {1}), 1);
}

TEST(CountKnown, AnInputIsNoTarget) {
  EXPECT_EQ(count(table({1}, {2}), {0}, table({2}, {1}), {0}), 0);
  EXPECT_EQ(count(table({1}, {1}), {0}, table({2}, {2}), {0}), 0);
}

TEST(CountKnown, OtherShapesAreNeverEqual) {
  const Dataset zeros = table({0, 0}, {0});
  Dataset picture = zeros;
  picture.inputs = at::zeros({1, 1, 1, 2}, at::kFloat);
  EXPECT_EQ(count(zeros, {0}, picture, {0}), 0);
  picture.inputs = at::zeros({1, 8}, at::kByte);
  EXPECT_EQ(count(picture, {0}, zeros, {0}), 0);
}

TEST(CountKnown, PicturesInMemoryByTheirPixels) {
  const auto pictures = [](const at::Tensor& values) {
    const auto keep = std::make_shared<at::Tensor>(values);
    Dataset set;
    set.pictures = std::make_shared<PictureArray>(
        std::shared_ptr<const std::uint8_t>(keep, keep->const_data_ptr<std::uint8_t>()), keep->size(0), 2, 2);
    set.targets = at::zeros({keep->size(0)}, at::kLong);
    return set;
  };
  const at::Tensor values = at::arange(36, at::kByte).view({3, 3, 2, 2});
  const Dataset known = pictures(values), turned = pictures(values.flip(0).contiguous());
  EXPECT_EQ(count(turned, {0, 1, 2}, known, {0}), 1);
  EXPECT_EQ(count(turned, {0, 1}, known, {0}), 0);
  EXPECT_EQ(count(turned, {0}, table({1}, {2}), {0}), 0);
}

}  // namespace
}  // namespace scorevi::data
