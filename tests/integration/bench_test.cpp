// `scorevi bench` from file to report.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/io/csv.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

using test::run_program;
using test::slurp;
using ::testing::HasSubstr;
using ::testing::Not;

class BenchTest : public ::testing::Test {
 protected:
  test::ProgramResult bench(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "bench", "configs/targets/smoke.yaml", "--out", out(), "-s", "evaluations=300", "-s", "seeds=1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments);
  }
  std::string out() const { return folder_.file("bench"); }
  // results.csv without the times.
  std::vector<std::vector<std::string>> results() const {
    const io::CsvTable table = io::read_csv(out() + "/results.csv");
    std::vector<std::vector<std::string>> rows(table.rows());
    for (std::size_t r = 0; r < table.rows(); ++r)
      for (std::size_t c = 0; c < table.columns(); ++c)
        if (table.header()[c] != "seconds" && table.header()[c] != "reached_seconds")
          rows[r].emplace_back(table.cell(r, c));
    return rows;
  }
  test::TempDir folder_;
};

TEST_F(BenchTest, EveryMethodOnEveryTarget) {
  const auto result = bench();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("## mixture"));
  const io::CsvTable table = io::read_csv(out() + "/results.csv");
  ASSERT_EQ(table.rows(), 26U);
  for (std::size_t r = 0; r < table.rows(); ++r)
    EXPECT_EQ(table.cell(r, table.column("outcome")), "finished") << table.cell(r, 0);
  for (const char* file : {"table.md", "curves.csv", "report.html", "figures/gaussian_d4_c10__mean_error.svg"})
    EXPECT_TRUE(std::filesystem::exists(out() + "/" + file)) << file;
  EXPECT_FALSE(std::filesystem::exists(out() + "/references"));
  // Results do not depend on what runs beside, or on a stop between members.
  const auto first = results();
  std::filesystem::remove_all(out() + "/members");
  ASSERT_EQ(bench({"--jobs", "1"}).exit_code, 0);
  EXPECT_EQ(results(), first);
}

TEST_F(BenchTest, FinishedMembersAreKept) {
  const std::vector<std::string> less = {"-s", "targets=[{name: banana}]", "-s", "methods=[{method: {name: map}}]"};
  ASSERT_EQ(bench(less).exit_code, 0);
  const auto again = bench(less);
  EXPECT_THAT(again.err, HasSubstr("1 members, 1 already finished"));
  std::vector<std::string> other = less;
  other.insert(other.end(), {"-s", "evaluations=400"});
  const auto refused = bench(other);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("was made with another configuration"));
  other.push_back("--redo");
  EXPECT_EQ(bench(other).exit_code, 0);
}

TEST_F(BenchTest, AForeignFolderIsLeftAlone) {
  const std::string figure = folder_.write("bench/figures/mine.svg", "x");
  const auto result = bench();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("holds files that are not of a bench"));
  EXPECT_TRUE(std::filesystem::exists(figure));
  EXPECT_FALSE(std::filesystem::exists(out() + "/table.md"));
}

TEST_F(BenchTest, MembersOfOtherDataAreRefused) {
  const std::string name = "eight_schools-eight_schools_centered.json";
  std::filesystem::create_directories(folder_.file("data/posteriordb"));
  const std::string copy = folder_.file("data/posteriordb/" + name);
  std::string text = slurp("data/posteriordb/" + name);
  std::ofstream(copy) << text;
  const std::vector<std::string> arguments = {
      "-s",
      "targets=[{name: posteriordb, posterior: eight_schools-eight_schools_centered, data_root: " +
          folder_.file("data") + "}]",
      "-s", "methods=[{method: {name: map}}]"};
  ASSERT_EQ(bench(arguments).exit_code, 0);
  EXPECT_EQ(bench(arguments).exit_code, 0);
  const std::vector<std::string> elsewhere = {
      "-s", "targets=[{name: posteriordb, posterior: eight_schools-eight_schools_centered}]", "-s",
      "methods=[{method: {name: map}}]"};
  const std::string stale = folder_.write("bench/members/.a.json.999999.tmp", "x");
  EXPECT_THAT(bench(elsewhere).err, HasSubstr("1 members, 1 already finished"));
  EXPECT_FALSE(std::filesystem::exists(stale));
  std::ofstream(copy) << text << "\n";
  const auto refused = bench(arguments);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("was made with another configuration or other data"));
}

TEST_F(BenchTest, AnAnswerIsSampledOnceForAllBatchesOfATarget) {
  const std::vector<std::string> regression = {
      "-s",
      "targets=[{label: a, name: logistic_regression, dim: 3, rows: 200}, "
      "{label: b, name: logistic_regression, dim: 3, rows: 200, batch_frac: 0.1}]",
      "-s",
      "methods=[{method: {name: advi}, optimizer: {lr: 0.1}}, {method: {name: gsm}, family: diagonal_gaussian}]",
      "-s",
      "reference={chains: 2, warmup: 200, draws: 200}"};
  const auto result = bench(regression);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("its own errors: mean 0."));
  EXPECT_THAT(result.out, HasSubstr("gsm: refused: "));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(out() + "/references")) {
    ++files;
    std::ofstream(entry.path()) << "{\"mean\": [1]}";
  }
  EXPECT_EQ(files, 1);
  const auto damaged = bench(regression);
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_THAT(damaged.err, HasSubstr("delete it to find the reference again"));
}

TEST_F(BenchTest, ErrorsOfTheFileNameTheirPlaces) {
  const std::string file =
      folder_.write("bad.yaml", "targets: [{name: gausian}]\nmethods: [{method: {name: bam, lr: 1}}]\n");
  const auto result = run_program({"bench", file});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("bad.yaml:1:"));
  EXPECT_THAT(result.err, HasSubstr("did you mean \"gaussian\"?"));
  EXPECT_THAT(result.err, HasSubstr("bad.yaml:2:"));
  const auto other = run_program({"bench", "configs/sweeps/quickstart.yaml"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err,
              HasSubstr("is a sweep file (it has base and variants), expected a bench file (with targets and "
                        "methods); run it with: scorevi sweep configs/sweeps/quickstart.yaml"));
  EXPECT_EQ(run_program({"bench"}).exit_code, 2);
  const auto keys = run_program({"bench", "--keys"});
  EXPECT_EQ(keys.exit_code, 0);
  EXPECT_THAT(keys.out, HasSubstr("robustness.start_std"));
}

}  // namespace
}  // namespace scorevi
