#include "scorevi/metrics/classification.h"

#include "golden.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/metrics/confusion.h"

namespace scorevi::metrics {
namespace {

void expect_table(const BinTable& table, const Json& expected, const std::string& what) {
  ASSERT_EQ(static_cast<std::size_t>(table.size()), expected["count"].size()) << what;
  for (int b = 0; b < table.size(); ++b) {
    const std::string bin = what + " bin " + std::to_string(b);
    EXPECT_EQ(table.count[b], expected["count"][b].get<std::int64_t>()) << bin;
    expect_close(table.mean_confidence(b), number(expected["mean_confidence"][b]), 1e-12, bin);
    expect_close(table.accuracy(b), number(expected["accuracy"][b]), 1e-12, bin);
  }
}

void expect_calibration(const ClassificationResult& r, const Json& e, const std::string& what) {
  expect_close(r.ece, number(e["ece"]), 1e-12, what + " ece");
  expect_close(r.mce, number(e["mce"]), 1e-12, what + " mce");
  expect_close(r.adaptive_ece, number(e["adaptive_ece"]), 1e-12, what + " adaptive");
  expect_close(r.classwise_ece, number(e["classwise_ece"]), 1e-12, what + " class-wise");
  expect_close(r.ece_pooled, number(e["pooled_ece"]), 1e-12, what + " pooled");
  expect_close(r.mce_pooled, number(e["pooled_mce"]), 1e-12, what + " pooled mce");
  for (int k = 0; k < r.classes; ++k)
    expect_close(r.classwise_ece_per_class[k], number(e["classwise_ece_per_class"][k]), 1e-12,
                 what + " class " + std::to_string(k));
  expect_table(r.table, e["table"], what + " table");
  expect_table(r.adaptive_table, e["adaptive_table"], what + " adaptive table");
  expect_table(r.pooled_table, e["pooled_table"], what + " pooled table");
}

void expect_scalars(const ClassificationResult& r, const Json& e, const std::string& what) {
  expect_close(r.accuracy, number(e["accuracy"]), 1e-12, what + " accuracy");
  expect_close(r.top5_accuracy, number(e["top5_accuracy"]), 1e-12, what + " top5");
  expect_close(r.nll, number(e["nll"]), 1e-12, what + " nll");
  EXPECT_EQ(r.nll_clamped, e["nll_clamped_count"].get<std::int64_t>()) << what;
  expect_close(r.brier, number(e["brier"]), 1e-12, what + " brier");
  expect_close(r.mean_confidence, number(e["mean_confidence"]), 1e-12, what + " confidence");
  expect_close(r.signed_gap, number(e["signed_gap"]), 1e-12, what + " gap");
  expect_close(r.entropy, number(e["mean_entropy"]), 1e-12, what + " entropy");
}

// Mean entropy over the weight samples, from sample_probs [S][N][C].
at::Tensor expected_entropy(const Json& sample_probs) {
  const at::Tensor p = tensor(sample_probs);
  return -at::xlogy(p, p).sum(2).mean(0);
}

TEST(Classification, GoldenCases) {
  const Json file = golden("metrics_classification.json");
  ASSERT_EQ(file["cases"].size(), 13u);
  for (const Json& c : file["cases"]) {
    const std::string name = c["name"];
    const Json& e = c["expected"];
    for (const auto& [bins, calibration] : e["bins"].items()) {
      ClassificationAccumulator acc(c["num_classes"], {std::stoi(bins)});
      const bool sampled = c.contains("sample_probs");
      acc.add_probabilities(tensor(c["probs"]), labels(c["labels"]),
                            sampled ? expected_entropy(c["sample_probs"]) : at::Tensor());
      const ClassificationResult r = acc.result();
      EXPECT_EQ(r.n, c["num_samples"].get<std::int64_t>());
      expect_scalars(r, e, name);
      expect_calibration(r, calibration, name + " " + bins);
      if (sampled) {
        expect_close(r.expected_entropy, number(e["mean_expected_entropy"]), 1e-12, name);
        expect_close(r.mutual_information, number(e["mean_mutual_information"]), 1e-12, name);
      } else {
        EXPECT_TRUE(std::isnan(r.mutual_information));
      }
      const Json& per_sample = e["per_sample"];
      for (std::size_t i = 0; i < acc.records().size(); ++i) {
        EXPECT_EQ(acc.records().predicted[i], per_sample["predicted"][i].get<int>()) << name;
        EXPECT_EQ(acc.records().confidence[i], number(per_sample["confidence"][i])) << name;
        expect_close(acc.records().entropy[i], number(per_sample["entropy"][i]), 1e-12, name);
      }
    }
  }
}

// Through the logarithm every case away from bin edges gives the same values, in double and in
// float.
TEST(Classification, LogProbabilitiesAgreeWithProbabilities) {
  for (const Json& c : golden("metrics_classification.json")["cases"]) {
    const std::string name = c["name"];
    if (name.rfind("bin_edges", 0) == 0 || name == "all_equal_confidences") continue;
    const at::Tensor logs = tensor(c["probs"]).log();
    ClassificationAccumulator in_double(c["num_classes"]), in_float(c["num_classes"]);
    in_double.add(logs, labels(c["labels"]));
    in_float.add(logs.to(at::kFloat), labels(c["labels"]).to(at::kInt));
    expect_scalars(in_double.result(), c["expected"], name);
    expect_calibration(in_double.result(), c["expected"]["bins"]["15"], name);
    const Json& e = c["expected"];
    expect_close(in_float.result().nll, number(e["nll"]), 1e-6, name);
    expect_close(in_float.result().ece, number(e["bins"]["15"]["ece"]), 1e-6, name);
    expect_close(in_float.result().brier, number(e["brier"]), 1e-6, name);
  }
}

TEST(Classification, RaggedBatchesAreBitEqual) {
  const Json file = golden("metrics_classification.json");
  for (const Json& c : file["cases"]) {
    const at::Tensor probs = tensor(c["probs"]), y = labels(c["labels"]);
    ClassificationAccumulator whole(c["num_classes"]), ragged(c["num_classes"]);
    whole.add_probabilities(probs, y);
    const std::int64_t sizes[] = {1, 5, 0, 2, 11, 3, 1000};
    std::int64_t begin = 0;
    for (std::int64_t size : sizes) {
      const std::int64_t end = std::min(begin + size, probs.size(0));
      ragged.add_probabilities(probs.slice(0, begin, end), y.slice(0, begin, end));
      begin = end;
    }
    const ClassificationResult a = whole.result(), b = ragged.result();
    EXPECT_EQ(a.n, b.n);
    EXPECT_EQ(a.accuracy, b.accuracy);
    EXPECT_EQ(a.nll, b.nll);
    EXPECT_EQ(a.brier, b.brier);
    EXPECT_EQ(a.ece, b.ece);
    EXPECT_EQ(a.mce, b.mce);
    EXPECT_EQ(a.adaptive_ece, b.adaptive_ece);
    EXPECT_EQ(a.classwise_ece, b.classwise_ece);
    EXPECT_EQ(a.ece_pooled, b.ece_pooled);
    EXPECT_EQ(a.entropy, b.entropy);
    EXPECT_EQ(whole.records().pooled_gap, ragged.records().pooled_gap);
  }
}

// 101 samples in batches of 32: none is dropped, none is padded.
TEST(Classification, CountsEverySampleOnce) {
  ClassificationAccumulator acc(2);
  for (std::int64_t begin = 0; begin < 101; begin += 32) {
    const std::int64_t size = std::min<std::int64_t>(32, 101 - begin);
    acc.add(at::full({size, 2}, std::log(0.5)), at::zeros({size}, at::kLong));
  }
  EXPECT_EQ(acc.result().n, 101);
  EXPECT_EQ(acc.result().accuracy, 1.0);
}

// Confidence exactly 1 belongs to the last bin, not to a phantom one: |1/2 - 0.975| = 0.475.
TEST(Classification, ConfidenceOneIsInTheLastBin) {
  ClassificationAccumulator acc(2, {10});
  acc.add_probabilities(at::tensor({0.95, 0.05, 1.0, 0.0}, at::kDouble).reshape({2, 2}), at::tensor({0, 1}, at::kLong));
  const ClassificationResult r = acc.result();
  EXPECT_EQ(r.table.count[9], 2);
  EXPECT_NEAR(r.ece, 0.475, 1e-15);
  EXPECT_EQ(r.nll_clamped, 1);
}

// A float32 softmax that saturates: log-probabilities 0 and -200, and one a rounding above 0.
TEST(Classification, SaturatedLogProbabilities) {
  ClassificationAccumulator acc(2, {10});
  acc.add(at::tensor({0.0f, -200.0f, 1e-7f, -200.0f}).reshape({2, 2}), at::tensor({0, 1}, at::kLong));
  const ClassificationResult r = acc.result();
  EXPECT_EQ(r.table.count[9], 2);
  EXPECT_EQ(r.mean_confidence, 1.0);
  EXPECT_EQ(r.nll, 100.0);  // the log survives where a float32 probability would be 0
  EXPECT_EQ(r.nll_clamped, 0);
}

// Top-1 and pooled ECE of 37 classes differ by about K/2 and are told apart by name.
TEST(Classification, PooledEceIsMuchSmallerWithManyClasses) {
  const Json file = golden("metrics_classification.json");
  for (const Json& c : file["cases"]) {
    if (c["name"] != "n64_k37") continue;
    ClassificationAccumulator acc(37);
    acc.add_probabilities(tensor(c["probs"]), labels(c["labels"]));
    EXPECT_LT(acc.result().ece_pooled * 3, acc.result().ece);
  }
}

TEST(Classification, NoSamples) {
  const ClassificationResult r = ClassificationAccumulator(3).result();
  EXPECT_EQ(r.n, 0);
  EXPECT_TRUE(std::isnan(r.accuracy));
  EXPECT_TRUE(std::isnan(r.ece));
  EXPECT_TRUE(std::isnan(r.ece_pooled));
}

TEST(Classification, RefusesBadInput) {
  EXPECT_THROW(ClassificationAccumulator(1), Error);
  EXPECT_THROW(ClassificationAccumulator(3, {0}), Error);
  ClassificationAccumulator acc(2);
  const at::Tensor half = at::full({1, 2}, std::log(0.5));
  EXPECT_THROW(acc.add(half, at::tensor({2}, at::kLong)), Error);
  EXPECT_THROW(acc.add(half * std::nan(""), at::tensor({0}, at::kLong)), Error);
  EXPECT_THROW(acc.add(at::tensor({3.0, 1.0}).reshape({1, 2}), at::tensor({0}, at::kLong)),
               InternalError);  // logits, not log-probabilities
  acc.add(half, at::tensor({0}, at::kLong));
  EXPECT_THROW(acc.add(half, at::tensor({0}, at::kLong), at::tensor({0.5})), InternalError);
}

TEST(Confusion, CountsAndPairs) {
  ClassificationRecords r;
  r.target = {0, 0, 0, 1, 1, 2};
  r.predicted = {0, 1, 1, 0, 1, 1};
  EXPECT_EQ(confusion_counts(r, 3), (std::vector<std::int64_t>{1, 2, 0, 1, 1, 0, 0, 1, 0}));
  const std::vector<ConfusedPair> pairs = most_confused(r, 3, 2);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].target, 0);
  EXPECT_EQ(pairs[0].predicted, 1);
  EXPECT_EQ(pairs[0].count, 2);
  EXPECT_DOUBLE_EQ(pairs[0].share, 2.0 / 3.0);
  EXPECT_EQ(pairs[1].target, 1);
}

TEST(Confusion, LargestPutsNanLast) {
  const double nan = std::nan("");
  EXPECT_EQ(largest({0.5, nan, 2.0, 2.0, -1.0}, 4), (std::vector<std::size_t>{2, 3, 0, 4}));
  EXPECT_EQ(largest({nan, 1.0}, 5), (std::vector<std::size_t>{1, 0}));
}

}  // namespace
}  // namespace scorevi::metrics
