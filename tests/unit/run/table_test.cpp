#include "scorevi/run/table.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_run.h"
#include "scorevi/io/csv.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kNaN = metrics::ClassificationResult::kNaN;

ResultRow row(const std::string& variant, const std::string& seed, const std::string& tau, double error, double nll) {
  ResultRow result;
  result.variant = variant;
  result.seed = seed;
  result.axes = {tau};
  result.values = {{error, error - 0.01, error + 0.01}, {nll, nll - 0.1, nll + 0.1}};
  result.split = "test";
  result.n = 897;
  result.samples = 50;
  result.evaluations = 2000;
  result.seconds = 1.25;
  result.path = "runs/x/" + variant + "__seed=" + seed;
  return result;
}

// Three seeds: mean 0.05, sd 0.01, t(0.975, 2) = 4.302653: half width 0.0248414.
// Differences psm - advi: -0.02, -0.01, -0.03: mean -0.02, the same sd.
ResultTable two_methods() {
  ResultTable table;
  table.title = "digits";
  table.axes = {"likelihood.temperature"};
  table.metrics = {"error", "nll"};
  table.baseline = "advi";
  table.rows = {row("advi", "0", "1", 0.06, 0.40), row("advi", "1", "1", 0.06, 0.42), row("advi", "2", "1", 0.09, 0.44),
                row("psm", "0", "1", 0.04, 0.35),  row("psm", "1", "1", 0.05, 0.35),  row("psm", "2", "1", 0.06, 0.35)};
  return table;
}

TEST(Table, MeansAndStudentIntervalsByHand) {
  const std::vector<SummaryBlock> blocks = summarise(two_methods());
  ASSERT_EQ(blocks.size(), 1u);
  ASSERT_EQ(blocks[0].rows.size(), 2u);
  const SummaryRow& psm = blocks[0].rows[1];
  EXPECT_EQ(psm.variant, "psm");
  EXPECT_EQ(psm.runs, 3);
  EXPECT_NEAR(psm.cells[0].value, 0.05, 1e-15);
  EXPECT_NEAR(psm.cells[0].high - psm.cells[0].value, 4.302652729911275 * 0.01 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(psm.cells[1].low, 0.35, 1e-12);  // no spread
  EXPECT_TRUE(psm.cells[0].best);
  EXPECT_FALSE(blocks[0].rows[0].cells[0].best);
}

TEST(Table, PairedDifferencesUseTheSameSeeds) {
  ResultTable table = two_methods();
  std::swap(table.rows[3], table.rows[5]);             // the order of seeds does not matter
  table.rows.push_back(row("psm", "9", "1", 0.5, 5));  // a seed without a partner
  const std::vector<SummaryBlock> blocks = summarise(table);
  ASSERT_EQ(blocks[0].differences.size(), 1u);
  const SummaryRow& difference = blocks[0].differences[0];
  EXPECT_EQ(difference.variant, "psm");
  EXPECT_EQ(difference.runs, 3);
  EXPECT_NEAR(difference.cells[0].value, -0.02, 1e-15);
  EXPECT_NEAR(difference.cells[0].high, -0.02 + 4.302652729911275 * 0.01 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(difference.cells[1].value, -0.07, 1e-12);
}

// A method without chance has the same difference for all seeds, but for rounding: that is no certainty.
TEST(Table, EqualDifferencesHaveNoStar) {
  ResultTable table = two_methods();
  for (std::size_t i = 0; i < 3; ++i) table.rows[3 + i].values[0].value = table.rows[i].values[0].value - 0.0123;
  const std::vector<SummaryBlock> blocks = summarise(table);
  EXPECT_EQ(cell_text(blocks[0].differences[0].cells[0], metric_style("error"), 2, true), "-1.23 ± 0.00");
  EXPECT_EQ(cell_text(blocks[0].differences[0].cells[1], metric_style("nll"), 3, true), "-0.070 ± 0.050 *");
}

TEST(Table, OneRunShowsItsBootstrapInterval) {
  ResultTable table = two_methods();
  table.rows = {row("advi", "0", "1", 0.06, 0.40), row("psm", "0", "1", 0.04, 0.35)};
  const std::vector<SummaryBlock> blocks = summarise(table);
  EXPECT_TRUE(blocks[0].differences.empty());  // one pair has no interval
  EXPECT_EQ(cell_text(blocks[0].rows[1].cells[0], metric_style("error"), 2, false), "4.00 [3.00, 5.00]");
  EXPECT_THAT(markdown_table(table), HasSubstr("95 % bootstrap interval"));
  EXPECT_THAT(markdown_table(table), Not(HasSubstr("Student")));
}

TEST(Table, MissingNumbersAreDashesAndNeverBest) {
  ResultTable table = two_methods();
  for (ResultRow& item : table.rows)
    if (item.variant == "psm") item.values[0] = {};
  const std::vector<SummaryBlock> blocks = summarise(table);
  EXPECT_EQ(cell_text(blocks[0].rows[1].cells[0], metric_style("error"), 2, false), "–");
  EXPECT_FALSE(blocks[0].rows[1].cells[0].best);
  EXPECT_TRUE(blocks[0].rows[0].cells[0].best);
  EXPECT_TRUE(std::isnan(blocks[0].differences[0].cells[0].value));
  EXPECT_EQ(blocks[0].differences[0].cells[1].runs, 3);
}

TEST(Table, MarkdownExact) {
  const std::string text = markdown_table(two_methods());
  EXPECT_THAT(text, HasSubstr("# digits\n\n## likelihood.temperature = 1\n\n"
                              "| method | error % | NLL | seeds |\n"
                              "|---|---:|---:|---:|\n"
                              "| advi | 7.00 ± 4.30 | 0.420 ± 0.050 | 3 |\n"
                              "| psm | **5.00 ± 2.48** | **0.350 ± 0.000** | 3 |\n"
                              "\nDifference to advi on the same seeds:\n\n"
                              "| difference | error % | NLL | pairs |\n"
                              "|---|---:|---:|---:|\n"
                              "| psm | -2.00 ± 2.48 | -0.070 ± 0.050 * | 3 |\n"));
  EXPECT_THAT(text, HasSubstr("- Evaluated on the test split, n = 897.\n"));
}

TEST(Table, PlainTextIsAligned) {
  const std::string text = plain_table(two_methods());
  EXPECT_THAT(text, HasSubstr("  method        error %              NLL  seeds\n"
                              "  advi    7.00 ± 4.30    0.420 ± 0.050        3\n"
                              "  psm     5.00 ± 2.48 <  0.350 ± 0.000 <      3\n"));
}

TEST(Table, BlocksFollowTheAxes) {
  ResultTable table = two_methods();
  table.rows.push_back(row("psm", "0", "0.1", 0.03, 0.2));
  const std::vector<SummaryBlock> blocks = summarise(table);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_THAT(blocks[1].axes, ElementsAre("0.1"));
  EXPECT_EQ(block_title(table, blocks[1]), "likelihood.temperature = 0.1");
  EXPECT_FALSE(blocks[1].rows[0].cells[0].best);  // nothing to be better than
}

TEST(Table, DifferentRowsAreTold) {
  ResultTable table = two_methods();
  table.rows[0].n = 500;
  EXPECT_THAT(markdown_table(table),
              HasSubstr("the test split, n = 500; the test split, n = 897: not all on the same rows."));
}

TEST(Table, DecimalsShowThreeFiguresOfTheSmallestNumber) {
  ResultTable table = two_methods();
  for (ResultRow& item : table.rows) item.values[1].value *= 0.01;
  const std::vector<SummaryBlock> blocks = summarise(table);
  EXPECT_EQ(column_decimals(blocks, 0, metric_style("error")), 2);
  EXPECT_EQ(column_decimals(blocks, 1, metric_style("nll")), 5);  // 0.0035 needs 0.00350
}

TEST(Table, ResultsCsvReadsBackExactly) {
  const test::TempDir folder;
  ResultTable table = two_methods();
  table.rows[0].axes = {"[1, 2]"};
  table.rows[1].values[0] = {1.0 / 3, kNaN, kNaN};
  table.rows[1].seconds = kNaN;
  write_results_csv(table, folder.file("results.csv"));
  const io::CsvTable csv = io::read_csv(folder.file("results.csv"));
  EXPECT_THAT(csv.header(),
              ElementsAre("variant", "likelihood.temperature", "seed", "error", "error_low", "error_high", "nll",
                          "nll_low", "nll_high", "split", "n", "samples", "evaluations", "seconds", "path"));
  ASSERT_EQ(csv.rows(), 6u);
  EXPECT_EQ(csv.cell(0, 1), "[1, 2]");
  EXPECT_EQ(std::stod(std::string(csv.cell(1, 3))), 1.0 / 3);
  EXPECT_EQ(csv.cell(1, 4), "nan");
  EXPECT_EQ(csv.cell(1, 13), "nan");
  EXPECT_EQ(csv.cell(2, 10), "897");
  EXPECT_EQ(csv.cell(2, 14), "runs/x/advi__seed=2");
}

TEST(Table, ReadsTheNumbersOfARun) {
  const test::TempDir folder;
  const std::string path = test::write_fake_run(folder, "a", {"seed: 0\n"});
  const ResultRow result = read_result(RunDirectory::open(path), {"error", "ece", "rmse"});
  EXPECT_NEAR(result.values[0].value, 0.1, 1e-15);  // 1 - accuracy
  EXPECT_NEAR(result.values[0].low, 0.08, 1e-15);
  EXPECT_NEAR(result.values[0].high, 0.12, 1e-15);
  EXPECT_EQ(result.values[1].value, 0.05);
  EXPECT_TRUE(std::isnan(result.values[2].value));
  EXPECT_EQ(result.n, 500);
  EXPECT_EQ(result.evaluations, 2000);
  EXPECT_EQ(result.seconds, 1.5);

  folder.write("a/evaluation/report.json", "{\"metrics\": 3");
  EXPECT_THAT(test::message_of(ErrorKind::kData, [&] { read_result(RunDirectory::open(path), {}); }),
              HasSubstr("a/evaluation/report.json: not a report"));
}

TEST(Table, ReportLinksTheReportsOfItsRuns) {
  const test::TempDir folder;
  ResultTable table = two_methods();
  table.rows[0].path = folder.file("runs/a #1__seed=0");
  folder.write("runs/a #1__seed=0/evaluation/report.html", "");
  folder.write("out/x", "");
  write_table_report(table, folder.file("out/report.html"), {});
  std::ostringstream html;
  html << std::ifstream(folder.file("out/report.html")).rdbuf();
  EXPECT_THAT(html.str(), HasSubstr("<a href=\"../runs/a%20%231__seed=0/evaluation/report.html\">"));
  EXPECT_THAT(html.str(), HasSubstr("3 seeds say little"));
}

TEST(Table, ReportHoldsTablesAndSavesFigures) {
  const test::TempDir folder;
  ResultTable table = two_methods();
  table.rows.push_back(row("psm", "0", "0.1", 0.03, 0.2));
  table.rows.push_back(row("advi", "0", "0.1", 0.05, 0.3));
  table.notes = {"No result of x<y: failed."};
  const auto read = [&](const std::string& name) {
    std::ostringstream text;
    text << std::ifstream(folder.file(name)).rdbuf();
    return text.str();
  };
  write_table_report(table, folder.file("report.html"), {"likelihood.temperature", folder.file("figures")});
  const std::string html = read("report.html");
  EXPECT_THAT(html, HasSubstr("5.00 ± 2.48"));
  EXPECT_THAT(html, HasSubstr("No result of x&lt;y: failed."));
  EXPECT_THAT(read("figures/error.svg"), HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("One seed says little"));
  EXPECT_THAT(html, Not(HasSubstr("href=")));  // there are no reports of these runs

  write_table_report(table, folder.file("report.html"), {"", folder.file("points")});
  EXPECT_THAT(read("points/nll__likelihood.temperature=0.1.svg"), HasSubstr("psm"));
}

}  // namespace
}  // namespace scorevi::run
