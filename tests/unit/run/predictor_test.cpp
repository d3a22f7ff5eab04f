#include "predictor.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "scorevi/core/signals.h"
#include "support/error_of.h"

namespace scorevi::run {
namespace {

// Two outputs of three rows.
DataParts three_rows() {
  DataParts data;
  data.dataset.task = data::Task::kRegression;
  data.dataset.inputs = torch::zeros({3, 1});
  data.dataset.targets = torch::zeros({3, 2});
  data.dataset.files = {{"rows.csv", {1, 4, 9}}};
  return data;
}

TEST(AccumulateValues, APredictionThatIsNotFiniteIsToldWithItsRow) {
  DataParts data = three_rows();
  ValuePrediction prediction{torch::zeros({1, 4}), torch::ones({1, 4}), torch::zeros({4})};
  EXPECT_EQ(accumulate(prediction, data, "test", {0, 2}).result().n, 4);
  prediction.means[0][3] = INFINITY;
  const auto told = [&] {
    return test::message_of(ErrorKind::kNumerical, [&] { accumulate(prediction, data, "test", {0, 2}); });
  };
  EXPECT_EQ(told(), "metrics: predicted mean of test row 9 in rows.csv, got inf, expected a finite number");
  prediction.stds[0][1] = NAN;
  data.dataset.files.clear();
  EXPECT_THAT(told(), ::testing::HasSubstr("metrics: standard deviation of test row 1, got nan"));
}

TEST(AccumulateValues, EndsAtASignal) {
  const ValuePrediction prediction{torch::zeros({1, 2}), torch::ones({1, 2}), torch::zeros({2})};
  set_pending_signal(SIGTERM);
  EXPECT_THROW(accumulate(prediction, three_rows(), "test", {0}), Interrupted);
  set_pending_signal(0);
}

}  // namespace
}  // namespace scorevi::run
