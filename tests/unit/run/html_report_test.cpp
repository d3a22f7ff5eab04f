#include "scorevi/run/html_report.h"

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_of.h"
#include "support/temp_dir.h"
#include "synthetic_report.h"

namespace scorevi::run {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Every element is closed in order; no stray < or >. Returns what is wrong, "" when nothing is.
std::string ill_formed(const std::string& html) {
  static const std::set<std::string> kVoid = {"meta", "br", "img", "hr", "col", "link"};
  std::vector<std::string> open;
  std::size_t at = 0;
  while ((at = html.find('<', at)) != std::string::npos) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag does not end: " + html.substr(at, 40);
    const std::string tag = html.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.rfind("!", 0) == 0 || tag.rfind("?", 0) == 0 || tag.back() == '/') continue;
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" \n", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '/') {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes <" + (open.empty() ? "" : open.back()) + ">";
      open.pop_back();
    } else if (kVoid.count(name) == 0) {
      open.push_back(name);
    }
    if (tag.rfind("style", 0) == 0) at = html.find("</style>", at);
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

std::string report_of(const test::TempDir& folder, const RunDirectory& directory, const EvaluationReport& report) {
  write_html_report(directory, report, folder.file("report.html"));
  std::ostringstream text;
  text << std::ifstream(folder.file("report.html")).rdbuf();
  return text.str();
}

TEST(HtmlReport, ClassificationShowsEverything) {
  const test::TempDir folder;
  const std::string html = report_of(folder, test::synthetic_run(folder, "psm"), test::synthetic_classification());
  EXPECT_EQ(ill_formed(html), "");
  for (const char* part : {"digits_mlp_psm",
                           "psm, test split, n = 897, 50 weight samples, checkpoint best (lowest val_nll, epoch 60)",
                           "5.61",
                           "4.21 to 7.13",
                           "ECE % (15 bins)",
                           "under-confident by",
                           "T = 0.620",
                           "2 rows had probability 0",
                           "Terms of the loss",
                           "score matching",
                           "validation",
                           "σ of all weights",
                           "Reliability",
                           "Most confused classes",
                           "4 &amp; &lt;7&gt;",
                           "data:image/png;base64,",
                           "fc1.weight",
                           "validation_frac: 0.2",
                           "versions.libtorch",
                           "2.11.0",
                           "hashes.config",
                           "likelihood.temperature: 0.3 (now 1)",
                           "That of an ECE can lie above its value"})
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_THAT(html, Not(HasSubstr("did not learn")));
  for (const char* outside : {"href=", "src=\"http", "<link", "<script", "@import", "url("})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;  // self-contained
}

TEST(HtmlReport, MapHasNoPosterior) {
  const test::TempDir folder;
  EvaluationReport report = test::synthetic_classification();
  report.method = "map";
  report.samples = 0;
  report.sigma.clear();
  const std::string html = report_of(folder, test::synthetic_run(folder, "map"), report);
  EXPECT_EQ(ill_formed(html), "");
  EXPECT_THAT(html, HasSubstr("posterior mean"));
  EXPECT_THAT(html, Not(HasSubstr("Posterior</h2>")));
  EXPECT_THAT(html, Not(HasSubstr("score matching")));
}

TEST(HtmlReport, RegressionWithoutCurves) {
  const test::TempDir folder;
  const RunDirectory directory = test::synthetic_run(folder, "psm");
  std::filesystem::remove(directory.file(files::kMetrics));
  const std::string html = report_of(folder, directory, test::synthetic_regression());
  EXPECT_EQ(ill_formed(html), "");
  for (const char* part : {"RMSE", "0.121", "CRPS", "91.00", "The posterior did not learn"})
    EXPECT_THAT(html, HasSubstr(part));
  for (const char* part : {"Calibration</h2>", "Training</h2>", "Most confused", "no validation split"})
    EXPECT_THAT(html, Not(HasSubstr(part)));
}

TEST(HtmlReport, ADamagedMetricsFileIsAnError) {
  const test::TempDir folder;
  const RunDirectory directory = test::synthetic_run(folder, "psm");
  folder.write("run/metrics.csv", "epoch,step\n1,2\n3\n");
  EXPECT_THAT(
      test::message_of(ErrorKind::kData,
                       [&] { write_html_report(directory, test::synthetic_regression(), folder.file("x.html")); }),
      HasSubstr("metrics.csv:3"));
}

TEST(HtmlReport, GapAndMovedShareByHand) {
  EvaluationReport report;
  EXPECT_TRUE(std::isnan(confidence_gap(report)));
  EXPECT_TRUE(std::isnan(moved_share(report)));
  report.bins = metrics::BinTable(2);
  report.bins.add(1, 0.9, 1);
  report.bins.add(1, 0.8, 0);
  report.bins.add(0, 0.4, 0);
  EXPECT_NEAR(confidence_gap(report), (2.1 - 1) / 3, 1e-15);
  report.sigma = {{"a", 30, 0, 0, 0, 0, 1.0}, {"b", 70, 0, 0, 0, 0, 0.0}};
  EXPECT_NEAR(moved_share(report), 0.3, 1e-15);
}

metrics::BinTable one_bin(int rows, double confidence, double accuracy) {
  metrics::BinTable bins(1);
  for (int i = 0; i < rows; ++i) bins.add(0, confidence, accuracy);
  return bins;
}

TEST(HtmlReport, AdviceFollowsTheNumbers) {
  EvaluationReport report;
  report.split = "validation";
  report.samples = 50;
  report.bins = one_bin(1000, 0.95, 0.9);
  AdviceContext context{"psm", 0.1, true, 100, 70};
  EXPECT_THAT(advice(report, context)[0],
              HasSubstr("over-confident by 5.0 points on the validation split. A warmer posterior is wider: try "
                        "likelihood.temperature: 0.3 (now 0.1)"));
  context.method = "map";
  EXPECT_THAT(advice(report, context)[0], HasSubstr("compare method.name: psm"));
  report.bins = one_bin(1000, 0.8, 0.9);
  context = {"psm", 1, true, 100, 99};
  EXPECT_THAT(
      advice(report, context),
      Contains(HasSubstr("under-confident by 10.0 points on the validation split. The prior outweighs the data: "
                         "try likelihood.temperature: 0.3 (now 1)")));
  EXPECT_THAT(advice(report, context), Contains(HasSubstr("still falling at the end")));
  context.best_epoch = 20;
  EXPECT_THAT(advice(report, context), Contains(HasSubstr("best at epoch 20 of 100: train.patience")));
  context.stops_early = true;
  EXPECT_THAT(advice(report, context), Not(Contains(HasSubstr("train.patience"))));
  context.has_validation = false;
  EXPECT_THAT(advice(report, context), Contains(HasSubstr("data.validation_frac")));
  EXPECT_THAT(advice(report, context), Contains(HasSubstr("and to fit temperature scaling")));
  context.steps = 60;
  context.refused_steps = 7;
  EXPECT_THAT(advice(report, context), Contains(HasSubstr("7 of 60 training steps were left out")));
  context.refused_steps = 0;
  context.last_epoch = 0;  // nothing was trained
  EXPECT_THAT(advice(report, context), Not(Contains(HasSubstr("data.validation_frac"))));
  report.samples = 0;
  EXPECT_THAT(advice(report, context), Contains(HasSubstr("evaluate.samples: 50")));
  report.sigma = {{"a", 10, 0.02, 0.02, 0.02, 0.02, 0.05}};
  EXPECT_THAT(advice(report, context)[0], HasSubstr("did not learn"));
}

// The standard error of n rows of confidence 0.8 is 0.4 / sqrt(n).
TEST(HtmlReport, AGapWithinTheNoiseIsNoAdvice) {
  EvaluationReport report;
  const AdviceContext context{"psm", 1, true, 100, 99};
  const auto judged = ::testing::Contains(HasSubstr("-confident by"));
  report.bins = one_bin(60, 0.8, 0.9);  // two standard errors: 0.103
  EXPECT_THAT(advice(report, context), Not(judged));
  report.bins = one_bin(68, 0.8, 0.9);  // 0.097
  EXPECT_THAT(advice(report, context), judged);
  report.temperature = 1.1;  // on validation the same predictions were over-confident
  EXPECT_THAT(advice(report, context), Not(judged));
  report.temperature = 0.9;
  EXPECT_THAT(advice(report, context), judged);
  report.bins = one_bin(100000, 0.8, 0.815);  // certain, but small
  EXPECT_THAT(advice(report, context), Not(judged));
}

// Two standard errors of 160 rows: 0.047.
TEST(HtmlReport, CoverageOfIntervalsIsJudged) {
  EvaluationReport report = test::synthetic_regression();
  report.n = 160;
  AdviceContext context{"psm", 1, true, 100, 99};
  const auto told = [&](double coverage) {
    report.values = {{"coverage", {coverage, coverage, coverage}}};
    std::string text;
    for (const std::string& line : advice(report, context)) text += line + "\n";
    return text;
  };
  EXPECT_THAT(told(0.86), Not(HasSubstr("90 % intervals")));
  EXPECT_THAT(told(0.94), Not(HasSubstr("90 % intervals")));
  EXPECT_THAT(told(0.84),
              HasSubstr("The 90 % intervals hold 84.0 % of the targets of the test split: they are too narrow "
                        "(over-confident). The noise is learned on rows"));
  EXPECT_THAT(told(0.96), HasSubstr("too wide (under-confident). Train longer, for the learned noise may still be "
                                    "falling, or try likelihood.temperature: 0.3 (now 1)."));
  context.has_validation = false;
  EXPECT_THAT(told(0.9), AllOf(HasSubstr("data.validation_frac"), Not(HasSubstr("temperature scaling"))));
  context.method = "map";
  EXPECT_THAT(told(0.5), HasSubstr("compare method.name: psm"));
  report.n = 1;
  EXPECT_THAT(told(0), Not(HasSubstr("90 % intervals")));
  report.n = 160;
  context.fixed_noise = true;
  EXPECT_THAT(told(0.5), HasSubstr("Raise likelihood.noise_std, or let it be learned"));
  EXPECT_THAT(told(0.99), HasSubstr("Lower likelihood.noise_std"));
}

TEST(HtmlReport, RegressionShowsPredictionsAndABaseline) {
  const test::TempDir folder;
  EvaluationReport report = test::synthetic_regression();
  report.values.push_back({"r2", {0.75, NAN, NAN}});
  for (int i = 0; i < 30; ++i)
    report.values_drawn.push_back({{"", i}, 0.1 * i, 0.1 * i + 0.05, 0.1 * i - 0.2, 0.1 * i + 0.3});
  report.worst = {{{"houses.csv", 17}, 3.5, 1.25, 0.5, 2.0}};
  const std::string html = report_of(folder, test::synthetic_run(folder, "psm"), report);
  EXPECT_EQ(ill_formed(html), "");
  for (const char* part :
       {"90 % interval coverage", "of a density for numbers", "would have an RMSE of 0.242.", "Prediction against",
        "30 of the predictions", "Largest errors", "houses.csv", "-2.25", "0.5 to 2"})
    EXPECT_THAT(html, HasSubstr(part));
}

TEST(HtmlReport, ALongTableOfSigmasIsFoldedAway) {
  const test::TempDir folder;
  EvaluationReport report = test::synthetic_classification();
  const RunDirectory directory = test::synthetic_run(folder, "psm");
  EXPECT_THAT(report_of(folder, directory, report), Not(HasSubstr("Standard deviations of")));
  report.sigma.assign(13, report.sigma[0]);
  const std::string html = report_of(folder, directory, report);
  EXPECT_EQ(ill_formed(html), "");
  EXPECT_THAT(html, HasSubstr("<details><summary>Standard deviations of 13 parameters</summary>"));
}

}  // namespace
}  // namespace scorevi::run
