// What the subcommands do beyond the plain case of program_test.cpp: other data, other inputs, going on by name.
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scorevi/io/checkpoint.h"
#include "scorevi/io/csv.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

using test::run_program;
using test::slurp;
using test::TempDir;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kDigits = R"(name: digits
data: {name: digits, train_size: 200, batch_size: 40}
model: {name: mlp, hidden: [8]}
train: {epochs: 2}
evaluate: {samples: 4, bootstrap: 20}
)";

constexpr const char* kValues = R"(name: values
data: {name: csv, task: regression, path: PATH, test_frac: 0.5, batch_size: 10}
model: {name: mlp, hidden: [8]}
train: {epochs: 3}
evaluate: {samples: 4, bootstrap: 20}
)";

class CommandsTest : public ::testing::Test {
 protected:
  // y = 2 a - b and a little curvature.
  std::string table(const std::string& name = "table.csv", double first_a = -1) const {
    std::string text = "a,b,y\n";
    for (int i = 0; i < 60; ++i) {
      const double a = first_a + (i % 11) / 5.0, b = (i % 7) / 3.0 - 1;
      text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(2 * a - b + 0.3 * a * a) + "\n";
    }
    return folder_.write(name, text);
  }
  std::string values_config(const std::string& name = "values.yaml", const std::string& csv = "table.csv",
                            double first_a = -1) const {
    std::string text = kValues;
    return folder_.write(name, text.replace(text.find("PATH"), 4, table(csv, first_a)));
  }
  std::string digits_config() const { return folder_.write("digits.yaml", kDigits); }

  void train(const std::string& config, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"train", config, "--out", folder_.file("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = run_program(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  // Each row of the evaluation has the same numbers as that row of a prediction of the whole data set.
  void expect_agreement(const std::string& predictions, const std::vector<std::string>& columns,
                        const std::string& evaluation = "evaluation") const {
    const io::CsvTable predicted = io::read_csv(predictions);
    const io::CsvTable evaluated = io::read_csv(folder_.file("run/" + evaluation + "/predictions.csv"));
    ASSERT_GT(evaluated.rows(), 20U);
    for (std::size_t i = 0; i < evaluated.rows(); ++i) {
      const auto row = static_cast<std::size_t>(evaluated.number(i, evaluated.column("row")).value());
      ASSERT_EQ(predicted.number(row - 1, predicted.column("row")), static_cast<double>(row));
      for (const std::string& name : columns) {
        const double expected = evaluated.number(i, evaluated.column(name)).value();
        EXPECT_NEAR(predicted.number(row - 1, predicted.column(name)).value(), expected,
                    1e-5 + 1e-5 * std::abs(expected))
            << "row " << row << " " << name;
      }
    }
  }

  TempDir folder_;
};

TEST_F(CommandsTest, PredictedValuesAreThoseOfTheEvaluation) {
  train(values_config());
  const std::string out = folder_.file("predicted.csv");
  const auto result = run_program({"predict", folder_.file("run"), folder_.file("table.csv"), "--out", out});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("60 rows predicted, written to " + out));
  EXPECT_THAT(slurp(out), ::testing::StartsWith("file,row,output,mean,std,lower,upper\n"));
  expect_agreement(out, {"mean", "std", "lower", "upper"});
}

TEST_F(CommandsTest, PredictDoesNotOverwriteItsInput) {
  train(values_config());
  const std::string rows = folder_.file("table.csv"), before = slurp(rows);
  const auto result = run_program({"predict", folder_.file("run"), rows, "--out", rows});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is one of the inputs"));
  const std::string own = folder_.file("run/run.json"), info = slurp(own);
  for (const std::string& file : {own, folder_.file("run/../run/evaluation/report.json")}) {
    const auto refused = run_program({"predict", folder_.file("run"), rows, "--out", file});
    EXPECT_EQ(refused.exit_code, 2) << file;
    EXPECT_THAT(refused.err, HasSubstr("is a file of the run"));
  }
  EXPECT_EQ(slurp(own), info);
  EXPECT_EQ(run_program({"predict", folder_.file("run"), rows, "--out", folder_.file("run/mine.csv")}).exit_code, 0);
  EXPECT_EQ(slurp(rows), before);
}

TEST_F(CommandsTest, PicturesArePredictedFromTablesAndFromIdxFiles) {
  train(digits_config());
  const std::string table = "data/digits/digits.csv.gz";
  const std::string out = folder_.file("predicted.csv");
  ASSERT_EQ(run_program({"predict", folder_.file("run"), table, "--out", out}).exit_code, 0);
  expect_agreement(out, {"confidence", "entropy", "mutual_information", "p_0", "p_9"});

  std::string idx = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 8};
  const io::CsvTable digits = io::read_csv(table);
  for (std::size_t row : {0U, 1U})
    for (std::size_t pixel = 0; pixel < 64; ++pixel) idx += static_cast<char>(digits.number(row, pixel).value());
  const std::string pictures = folder_.write("new-idx3-ubyte", idx);
  const auto result = run_program({"predict", folder_.file("run"), pictures});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const io::CsvTable expected = io::read_csv(out), got = io::parse_csv(result.out, "stdout");
  ASSERT_EQ(got.rows(), 2U);
  for (std::size_t row : {0U, 1U})
    EXPECT_NEAR(got.number(row, got.column("p_3")).value(), expected.number(row, expected.column("p_3")).value(), 1e-6);
}

TEST_F(CommandsTest, TheColumnsOfTheRunTellAHeader) {
  train(values_config());
  const std::string texts = folder_.write("texts.csv", "y,b,a\nx,\"1,5\",u\n");
  const auto result = run_program({"predict", folder_.file("run"), texts});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("texts.csv:2, column 3 (a): got \"u\", expected a number"));
}

TEST_F(CommandsTest, PicturesDoNotFitARunThatReadsTables) {
  train(values_config());
  const std::string pictures = folder_.write("new", std::string("\0\0\x08\x03", 4) + std::string(12, '\0'));
  const auto result = run_program({"predict", folder_.file("run"), pictures});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("is an idx file, expected a CSV table"));
  const std::string table = folder_.write("new_idx.csv", "a,b\n1,2\n");
  EXPECT_EQ(run_program({"predict", folder_.file("run"), table}).exit_code, 0);
}

TEST_F(CommandsTest, EvaluateOnOtherData) {
  train(values_config());
  const std::string own = slurp(folder_.file("run/evaluation/report.json"));
  // Other values, which must be scaled as the run's training data were: by prediction or by evaluation, no difference.
  const std::string other = values_config("other.yaml", "other.csv", 0.5);
  const auto result = run_program({"evaluate", folder_.file("run"), "--data", other});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(slurp(folder_.file("run/evaluation/report.json")), own);
  const std::string out = folder_.file("predicted.csv");
  ASSERT_EQ(run_program({"predict", folder_.file("run"), folder_.file("other.csv"), "--out", out}).exit_code, 0);
  expect_agreement(out, {"mean", "std", "lower", "upper"}, "evaluation-test-csv-other");

  // The run's own table is not needed, and a second file does not replace what the first gave.
  const std::string first = slurp(folder_.file("run/evaluation-test-csv-other/report.json"));
  const std::string second = values_config("second.yaml", "second.csv", 0.7);
  std::filesystem::remove(folder_.file("table.csv"));
  ASSERT_EQ(run_program({"evaluate", folder_.file("run"), "--data", second}).exit_code, 0);
  EXPECT_EQ(slurp(folder_.file("run/evaluation-test-csv-other/report.json")), first);
  EXPECT_NE(slurp(folder_.file("run/evaluation-test-csv-second/report.json")), first);

  const auto misfit = run_program({"evaluate", folder_.file("run"), "--data", digits_config()});
  EXPECT_EQ(misfit.exit_code, 3) << misfit.err;
  EXPECT_THAT(misfit.err, HasSubstr("does not fit the run's network"));
}

TEST_F(CommandsTest, ALabelledTableIsEvaluatedWhole) {
  train(values_config());
  const std::string run = folder_.file("run"), other = table("new.csv", 0.5), out = folder_.file("predicted.csv");
  const auto result = run_program({"evaluate", run, "--data", other});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(slurp(run + "/evaluation-test-new/report.json"))["n"], 60);
  ASSERT_EQ(run_program({"predict", run, other, "--out", out}).exit_code, 0);
  expect_agreement(out, {"mean", "std"}, "evaluation-test-new");
  EXPECT_EQ(run_program({"evaluate", run, "--data", table()}).exit_code, 2);  // it was trained on
}

TEST_F(CommandsTest, TestRowsComeFromASecondFile) {
  train(values_config(), {"-s", "data.test_path=" + table("test.csv", 0.5)});
  EXPECT_EQ(nlohmann::json::parse(slurp(folder_.file("run/evaluation/report.json")))["n"], 60);
  EXPECT_THAT(
      slurp(folder_.file("run/evaluation/predictions.csv")),
      ::testing::StartsWith("file,row,output,target,mean,std,lower,upper,nll\n" + folder_.file("test.csv") + ",1,0,"));
}

TEST_F(CommandsTest, PredictReadsNamesAfterBlanks) {
  train(values_config());
  const std::string table = folder_.write("blanks.csv", "y, b, a\n0, 1, 2\n");
  const auto result = run_program({"predict", folder_.file("run"), table});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(CommandsTest, AnotherSplitOfTheRunsOwnDataIsNotEvaluated) {
  const std::string config = values_config();
  train(config);
  const std::string run = folder_.file("run");
  const auto result = run_program({"evaluate", run, "--data", config, "-s", "data.split_seed=5"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("of these 30 test rows, expected rows that it has not seen"));
  EXPECT_EQ(run_program({"evaluate", run, "--data", config}).exit_code, 0);
  EXPECT_EQ(run_program({"evaluate", run, "--data", config, "-s", "data.split_seed=5", "--split", "train"}).exit_code,
            0);
}

TEST_F(CommandsTest, AnEvaluationThatIsGoneIsMadeAgain) {
  const std::string config = values_config(), run = folder_.file("run");
  train(config);
  const std::string before = slurp(run + "/evaluation/predictions.csv");
  std::filesystem::remove_all(run + "/evaluation");
  EXPECT_THAT(run_program({"report", run}).err, HasSubstr("evaluate it with: scorevi evaluate " + run));
  const auto resumed = run_program({"train", "--resume", run});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(slurp(run + "/evaluation/predictions.csv"), before);
  EXPECT_THAT(run_program({"train", "--resume", run}).err, HasSubstr("nothing to do"));
}

TEST_F(CommandsTest, HowToGoOnIsToldAsItIsTyped) {
  const std::string config = values_config(), run = folder_.file("my run");
  const auto cut = run_program({"train", config, "--out", run, "--limit-batches", "2", "--max-steps", "1"});
  ASSERT_EQ(cut.exit_code, 0) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("go on with: scorevi train --resume '" + run + "' --limit-batches 2\n"));
  std::filesystem::rename(folder_.file("table.csv"), folder_.file("moved.csv"));
  const auto lost = run_program({"train", "--resume", run, "--limit-batches", "2"});
  EXPECT_EQ(lost.exit_code, 3);
  EXPECT_THAT(lost.err, HasSubstr("the run's data at another place: -s data.path=FILE"));
  const std::string place = "data.path=" + folder_.file("moved.csv");
  EXPECT_EQ(run_program({"train", "--resume", run, "--limit-batches", "2", "-s", place}).exit_code, 0);
}

TEST_F(CommandsTest, AWarmUpThatNeverEndsIsTold) {
  const auto result = run_program({"check", values_config(), "-s", "schedule.warmup_steps=10"});
  EXPECT_THAT(result.err, HasSubstr("schedule.warmup_steps: 10 is more than the 9 steps of the run"));
  const auto fits = run_program({"check", values_config(), "-s", "schedule.warmup_steps=9"});
  EXPECT_THAT(fits.err, Not(HasSubstr("warmup_steps")));
}

TEST_F(CommandsTest, ARunWhoseDataChangedIsNotEvaluated) {
  train(values_config());
  std::filesystem::rename(folder_.file("table.csv"), folder_.file("moved.csv"));
  const std::string run = folder_.file("run");
  EXPECT_THAT(run_program({"evaluate", run}).err,
              HasSubstr("No such file or directory\nthe run's data at another place"));
  EXPECT_EQ(run_program({"evaluate", run, "-s", "data.path=" + folder_.file("moved.csv")}).exit_code, 0);
  table("table.csv", -0.9);
  const auto result = run_program({"evaluate", run});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("expected the same data set"));
}

TEST_F(CommandsTest, WithoutTestRowsTheValidationRowsAreEvaluated) {
  train(values_config(), {"-s", "data.test_frac=0", "-s", "data.validation_frac=0.25"});
  const auto report = nlohmann::json::parse(slurp(folder_.file("run/evaluation/report.json")));
  EXPECT_EQ(report["split"], "validation");
  EXPECT_EQ(report["n"], 15);
}

TEST_F(CommandsTest, TuningIsJudgedByValidationRows) {
  const auto part = [this](const std::string& folder) {
    return nlohmann::json::parse(slurp(folder_.file("run/" + folder + "/report.json"))).value("split", "");
  };
  train(digits_config(), {"-s", "evaluate.split=validation"});
  EXPECT_EQ(part("evaluation"), "validation");
  ASSERT_EQ(run_program({"evaluate", folder_.file("run")}).exit_code, 0);
  EXPECT_EQ(part("evaluation"), "validation");
  EXPECT_EQ(part("evaluation-test"), "test");
  const auto refused = run_program({"check", digits_config(), "-s", "evaluate.split=test", "-s", "data.test_frac=0"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("split: test has no rows"));
}

// Whose batch-norm statistics stay as they were.
TEST_F(CommandsTest, ARunThatLeavesOutEveryStepFails) {
  const std::string run = folder_.file("run");
  const auto result = run_program({"train", digits_config(), "--out", run, "-s", "model={name: cifar_resnet20}", "-s",
                                   "data.train_size=40", "-s", "data.batch_size=16", "-s", "train.max_loss=1e-3", "-s",
                                   "train.max_refused_steps=1000"});
  EXPECT_EQ(result.exit_code, 4);
  EXPECT_THAT(result.err, HasSubstr("every one of the 4 steps was left out: nothing was learned"));
  EXPECT_EQ(nlohmann::json::parse(slurp(run + "/run.json"))["refused_steps"], 4);
  const params::StateDict state = io::load_checkpoint(run + "/checkpoints/last.safetensors", {"buffer."});
  EXPECT_EQ(state.tensor("buffer.bn1.num_batches_tracked").item<int64_t>(), 0);
}

TEST_F(CommandsTest, WeightsOfARunThatMayGoOnAreTold) {
  train(digits_config(), {"--max-steps", "2"});
  const auto result = run_program(
      {"train", digits_config(), "-s", "model.weights=" + folder_.file("run"), "--out", folder_.file("second")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("the run is interrupted: its weights so far are taken"));
}

TEST_F(CommandsTest, AReportOfEarlierWeightsGoesWhenTrainingGoesOn) {
  train(digits_config());
  const auto result =
      run_program({"train", "--resume", folder_.file("run"), "-s", "train.epochs=20", "--max-steps", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.file("run/evaluation/report.json")));
}

TEST_F(CommandsTest, WithNoRowsLeftNothingIsEvaluated) {
  train(values_config(), {"-s", "data.test_frac=0", "-s", "data.validation_frac=0"});
  EXPECT_FALSE(std::filesystem::exists(folder_.file("run/evaluation/report.json")));
  EXPECT_EQ(run_program({"evaluate", folder_.file("run")}).exit_code, 2);
}

TEST_F(CommandsTest, WhatDoesNotFitTheTaskIsTold) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"likelihood.name=categorical", "likelihood.name: got categorical, expected gaussian"},
      {"train.monitor=val_error", "train.monitor: got val_error, expected val_nll or val_rmse"}};
  const std::string config = values_config();
  for (const auto& [setting, message] : cases) {
    const auto result = run_program({"train", config, "-s", setting, "--out", folder_.file("run")});
    EXPECT_EQ(result.exit_code, 2) << setting;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(folder_.file("run"))) << setting;
  }
  const auto both = run_program({"check", config, "-s", cases[0].first, "-s", cases[1].first});
  EXPECT_THAT(both.err, HasSubstr(cases[0].second));
  EXPECT_THAT(both.err, HasSubstr(cases[1].second));
  EXPECT_EQ(both.out, "");  // not "no error"
}

TEST_F(CommandsTest, WhatIsOddAboutTheRowsIsTold) {
  std::string text = "x,k\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(i) + (i % 2 == 0 ? ",a\n" : ",b\n");
  const std::string path = folder_.write("t.csv", text + "3,c\n");
  const auto result = run_program({"check", folder_.write("c.yaml", "data: {name: csv, path: " + path + "}\n")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("csv: 1 of 3 classes have one row, which cannot be in all parts: c"));
  EXPECT_THAT(result.err, HasSubstr("data.batch_size: 50 is more than the "));
  EXPECT_THAT(result.err, Not(HasSubstr("device auto")));

  const std::string same = folder_.write("same.csv", "x,y\n1,5\n2,5\n3,5\n4,5\n5,5\n6,5\n");
  const auto constant =
      run_program({"check", folder_.write("same.yaml", "data: {name: csv, task: regression, path: " + same + "}\n")});
  ASSERT_EQ(constant.exit_code, 0) << constant.err;
  EXPECT_THAT(constant.err, HasSubstr("csv: 1 of 1 targets have the same value in every row"));
}

TEST_F(CommandsTest, TheWeightsThatAreUsedAreTold) {
  train(digits_config(), {"-s", "train.epochs=3"});
  const std::string told = "weights: " + folder_.file("run/checkpoints/best.safetensors") + ", after epoch 3\n";
  EXPECT_THAT(run_program({"evaluate", folder_.file("run")}).err, HasSubstr(told));
  const auto predicted = run_program({"predict", folder_.file("run"), "data/digits/digits.csv.gz"});
  EXPECT_THAT(predicted.err, HasSubstr(told));
  EXPECT_THAT(run_program({"predict", "--help"}).out, HasSubstr("file, row, output (from 0), mean, std"));
}

TEST_F(CommandsTest, AFileOfAnotherKindIsNamed) {
  train(values_config());
  const auto refused = [&](const std::string& file) {
    const auto result = run_program({"predict", folder_.file("run"), file});
    EXPECT_EQ(result.exit_code, 3) << file;
    return result.err;
  };
  const std::string expected = ", expected a CSV table: the run was trained on data set csv";
  EXPECT_THAT(refused(folder_.write("p.png", "\x89PNG\r\n\x1a\n")), HasSubstr("p.png: is a picture" + expected));
  EXPECT_THAT(refused(folder_.write("picture", "\xFF\xD8\xFF\xE0 and more")), HasSubstr(": is a picture" + expected));
  EXPECT_THAT(refused(folder_.file("run/checkpoints/last.safetensors")), HasSubstr(": is a weight file" + expected));
  EXPECT_THAT(refused(folder_.file("run")), HasSubstr(": is a folder" + expected));
}

// Runs in the current folder, which holds runs/.
class NamedRuns : public CommandsTest {
 protected:
  NamedRuns() : before_(std::filesystem::current_path()) { std::filesystem::current_path(folder_.path()); }
  ~NamedRuns() override { std::filesystem::current_path(before_); }

  std::vector<std::string> runs() const {
    std::vector<std::string> found;
    if (!std::filesystem::exists("runs")) return found;
    for (const auto& entry : std::filesystem::directory_iterator("runs")) found.push_back(entry.path().string());
    return found;
  }

 private:
  std::filesystem::path before_;
};

TEST_F(NamedRuns, ADryRunTrainsNothing) {
  const auto result = run_program({"train", values_config(), "--dry-run"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("name: values\n"));
  // The last one is the noise.
  EXPECT_THAT(result.out, HasSubstr("# dry run: " + std::to_string(2 * 8 + 8 + 8 + 1 + 1) + " parameters"));
  EXPECT_TRUE(runs().empty());
}

TEST_F(NamedRuns, ResumeAutoGoesOnWithTheUnfinishedRunOfThatName) {
  const std::string config = values_config();
  const auto first = run_program({"train", config, "--resume", "auto", "--max-steps", "2"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("no unfinished run of values, starting a new one"));
  ASSERT_EQ(runs().size(), 1U);
  const std::string folder = runs().front();
  EXPECT_THAT(folder, ::testing::StartsWith("runs/values-20"));

  // Another name that begins alike does not count.
  const auto other = run_program({"train", config, "-s", "name=val", "--resume", "auto", "--max-steps", "2"});
  ASSERT_EQ(other.exit_code, 0) << other.err;
  ASSERT_EQ(runs().size(), 2U);

  const auto second = run_program({"train", config, "--resume", "auto"});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("resumed after step 2"));
  EXPECT_EQ(runs().size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(slurp(folder + "/run.json"))["status"], "finished");

  // A finished run is left alone.
  ASSERT_EQ(run_program({"train", config, "--resume", "auto", "--max-steps", "1"}).exit_code, 0);
  EXPECT_EQ(runs().size(), 3U);
}

TEST_F(NamedRuns, ResumeWithoutAConfigurationOrACheckpoint) {
  EXPECT_EQ(run_program({"train", "--resume", "auto"}).exit_code, 2);
  const std::string config = values_config();
  ASSERT_EQ(run_program({"train", config, "--out", "run", "--max-steps", "1"}).exit_code, 0);
  EXPECT_EQ(run_program({"train", "--resume", "run", "--out", "elsewhere"}).exit_code, 2);
  std::filesystem::remove("run/checkpoints/last.safetensors");
  const auto result = run_program({"train", "--resume", "run"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("run: the run ended before its first checkpoint, it begins anew"));
  EXPECT_EQ(nlohmann::json::parse(slurp("run/run.json"))["status"], "finished");
  std::filesystem::remove("run/checkpoints/last.safetensors");  // of a finished run
  const auto finished = run_program({"train", "--resume", "run"});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.err, HasSubstr("expected a run with a checkpoint; start it anew"));
}

}  // namespace
}  // namespace scorevi
