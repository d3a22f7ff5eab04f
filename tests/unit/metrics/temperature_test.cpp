#include "scorevi/metrics/temperature.h"

#include "golden.h"
#include "scorevi/core/error.h"

namespace scorevi::metrics {
namespace {

using Where = TemperatureFit::Where;

Where where_from(const std::string& text) {
  if (text == "interior") return Where::kInterior;
  if (text == "lower_bound") return Where::kLowerBound;
  if (text == "upper_bound") return Where::kUpperBound;
  return Where::kFlat;
}

TEST(Temperature, GoldenCases) {
  const Json file = golden("temperature.json");
  ASSERT_EQ(file["cases"].size(), 9u);
  for (const Json& c : file["cases"]) {
    const std::string name = c["name"];
    const Json& e = c["expected"];
    const TemperatureFit fit = fit_temperature(tensor(c["logits"]), labels(c["labels"]));
    EXPECT_EQ(fit.where, where_from(e["where"])) << name;
    EXPECT_NEAR(fit.nll_before, number(e["nll_before"]), 1e-10) << name;
    EXPECT_LE(fit.nll_after, number(e["nll_after"]) + number(e["nll_slack"])) << name;
    EXPECT_LE(fit.nll_after, fit.nll_before + 1e-15) << name;
    if (fit.where != Where::kFlat) {
      EXPECT_NEAR(std::log(fit.temperature), std::log(number(e["temperature"])), 1e-9) << name;
    }
    // Log-probabilities give the same temperature as logits.
    const TemperatureFit logs = fit_temperature(at::log_softmax(tensor(c["logits"]), 1), labels(c["labels"]));
    if (fit.where == Where::kInterior) {
      EXPECT_NEAR(std::log(logs.temperature), std::log(fit.temperature), 1e-9) << name;
    }
  }
}

TEST(Temperature, ApplyIsLogSoftmax) {
  const at::Tensor z = at::tensor({3.0, 1.0, -2.0, 1e4, -1e4, 0.0}, at::kDouble).reshape({2, 3});
  const at::Tensor got = apply_temperature(z, 2.5);
  EXPECT_TRUE(at::allclose(got, at::log_softmax(z / 2.5, 1), 1e-14, 1e-14));
  EXPECT_TRUE(at::allclose(got.exp().sum(1), at::ones({2}, at::kDouble)));
}

TEST(Temperature, ImpossibleLabelsAreSkippedAndCounted) {
  const at::Tensor z = at::tensor({0.0, -INFINITY, 2.0, 0.0, 0.0, 1.0, 3.0, 1.0}, at::kDouble).reshape({4, 2});
  const TemperatureFit fit = fit_temperature(z, at::tensor({1, 0, 0, 0}, at::kLong));
  EXPECT_EQ(fit.n, 3);
  EXPECT_EQ(fit.skipped, 1);
  EXPECT_TRUE(std::isfinite(fit.nll_after));
  EXPECT_TRUE(std::isnan(fit_temperature(z.slice(0, 0, 1), at::tensor({1}, at::kLong)).nll_after));
}

TEST(Temperature, RefusesBadInput) {
  const at::Tensor z = at::zeros({1, 2}, at::kDouble);
  EXPECT_THROW(fit_temperature(z, at::tensor({2}, at::kLong)), Error);
  EXPECT_THROW(fit_temperature(z * std::nan(""), at::tensor({0}, at::kLong)), Error);
}

}  // namespace
}  // namespace scorevi::metrics
