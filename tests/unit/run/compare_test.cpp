#include "scorevi/run/compare.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_run.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string config(const std::string& method, int seed, const std::string& tau, const std::string& lr = "0.001") {
  return "name: x" + std::to_string(seed) + "\nseed: " + std::to_string(seed) +
         "\ndata:\n  name: digits\n  workers: " + std::to_string(seed) + "\nlikelihood:\n  temperature: " + tau +
         "\nmethod:\n" + method + "optimizer:\n  name: adam\n  lr: " + lr + "\n";
}

const char kAdvi[] = "  name: advi\n  kl: analytic\n";
const char kAnalytic[] = "  name: psm\n  solver: gradient\n  estimator: analytic\n";
const char kSampled[] = "  name: psm\n  solver: gradient\n  estimator: sampled\n";
const char kClosed[] = "  name: psm\n  solver: closed_form\n  beta: 0.001\n  average: 0.9\n";

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Compare : public ::testing::Test {
 protected:
  std::string add(const std::string& name, const std::string& text, double accuracy = 0.9, double ece = 0.05,
                  double nll = 0.3) {
    paths_.push_back(test::write_fake_run(folder_, name, {text, "finished", accuracy, ece, nll}));
    return paths_.back();
  }
  test::TempDir folder_;
  std::vector<std::string> paths_;
};

TEST_F(Compare, RowsAreNamedByWhatTellsThemApart) {
  for (int seed = 0; seed < 2; ++seed) {
    const std::string s = std::to_string(seed);
    add("a" + s, config(kAdvi, seed, "1"));
    add("b" + s, config(kAnalytic, seed, "1"));
    add("c" + s, config(kSampled, seed, "1"));
    add("d" + s, config(kClosed, seed, "1"));
  }
  const ResultTable table = compare_runs(paths_);
  EXPECT_THAT(table.axes, SizeIs(0));
  EXPECT_THAT(table.notes, SizeIs(0));
  const auto blocks = summarise(table);
  ASSERT_THAT(blocks, SizeIs(1));
  ASSERT_THAT(blocks[0].rows, SizeIs(4));
  EXPECT_EQ(blocks[0].rows[0].variant, "advi");
  EXPECT_EQ(blocks[0].rows[1].variant, "psm (solver=gradient, estimator=analytic)");
  EXPECT_EQ(blocks[0].rows[2].variant, "psm (solver=gradient, estimator=sampled)");
  EXPECT_EQ(blocks[0].rows[3].variant, "psm (solver=closed_form)");
  EXPECT_EQ(blocks[0].rows[3].runs, 2);
}

TEST_F(Compare, OtherDifferencesBecomeAxes) {
  add("a", config(kAdvi, 0, "1"));
  add("b", config(kAdvi, 0, "0.1"));
  add("c", config(kAdvi, 0, "0.1", "0.01"));
  const ResultTable table = compare_runs(paths_);
  EXPECT_THAT(table.axes, ElementsAre("likelihood.temperature"));
  EXPECT_EQ(table.rows[1].variant, "advi (optimizer.lr=0.001)");
  EXPECT_EQ(table.rows[2].variant, "advi (optimizer.lr=0.01)");
  EXPECT_THAT(table.rows[2].axes, ElementsAre("0.1"));
}

TEST_F(Compare, EveryDifferenceIsTold) {
  const std::string data = "train: {epochs: ";
  add("a", config(kAdvi, 0, "1", "0.01") + data + "10}\n");
  add("b", config(kAnalytic, 0, "0.1") + data + "20}\n");
  const ResultTable table = compare_runs(paths_);
  EXPECT_THAT(table.axes, ElementsAre("likelihood.temperature", "train.epochs"));
  EXPECT_THAT(table.rows[1].axes, ElementsAre("0.1", "20"));
  EXPECT_EQ(table.rows[1].variant, "psm");
  EXPECT_THAT(table.notes, ElementsAre("optimizer.lr: 0.01 for advi; 0.001 for psm."));
}

TEST_F(Compare, RunsThatDidNotEndAreMarked) {
  add("a", config(kAdvi, 0, "1"));
  const std::string path = test::write_fake_run(folder_, "b", {config(kAdvi, 1, "1"), "interrupted"});
  folder_.write("c/run.json", R"({"status": "interrupted", "reason": "signal"})");
  const ResultTable table = compare_runs({paths_[0], path, folder_.file("c")});
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(table.rows[1].variant, "advi (interrupted)");
  EXPECT_THAT(table.notes, ElementsAre("No result of " + folder_.file("c") + ": interrupted, signal.",
                                       path + ": interrupted, not finished; the numbers are of its weights so far."));
}

TEST_F(Compare, MembersOfASweepKeepTheirNames) {
  for (int seed = 0; seed < 2; ++seed) {
    const std::string end = "__seed=" + std::to_string(seed);
    add("s/plain" + end, config(kAnalytic, seed, "1"), 0.90);
    add("s/noisy" + end, config(kSampled, seed, "1"), 0.92);
  }
  folder_.write("s/.sweep.lock", "");
  const ResultTable table = compare_runs({folder_.file("s")}, "plain");
  EXPECT_EQ(table.baseline, "plain");
  EXPECT_EQ(table.rows[0].variant, "noisy");
  EXPECT_THAT(table.notes, ElementsAre("method.estimator: sampled for noisy; analytic for plain."));
}

TEST_F(Compare, TheSameColumnByNameOrNumberIsNoDifference) {
  const auto table_of = [&](const std::string& name, const std::string& target, const std::string& sha) {
    const std::string path = add(name, "seed: 0\ndata: {name: csv, target: " + target + "}\nmethod: {name: map}\n");
    folder_.write(name + "/run.json", R"({"status": "finished", "data": {"sha256": ")" + sha + "\"}}");
    return path;
  };
  table_of("a", "label", "f00");
  table_of("b", "\"-1\"", "f00");
  EXPECT_THAT(compare_runs(paths_).axes, SizeIs(0));
  table_of("c", "\"0\"", "ba5");
  EXPECT_THAT(compare_runs(paths_).axes, ElementsAre("data.target"));
}

TEST_F(Compare, AFolderOfRunsStandsForItsFinishedOnes) {
  add("sweep/b", config(kAdvi, 1, "1"));
  add("sweep/a", config(kAdvi, 0, "1"));
  folder_.write("sweep/c/run.json", "{\"status\": \"failed\"}");
  folder_.write("sweep/table.md", "");
  const ResultTable table = compare_runs({folder_.file("sweep")});
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(table.rows[0].seed, "0");
  EXPECT_THAT(table.notes, ElementsAre("No result of " + folder_.file("sweep/c") + ": failed."));
  const ResultTable twice = compare_runs({folder_.file("sweep"), paths_[0], folder_.file("sweep/../sweep/a")});
  EXPECT_THAT(twice.rows, SizeIs(2));
  EXPECT_THAT(twice.notes, SizeIs(1));
}

TEST_F(Compare, ACopyOfARunCountsOnce) {
  for (const char* name : {"a", "copy", "other"}) {
    add(name, config(kAdvi, 0, "1"));
    folder_.write(std::string(name) + "/run.json",
                  std::string(R"({"status": "finished", "id": ")") + (name[0] == 'o' ? "2" : "1") + "\"}");
  }
  const ResultTable table = compare_runs(paths_);
  EXPECT_THAT(table.rows, SizeIs(2));
  EXPECT_THAT(table.notes,
              ElementsAre(paths_[1] + ": the same run as an earlier one, by its id; it does not count again.",
                          paths_[2] + ": the same method and seed as an earlier run; both count."));
}

TEST_F(Compare, NumbersOnOtherDataAreNotAveraged) {
  for (int seed = 0; seed < 3; ++seed) {
    const std::string name = "r" + std::to_string(seed);
    add(name, config(kAdvi, seed, "1"));
    folder_.write(name + "/run.json",
                  std::string(R"({"status": "finished", "data": {"sha256": ")") + (seed < 2 ? "f00" : "ba5") + "\"}}");
  }
  EXPECT_THAT(compare_runs({paths_[0], paths_[1]}).axes, SizeIs(0));
  const ResultTable table = compare_runs({paths_[0], paths_[1], paths_[2]});
  EXPECT_THAT(table.axes, ElementsAre("data.sha256"));
  EXPECT_THAT(table.rows[1].axes, ElementsAre("f00"));
  EXPECT_THAT(table.rows[2].axes, ElementsAre("ba5"));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr(paths_[2] + ": its data were other ones than those of " + paths_[0])));
}

TEST_F(Compare, NumbersFromOtherFirstWeightsAreNotAveraged) {
  for (int seed = 0; seed < 2; ++seed) {
    const std::string name = "a" + std::to_string(seed);
    add(name, config(kAdvi, seed, "1"));
    folder_.write(name + "/run.json", R"({"status": "finished", "weights": {"sha256": ")" +
                                          std::string(seed == 0 ? "f00" : "ba5") + "\"}}");
  }
  const ResultTable table = compare_runs(paths_);
  EXPECT_THAT(table.axes, ElementsAre("model.weights.sha256"));
  EXPECT_THAT(table.notes,
              ElementsAre(HasSubstr(paths_[1] + ": its model.weights were other ones than those of " + paths_[0])));
}

TEST_F(Compare, ADamagedMemberOfAFolderIsANote) {
  for (int seed = 0; seed < 4; ++seed) add("all/a" + std::to_string(seed), config(kAdvi, seed, "1"));
  folder_.write("all/a0/evaluation/report.json", "{\"met");
  folder_.write("all/a1/run.json", "[]");
  std::filesystem::remove(paths_[2] + "/config.resolved.yaml");
  const ResultTable table = compare_runs({folder_.file("all")});
  EXPECT_THAT(table.rows, SizeIs(1));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr(paths_[0] + ": left out: "), HasSubstr(paths_[1] + ": left out: "),
                                       HasSubstr(paths_[2] + ": left out: ")));
}

TEST_F(Compare, BaselineByNameOrItsStart) {
  for (int seed = 0; seed < 3; ++seed) {
    add("a" + std::to_string(seed), config(kAdvi, seed, "1"), 0.90 + 0.01 * seed);
    add("b" + std::to_string(seed), config(kAnalytic, seed, "1"), 0.92 + 0.01 * seed);
    add("c" + std::to_string(seed), config(kSampled, seed, "1"), 0.92);
  }
  EXPECT_THAT(markdown_table(compare_runs(paths_, "advi")), HasSubstr("| psm (estimator=analytic) | -2.00 ± 0.00 |"));
  EXPECT_EQ(compare_runs(paths_, "psm (estimator=s").baseline, "psm (estimator=sampled)");
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { compare_runs(paths_, "psm"); }),
              HasSubstr("more than one row begins so"));
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { compare_runs(paths_, "advii"); }),
              HasSubstr("did you mean \"advi\"?"));
}

TEST_F(Compare, WhatIsNoRunIsAnError) {
  std::filesystem::create_directories(folder_.path() / "empty");
  EXPECT_THAT(test::message_of(ErrorKind::kData, [&] { compare_runs({folder_.file("empty")}); }),
              HasSubstr("holds no finished run"));
  EXPECT_THAT(test::message_of(ErrorKind::kData, [&] { compare_runs({folder_.file("none")}); }),
              HasSubstr("no such run folder"));
  const std::string path = add("unfinished", config(kAdvi, 0, "1"));
  std::filesystem::remove(path + "/evaluation/report.json");
  EXPECT_THAT(test::message_of(ErrorKind::kData, [&] { compare_runs({path}); }), HasSubstr("No result of " + path));
}

// SCOREVI_UPDATE_GOLDEN=1 rewrites the file.
TEST_F(Compare, GoldenMarkdown) {
  const double accuracy[] = {0.94, 0.95, 0.93};
  for (int seed = 0; seed < 3; ++seed)
    for (const char* tau : {"1", "0.1"}) {
      const std::string end = std::to_string(seed) + "_" + tau;
      const double colder = tau[1] == '.' ? 0.02 : 0.0;
      add("advi" + end, config(kAdvi, seed, tau), accuracy[seed] + colder - 0.01, 0.2 - 5 * colder,
          0.44 - 10 * colder + 0.01 * seed);
      add("psm" + end, config(kAnalytic, seed, tau), accuracy[seed] + colder, 0.18 - 5 * colder,
          0.35 - 8 * colder + 0.02 * seed);
      add("map" + end, config("  name: map\n", seed, tau), accuracy[seed] + colder - 0.005 * seed, 0.15 - 4 * colder,
          0.31 - 7 * colder);
    }
  const ResultTable table = compare_runs(paths_, "advi");
  const std::string text = markdown_table(table);
  const char* const golden = "tests/golden/compare.md";
  if (std::getenv("SCOREVI_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << text;
  EXPECT_EQ(text, contents(golden));

  write_comparison(table, folder_.file("out"));
  EXPECT_EQ(contents(folder_.file("out/table.md")), text);
  EXPECT_THAT(contents(folder_.file("out/results.csv")), HasSubstr("advi,1,0,"));
  EXPECT_THAT(contents(folder_.file("out/report.html")), HasSubstr("likelihood.temperature = 0.1"));
}

}  // namespace
}  // namespace scorevi::run
