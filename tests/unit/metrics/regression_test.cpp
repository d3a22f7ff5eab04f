#include "scorevi/metrics/regression.h"

#include "golden.h"
#include "scorevi/core/error.h"

namespace scorevi::metrics {
namespace {

void expect_per_target(const RegressionRecords& r, const Json& e, const std::string& name) {
  for (std::size_t i = 0; i < r.size(); ++i) {
    const std::string what = name + " target " + std::to_string(i);
    expect_close(r.mean[i], number(e["mean"][i]), 1e-10, what);
    expect_close(r.std[i], number(e["std"][i]), 1e-10, what);
    expect_close(r.nll[i], number(e["nll"][i]), 1e-10, what);
    expect_close(r.nll_gaussian[i], number(e["nll_gaussian"][i]), 1e-10, what);
    expect_close(r.crps[i], number(e["crps"][i]), 1e-10, what);
    expect_close(r.crps_gaussian[i], number(e["crps_gaussian"][i]), 1e-10, what);
    const double width = number(e["upper"][i]) - number(e["lower"][i]);
    EXPECT_NEAR(r.lower[i], number(e["lower"][i]), 1e-9 * width) << what;
    EXPECT_NEAR(r.upper[i], number(e["upper"][i]), 1e-9 * width) << what;
    EXPECT_EQ(r.inside[i], e["inside"][i].get<int>()) << what;
  }
}

TEST(Regression, GoldenCases) {
  const Json file = golden("metrics_regression.json");
  ASSERT_EQ(file["cases"].size(), 7u);
  for (const Json& c : file["cases"]) {
    const std::string name = c["name"];
    RegressionAccumulator acc;
    acc.add(tensor(c["means"]), tensor(c["stds"]), tensor(c["targets"]));
    const RegressionResult r = acc.result();
    const Json& e = c["expected"];
    EXPECT_EQ(r.n, c["num_targets"].get<std::int64_t>());
    expect_close(r.mse, number(e["mse"]), 1e-10, name + " mse");
    expect_close(r.rmse, number(e["rmse"]), 1e-10, name + " rmse");
    expect_close(r.mae, number(e["mae"]), 1e-10, name + " mae");
    expect_close(r.nll, number(e["nll"]), 1e-10, name + " nll");
    expect_close(r.nll_gaussian, number(e["nll_gaussian"]), 1e-10, name + " nll_gaussian");
    expect_close(r.crps, number(e["crps"]), 1e-10, name + " crps");
    expect_close(r.crps_gaussian, number(e["crps_gaussian"]), 1e-10, name + " crps_gaussian");
    EXPECT_EQ(r.coverage, number(e["coverage90"])) << name;
    expect_close(r.width, number(e["width90"]), 1e-10, name + " width");
    expect_per_target(acc.records(), e["per_target"], name);
  }
}

TEST(Regression, RaggedBatchesAreBitEqual) {
  const Json c = golden("metrics_regression.json")["cases"][0];
  const at::Tensor m = tensor(c["means"]), s = tensor(c["stds"]), y = tensor(c["targets"]);
  RegressionAccumulator whole, ragged;
  whole.add(m, s, y);
  for (auto [begin, end] : {std::pair(0, 1), std::pair(1, 8), std::pair(8, 12)})
    ragged.add(m.slice(1, begin, end), s.slice(1, begin, end), y.slice(0, begin, end));
  EXPECT_EQ(whole.result().nll, ragged.result().nll);
  EXPECT_EQ(whole.result().crps, ragged.result().crps);
  EXPECT_EQ(whole.records().lower, ragged.records().lower);
}

// One standard normal: the 90 % interval is -+1.6449, whatever the level asked for is honoured.
TEST(Regression, QuantilesOfOneGaussian) {
  const double mean = 0.0, std = 1.0;
  EXPECT_NEAR(mixture_quantile(&mean, &std, 1, 0.95), 1.6448536269514722, 1e-14);
  EXPECT_NEAR(mixture_quantile(&mean, &std, 1, 0.025), -1.959963984540054, 1e-14);
  RegressionOptions options;
  options.interval_level = 0.5;
  RegressionAccumulator acc(options);
  acc.add(at::zeros({1, 1}), at::ones({1, 1}), at::zeros({1}));
  EXPECT_NEAR(acc.result().width, 2 * 0.6744897501960817, 1e-12);
}

TEST(Regression, EveryTargetIsAskedForBefore) {
  RegressionOptions options;
  int calls = 0;
  options.before_target = [&calls] {
    if (++calls == 3) throw std::runtime_error("enough");
  };
  RegressionAccumulator acc(options);
  EXPECT_THROW(acc.add(at::zeros({1, 5}), at::ones({1, 5}), at::zeros({5})), std::runtime_error);
  EXPECT_EQ(acc.records().size(), 2u);
}

TEST(Regression, RefusesBadInput) {
  RegressionAccumulator acc;
  const at::Tensor one = at::ones({1, 1}), y = at::ones({1});
  EXPECT_THROW(acc.add(one, one * 0.0, y), Error);
  EXPECT_THROW(acc.add(one * std::nan(""), one, y), Error);
  EXPECT_THROW(acc.add(one, one, y * INFINITY), Error);
  EXPECT_TRUE(std::isnan(acc.result().mse));
  RegressionOptions options;
  options.interval_level = 1.0;
  EXPECT_THROW(RegressionAccumulator{options}, Error);
}

}  // namespace
}  // namespace scorevi::metrics
