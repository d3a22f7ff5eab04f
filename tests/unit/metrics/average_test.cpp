#include "scorevi/metrics/average.h"

#include "golden.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::metrics {
namespace {

LogMeanExp averaged(const at::Tensor& logits, std::int64_t batch) {
  LogMeanExp average(logits.size(1), logits.size(2));
  for (std::int64_t s = 0; s < logits.size(0); ++s) {
    const at::Tensor logs = at::log_softmax(logits[s], 1);
    for (std::int64_t row = 0; row < logs.size(0); row += batch)
      average.add(row, logs.slice(0, row, std::min(row + batch, logs.size(0))));
    average.end_sample();
  }
  return average;
}

TEST(LogMeanExp, GoldenCases) {
  const Json file = golden("average.json");
  ASSERT_EQ(file["cases"].size(), 9u);
  for (const Json& c : file["cases"]) {
    const std::string name = c["name"];
    const at::Tensor logits = tensor(c["logits"]);
    const std::vector<double> expected = numbers(c["expected"]["log_mean"]);
    const at::Tensor in_double = averaged(logits, 1000).log_mean();
    const at::Tensor in_float = averaged(logits.to(at::kFloat), 1000).log_mean();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expect_close(in_double.const_data_ptr<double>()[i], expected[i], 1e-12, name);
      expect_close(in_float.const_data_ptr<double>()[i], expected[i], 1e-6, name + " float");
    }
    const at::Tensor nll = -in_double.gather(1, labels(c["labels"]).unsqueeze(1)).mean();
    expect_close(nll.item<double>(), number(c["expected"]["nll"]), 1e-12, name + " nll");
    EXPECT_TRUE(at::equal(in_double, averaged(logits, 2).log_mean())) << name;
  }
}

TEST(LogMeanExp, ManyEqualSamplesChangeNothing) {
  const at::Tensor logits = at::tensor({0.3, -2.0, 1.0}, at::kDouble).reshape({1, 1, 3});
  const at::Tensor got = averaged(logits.expand({1000, 1, 3}), 1).log_mean();
  EXPECT_TRUE(at::allclose(got, at::log_softmax(logits[0], 1), 0.0, 1e-12));
}

// Two certain, opposite votes: entropy of the mean ln 2, mean entropy 0.
TEST(LogMeanExp, ExpectedEntropy) {
  const at::Tensor logits = at::tensor({1e3, 0.0, 0.0, 1e3, 0.0, 0.0, 0.0, 0.0}, at::kDouble).reshape({2, 2, 2});
  const LogMeanExp average = averaged(logits, 2);
  const at::Tensor e = average.expected_entropy();
  EXPECT_NEAR(e[0].item<double>(), 0.5 * std::log(2.0), 1e-15);
  EXPECT_NEAR(e[1].item<double>(), 0.5 * std::log(2.0), 1e-15);
  EXPECT_NEAR(average.log_mean()[0][0].item<double>(), std::log(0.75), 1e-15);
}

TEST(LogMeanExp, RefusesMissingRowsAndBadValues) {
  LogMeanExp average(3, 2);
  EXPECT_THROW(average.log_mean(), InternalError);
  const at::Tensor two = at::full({2, 2}, std::log(0.5));
  average.add(0, two);
  EXPECT_THROW(average.end_sample(), InternalError);
  EXPECT_THROW(average.add(1, two), InternalError);  // row 1 again
  EXPECT_THROW(average.add(2, two), InternalError);  // beyond the end
  EXPECT_THROW(average.add(2, two.slice(0, 0, 1) * std::nan("")), Error);
}

}  // namespace
}  // namespace scorevi::metrics
