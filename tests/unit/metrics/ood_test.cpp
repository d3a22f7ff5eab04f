#include "scorevi/metrics/ood.h"

#include "golden.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/core/error.h"

namespace scorevi::metrics {
namespace {

TEST(Ood, GoldenCases) {
  const Json file = golden("metrics_ood.json");
  ASSERT_EQ(file["ood_cases"].size(), 11u);
  for (const Json& c : file["ood_cases"]) {
    const std::string name = c["name"];
    const Json& e = c["expected"];
    const OodResult r = ood_metrics(numbers(c["scores_in"]), numbers(c["scores_out"]));
    expect_close(r.auroc, number(e["auroc"]), 1e-12, name + " auroc");
    expect_close(r.aupr_in, number(e["aupr_in"]), 1e-12, name + " aupr_in");
    expect_close(r.aupr_out, number(e["aupr_out"]), 1e-12, name + " aupr_out");
    expect_close(r.fpr95, number(e["fpr95_in_positive"]), 1e-12, name + " fpr95");
    expect_close(r.fpr95_out, number(e["fpr95_out_positive"]), 1e-12, name + " fpr95_out");
    EXPECT_EQ(r.reason, e["reason"].get<std::string>()) << name;
    if (!r.reason.empty()) continue;
    expect_close(r.threshold, number(e["threshold_in_positive"]), 0.0, name + " threshold");
    expect_close(r.threshold_out, number(e["threshold_out_positive"]), 0.0, name);
  }
}

TEST(Ood, SelectiveGoldenCases) {
  const Json file = golden("metrics_ood.json");
  ASSERT_EQ(file["selective_cases"].size(), 7u);
  for (const Json& c : file["selective_cases"]) {
    const std::string name = c["name"];
    const Json& e = c["expected"];
    const SelectiveResult r =
        selective_metrics(numbers(c["confidence"]), c["correct"].get<std::vector<std::uint8_t>>());
    expect_close(r.aurc, number(e["aurc"]), 1e-12, name + " aurc");
    expect_close(r.selective_accuracy, number(e["selective_accuracy_80"]), 1e-12, name);
    EXPECT_EQ(r.reason, e["reason"].get<std::string>()) << name;
    if (!r.reason.empty()) continue;
    expect_close(r.accuracy, number(e["accuracy"]), 1e-12, name + " accuracy");
    EXPECT_EQ(r.kept, e["kept_at_80"].get<std::int64_t>()) << name;
    ASSERT_EQ(r.risk_at_k.size(), e["risk_at_k"].size()) << name;
    for (std::size_t k = 0; k < r.risk_at_k.size(); ++k)
      expect_close(r.risk_at_k[k], number(e["risk_at_k"][k]), 1e-12, name + " risk");
  }
}

// All pairs, with many ties.
TEST(Ood, AurocAgainstAllPairs) {
  const CounterRng rng(5, Purpose::kTest);
  std::vector<double> in, out;
  for (int i = 0; i < 150; ++i) in.push_back(std::round(3 * rng.normal(i)));
  for (int i = 0; i < 90; ++i) out.push_back(std::round(3 * rng.normal(1000 + i) + 1));
  double pairs = 0.0;
  for (double o : out)
    for (double s : in) pairs += o > s ? 1.0 : o == s ? 0.5 : 0.0;
  EXPECT_NEAR(ood_metrics(in, out).auroc, pairs / (150.0 * 90.0), 1e-14);
  EXPECT_NEAR(ood_metrics(out, in).auroc, 1.0 - pairs / (150.0 * 90.0), 1e-14);
}

TEST(Ood, SaysWhyAValueDoesNotExist) {
  EXPECT_EQ(ood_metrics({}, {1.0}).reason, "no in-distribution sample");
  EXPECT_EQ(ood_metrics({1.0}, {}).reason, "no out-of-distribution sample");
  const OodResult nan = ood_metrics({1.0, std::nan("")}, {2.0});
  EXPECT_TRUE(std::isnan(nan.auroc));
  EXPECT_EQ(nan.reason, "in-distribution score 1 is not a number");
  EXPECT_FALSE(selective_metrics({std::nan("")}, {1}).reason.empty());
  EXPECT_THROW(selective_metrics({1.0}, {1}, 0), Error);
}

}  // namespace
}  // namespace scorevi::metrics
