#include "scorevi/data/loader.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <thread>

#include "scorevi/data/registry.h"
#include "support/error_of.h"

namespace scorevi::data {
namespace {

using test::message_of;
using ::testing::HasSubstr;

using Rows = std::vector<std::int64_t>;

Rows first_rows(std::int64_t count) {
  Rows rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return rows;
}

Loader digits_loader(const LoaderOptions& options, const Rows& rows = first_rows(203)) {
  static const Dataset digits = load_dataset(DataOptions{});
  return Loader(digits, rows, fit_normalisation(digits, rows, "scale"), options);
}

LoaderOptions with_workers(int workers) {
  LoaderOptions options;
  options.seed = 3;
  options.workers = workers;
  return options;
}

std::vector<Batch> drain(BatchStream stream) {
  std::vector<Batch> batches;
  while (std::optional<Batch> batch = stream.next()) batches.push_back(std::move(*batch));
  return batches;
}

void expect_same(const Batch& a, const Batch& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.number, b.number);
  EXPECT_TRUE(at::equal(a.inputs, b.inputs));
  EXPECT_TRUE(at::equal(a.targets, b.targets));
}

TEST(Loader, EveryRowOnceAndTheUnevenBatchIsKept) {
  const Loader loader = digits_loader(with_workers(0));
  EXPECT_EQ(loader.batches(), 5);
  const std::vector<Batch> batches = drain(loader.stream(0));
  ASSERT_EQ(batches.size(), 5u);
  EXPECT_EQ(batches[4].inputs.sizes(), at::IntArrayRef({3, 1, 8, 8}));
  std::set<std::int64_t> seen;
  for (const Batch& batch : batches) seen.insert(batch.rows.begin(), batch.rows.end());
  EXPECT_EQ(seen.size(), 203u);
}

TEST(Loader, ValuesAreScaledAndBelongToTheirRows) {
  const Dataset digits = load_dataset(DataOptions{});
  const Batch batch = digits_loader(with_workers(0)).get(2, 1);
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    EXPECT_TRUE(at::equal(batch.inputs[at], digits.inputs[batch.rows[i]].to(at::kFloat) / 16));
    EXPECT_EQ(batch.targets[at].item<int>(), digits.targets[batch.rows[i]].item<int>());
  }
}

TEST(Loader, SameBytesForAnyNumberOfWorkers) {
  const std::vector<Batch> expected = drain(digits_loader(with_workers(0)).stream(4));
  for (const int workers : {1, 2, 8}) {
    const std::vector<Batch> batches = drain(digits_loader(with_workers(workers)).stream(4));
    ASSERT_EQ(batches.size(), expected.size());
    for (std::size_t b = 0; b < batches.size(); ++b) expect_same(batches[b], expected[b]);
  }
}

TEST(Loader, StartsAtAnyBatch) {
  const Loader loader = digits_loader(with_workers(2));
  const std::vector<Batch> rest = drain(loader.stream(1, 3));
  ASSERT_EQ(rest.size(), 2u);
  expect_same(rest[0], loader.get(1, 3));
  expect_same(rest[1], loader.get(1, 4));
  EXPECT_TRUE(drain(loader.stream(1, 5)).empty());
}

TEST(Loader, OrderChangesWithEpochAndSeed) {
  const Loader loader = digits_loader(with_workers(0));
  EXPECT_EQ(loader.order(0), loader.order(0));
  EXPECT_NE(loader.order(0), loader.order(1));
  LoaderOptions options = with_workers(0);
  options.seed = 4;
  EXPECT_NE(digits_loader(options).order(0), loader.order(0));
  options.shuffle = false;
  EXPECT_EQ(digits_loader(options, {7, 3, 5}).order(9), (Rows{7, 3, 5}));
}

// Pictures of 12 x 8 pixels that tell their row, and may do more when they are asked for.
class FakePictures final : public Pictures {
 public:
  explicit FakePictures(std::function<void(std::int64_t)> on_load = {}) : on_load_(std::move(on_load)) {}
  std::int64_t size() const override { return 203; }
  io::Image load(std::int64_t row) const override {
    if (on_load_) on_load_(row);
    io::Image image;
    image.width = 12;
    image.height = 8;
    for (int i = 0; i < 12 * 8 * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(i % 3 == 0 ? row : i % 12));
    return image;
  }
  std::string name(std::int64_t row) const override { return "picture " + std::to_string(row); }
  std::string identity(std::int64_t row) const override { return name(row); }

 private:
  std::function<void(std::int64_t)> on_load_;
};

Loader picture_loader(const LoaderOptions& options, std::function<void(std::int64_t)> on_load = {}) {
  Dataset dataset;
  dataset.name = "fake";
  dataset.class_names = {"a", "b"};
  dataset.pictures = std::make_shared<FakePictures>(std::move(on_load));
  dataset.targets = at::zeros({203}, at::kLong);
  dataset.form.size = 8;
  dataset.form.resize = 8;
  dataset.form.mean = {0, 0, 0.5};
  dataset.form.std = {1.0 / 255, 1, 1};
  check_dataset(dataset);
  return Loader(dataset, first_rows(203), {}, options);
}

TEST(Loader, PicturesAreBroughtToTheirForm) {
  LoaderOptions options = with_workers(2);
  options.shuffle = false;
  const std::vector<Batch> batches = drain(picture_loader(options).stream(0));
  ASSERT_EQ(batches.size(), 5u);
  EXPECT_EQ(batches[4].inputs.sizes(), at::IntArrayRef({3, 3, 8, 8}));
  const at::Tensor picture = batches[1].inputs[7];  // row 57
  EXPECT_NEAR(picture[0].min().item<float>(), 57, 1e-4);
  EXPECT_NEAR(picture[0].max().item<float>(), 57, 1e-4);
  // The middle 8 of 12 columns: the first one kept is column 2, its blue value (3 * 2 + 2) % 12 = 8.
  EXPECT_NEAR(picture[2][0][0].item<float>(), 8 / 255.0 - 0.5, 1e-6);
}

TEST(Loader, AugmentationIsAFunctionOfSeedEpochAndRow) {
  LoaderOptions options = with_workers(0);
  options.augment.emplace();
  options.augment->size = 8;
  options.augment->resize = 8;
  const std::vector<Batch> expected = drain(picture_loader(options).stream(1));
  options.workers = 3;
  const std::vector<Batch> again = drain(picture_loader(options).stream(1));
  for (std::size_t b = 0; b < again.size(); ++b) expect_same(again[b], expected[b]);
  EXPECT_FALSE(at::equal(picture_loader(options).get(2, 0).inputs, expected[0].inputs));
  LoaderOptions plain = with_workers(0);
  EXPECT_FALSE(at::equal(picture_loader(plain).get(1, 0).inputs, expected[0].inputs));
}

TEST(Loader, ViewsOfEvaluation) {
  LoaderOptions options = with_workers(0);
  options.shuffle = false;
  const at::Tensor middle = picture_loader(options).get(0, 0).inputs;
  options.views = TestViews::kFlip;
  EXPECT_TRUE(at::equal(picture_loader(options).get(0, 0).inputs, middle));
  options.view = 1;
  EXPECT_TRUE(at::equal(picture_loader(options).get(0, 0).inputs, middle.flip(3)));
}

TEST(Loader, ExceptionsKeepKindMessageAndPlace) {
  for (const int workers : {0, 1, 2, 8}) {
    LoaderOptions options = with_workers(workers);
    options.shuffle = false;
    BatchStream stream = picture_loader(options, [](std::int64_t row) {
                           if (row == 120) throw Error(ErrorKind::kData, "pictures/120.png: truncated");
                         }).stream(0);
    EXPECT_TRUE(stream.next().has_value());
    EXPECT_TRUE(stream.next().has_value());
    EXPECT_EQ(message_of(ErrorKind::kData, [&] { stream.next(); }),
              "loader: epoch 0, batch 2, row 120: pictures/120.png: truncated");
    EXPECT_FALSE(stream.next().has_value());
  }
  const auto plain = [](std::int64_t) { throw std::out_of_range("plain"); };
  EXPECT_THAT(message_of(ErrorKind::kRuntime, [&] { drain(picture_loader(with_workers(1), plain).stream(0)); }),
              HasSubstr("plain"));
}

TEST(Loader, EndsPromptlyInMidEpoch) {
  const auto slow = [](std::int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  BatchStream stream = picture_loader(with_workers(8), slow).stream(0);
  EXPECT_TRUE(stream.next().has_value());
  const auto start = std::chrono::steady_clock::now();
  { const BatchStream ended = std::move(stream); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(500));
}

TEST(Loader, WrongOptions) {
  LoaderOptions options;
  options.batch_size = 0;
  EXPECT_THROW(digits_loader(options), Error);
  options.batch_size = 1;
  options.workers = -1;
  EXPECT_THROW(digits_loader(options), Error);
  EXPECT_THROW(digits_loader(LoaderOptions{}, {}), Error);
}

TEST(Normalise, StandardisedOnTheTrainingRowsAlone) {
  DataOptions options;
  options.name = "cubic";
  const Dataset cubic = load_dataset(options);
  const Rows train = first_rows(100);
  const Normalisation fit = fit_normalisation(cubic, train, "standardise", true);
  const at::Tensor x = cubic.inputs.slice(0, 0, 100);
  EXPECT_NEAR(fit.inputs.mean[0], x.mean().item<double>(), 1e-6);
  EXPECT_NEAR(fit.inputs.std[0], x.std(/*unbiased=*/false).item<double>(), 1e-6);
  LoaderOptions all;
  all.batch_size = 100;
  const Batch batch = Loader(cubic, train, fit, all).get(0, 0);
  EXPECT_NEAR(batch.inputs.mean().item<double>(), 0.0, 1e-6);
  EXPECT_NEAR(batch.inputs.std(false).item<double>(), 1.0, 1e-6);
  EXPECT_NEAR(batch.targets.mean().item<double>(), 0.0, 1e-6);
  EXPECT_NEAR(batch.targets.std(false).item<double>(), 1.0, 1e-6);
}

TEST(Normalise, ImagesPerChannelAndConstantFeatures) {
  Dataset set;
  set.name = "made";
  set.class_names = {"a", "b"};
  set.inputs = at::tensor({0, 10, 7, 7, 20, 30, 7, 7}, at::kByte).view({2, 2, 1, 2});
  set.targets = at::tensor({0, 1}, at::kLong);
  const Normalisation fit = fit_normalisation(set, {0, 1}, "standardise");
  EXPECT_EQ(fit.inputs.repeat, 2);
  EXPECT_THAT(fit.inputs.mean, ::testing::ElementsAre(15.f, 7.f));
  EXPECT_FLOAT_EQ(fit.inputs.std[0], std::sqrt(125.f));
  EXPECT_EQ(fit.inputs.std[1], 1.f);
  EXPECT_TRUE(fit_normalisation(set, {}, "none").inputs.std.empty());
  EXPECT_THROW(fit_normalisation(set, {}, "standardise"), Error);
  EXPECT_THROW(fit_normalisation(set, {0}, "standardize"), Error);
}

}  // namespace
}  // namespace scorevi::data
