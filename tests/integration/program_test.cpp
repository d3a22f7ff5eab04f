// The program as users meet it: exit codes, messages, the files of a run.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scorevi/io/checkpoint.h"
#include "support/program.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

using test::run_program;
using test::slurp;
using test::TempDir;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kConfig = R"(name: small
data: {name: digits, train_size: 200, batch_size: 40}
model: {name: mlp, hidden: [12]}
likelihood: {temperature: 0.1}
optimizer: {name: adam, lr: 3e-3}
train: {epochs: 60, eval_every: 20, eval_samples: 3}
evaluate: {samples: 5, bootstrap: 50}
)";

class ProgramTest : public ::testing::Test {
 protected:
  std::string config(const std::string& text = kConfig) const { return folder_.write("config.yaml", text); }
  TempDir folder_;
};

TEST_F(ProgramTest, TrainWritesEverythingItPromises) {
  const auto result = run_program({"train", config(), "--out", folder_.file("run")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("ECE (15 bins)"));
  EXPECT_THAT(result.out, HasSubstr("report: " + folder_.file("run/evaluation/report.html")));
  EXPECT_THAT(result.err, Not(HasSubstr("\r")));
  EXPECT_THAT(result.err, Not(HasSubstr("\x1b")));
  for (const char* file :
       {"config.yaml", "config.resolved.yaml", "run.json", "log.txt", "metrics.csv", "timing.csv", "split.json",
        "checkpoints/last.safetensors", "checkpoints/best.safetensors", "evaluation/report.json",
        "evaluation/report.html", "evaluation/reliability.svg", "evaluation/predictions.csv"})
    EXPECT_TRUE(std::filesystem::exists(folder_.file(std::string("run/") + file))) << file;

  const auto report = nlohmann::json::parse(slurp(folder_.file("run/evaluation/report.json")));
  EXPECT_EQ(report["n"], 898);
  EXPECT_EQ(report["split"], "test");
  EXPECT_EQ(report["bins"].size(), 15U);
  const double accuracy = report["metrics"]["accuracy"]["value"];
  EXPECT_GT(accuracy, 0.7);
  EXPECT_LE(report["metrics"]["accuracy"]["low"].get<double>(), accuracy);
  EXPECT_GE(report["metrics"]["accuracy"]["high"].get<double>(), accuracy);
  const auto info = nlohmann::json::parse(slurp(folder_.file("run/run.json")));
  EXPECT_EQ(info["status"], "finished");
  EXPECT_EQ(info["parameters"], 64 * 12 + 12 + 12 * 10 + 10);
  EXPECT_EQ(info["evaluations"], 240);  // 160 rows in batches of 40, 60 epochs
}

// The same kernel moves the same weights: no bit differs from method map.
TEST_F(ProgramTest, TheRestAsMap) {
  const std::vector<std::string> more = {"-s", "train.epochs=2", "-s", "train.eval_every=1"};
  const auto train = [&](const std::string& run, std::vector<std::string> settings) {
    std::vector<std::string> arguments = {"train", config(), "--out", folder_.file(run)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    for (std::string& setting : settings) arguments.insert(arguments.end(), {"-s", std::move(setting)});
    const auto result = run_program(arguments);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  };
  const auto last = [&](const std::string& run) {
    return io::load_checkpoint(folder_.file(run + "/checkpoints/last.safetensors"), {"mean.", "log_std."});
  };
  train("map", {"method={name: map}"});
  for (const auto& [run, method] : {std::pair("advi", "{name: advi}"), std::pair("psm", "{name: psm}"),
                                    std::pair("closed_form", "{name: psm, solver: closed_form}")}) {
    train(run, {std::string("method=") + method, "posterior={match: [], rest: map}"});
    for (const auto& [name, tensor] : last("map").tensors) EXPECT_TRUE(tensor.equal(last(run).tensor(name))) << name;
  }

  train("mixed", {"method={name: advi}", "posterior={match: [\"fc2.*\"], rest: map}"});
  const auto report = nlohmann::json::parse(slurp(folder_.file("mixed/evaluation/report.json")));
  ASSERT_EQ(report["sigma"].size(), 2U);
  EXPECT_EQ(report["sigma"][0]["parameter"], "fc2.weight");
  EXPECT_EQ(run_program({"evaluate", folder_.file("mixed")}).exit_code, 0);
  const std::string checkpoint = folder_.file("mixed/checkpoints/last.safetensors");
  EXPECT_EQ(run_program({"inspect", checkpoint}).exit_code, 0);
  std::string bytes = slurp(checkpoint);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const auto damaged = run_program({"inspect", folder_.write("damaged.safetensors", bytes)});
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_THAT(damaged.out, HasSubstr("the file was damaged on disk"));
  const auto info = nlohmann::json::parse(slurp(folder_.file("mixed/run.json")));
  EXPECT_EQ(info["parameters"], 64 * 12 + 12 + 12 * 10 + 10);
}

TEST_F(ProgramTest, ResolvedConfigurationGivesTheSameRun) {
  ASSERT_EQ(run_program({"train", config(), "--out", folder_.file("a")}).exit_code, 0);
  ASSERT_EQ(run_program({"train", folder_.file("a/config.resolved.yaml"), "--out", folder_.file("b")}).exit_code, 0);
  EXPECT_EQ(slurp(folder_.file("a/config.resolved.yaml")), slurp(folder_.file("b/config.resolved.yaml")));
  EXPECT_EQ(slurp(folder_.file("a/metrics.csv")), slurp(folder_.file("b/metrics.csv")));
  EXPECT_TRUE(slurp(folder_.file("a/checkpoints/last.safetensors")) ==
              slurp(folder_.file("b/checkpoints/last.safetensors")));
}

TEST_F(ProgramTest, ConfigurationErrorsComeTogetherWithPlaces) {
  const std::string path = config("name: x\ntrain: {epohcs: 3}\noptimizer: {lr: abc}\nmethod: {name: psn}\n");
  const auto result = run_program({"train", path});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(":2:9: train: unknown key, got \"epohcs\""));
  EXPECT_THAT(result.err, HasSubstr("did you mean \"epochs\"?"));
  EXPECT_THAT(result.err, HasSubstr(":3:17: optimizer.lr"));
  EXPECT_THAT(result.err, HasSubstr("did you mean \"psm\"?"));
}

TEST_F(ProgramTest, ImpossibleCombinationsAreRefusedBeforeAnyDataIsRead) {
  const auto result = run_program({"train", config("name: x\ndata: {name: mnist, root: /nowhere, validation_frac: 0}\n"
                                                   "evaluate: {checkpoint: best}\nschedule: {name: plateau}\n")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("evaluate.checkpoint"));
  EXPECT_THAT(result.err, HasSubstr("schedule.name"));
}

TEST_F(ProgramTest, ExitCodesTellTheKindOfFailure) {
  EXPECT_EQ(run_program({}).exit_code, 2);
  EXPECT_EQ(run_program({"trian"}).exit_code, 2);
  EXPECT_EQ(run_program({"train"}).exit_code, 2);
  EXPECT_EQ(run_program({"train", folder_.file("missing.yaml")}).exit_code, 2);
  EXPECT_EQ(run_program({"--help"}).exit_code, 0);
  EXPECT_EQ(run_program({"--version"}).exit_code, 0);
  const auto data =
      run_program({"train", config(), "-s", "data={name: mnist, root: /nowhere}", "--out", folder_.file("r")});
  EXPECT_EQ(data.exit_code, 3) << data.err;
  EXPECT_THAT(data.err, HasSubstr("/nowhere"));
  EXPECT_EQ(run_program({"evaluate", folder_.file("none")}).exit_code, 3);
}

TEST_F(ProgramTest, AnEmptyPathIsAMistake) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"train", config(), "--out", ""},
                                                    {"train", config(), "--resume", ""},
                                                    {"sweep", config(), "--out", ""},
                                                    {"predict", "run", config(), "--out", ""}}) {
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments[0];
    EXPECT_THAT(result.err, HasSubstr("expected a path"));
  }
}

TEST_F(ProgramTest, AReaderThatHasEnoughIsNoFailure) {
  const std::string code = folder_.file("code"), err = folder_.file("err");
  const std::string line =
      std::string("{ sleep 0.2; ") + SCOREVI_PROGRAM + " list keys; echo $? >" + code + "; } 2>" + err + " | true";
  ASSERT_EQ(std::system(line.c_str()), 0);
  EXPECT_EQ(slurp(code), "141\n");
  EXPECT_EQ(slurp(err), "");
  const std::string full = std::string(SCOREVI_PROGRAM) + " list keys >/dev/full 2>" + err;
  EXPECT_NE(std::system(full.c_str()), 0);
  EXPECT_THAT(slurp(err), HasSubstr("stdout: cannot write the result"));
}

TEST_F(ProgramTest, CudaThatIsNotThereIsToldWithTheReason) {
  const auto result = run_program({"train", config(), "-s", "device=cuda", "--out", folder_.file("run")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(result.err.find("built without CUDA") != std::string::npos ||
              result.err.find("no driver") != std::string::npos || result.err.find("no device") != std::string::npos)
      << result.err;
}

TEST_F(ProgramTest, NumericalTroubleStopsTheRunAndSavesNothingBad) {
  const auto result =
      run_program({"train", config(), "-s", "optimizer={name: sgd, lr: 1e6, momentum: 0}", "-s", "method={name: advi}",
                   "-s", "train.checkpoint_every_steps=1", "--out", folder_.file("run")});
  ASSERT_EQ(result.exit_code, 4) << result.err;
  EXPECT_THAT(result.err, HasSubstr("training stopped at step"));
  EXPECT_THAT(result.err, HasSubstr("try a smaller optimizer.lr"));
  EXPECT_EQ(nlohmann::json::parse(slurp(folder_.file("run/run.json")))["status"], "failed");
  if (std::filesystem::exists(folder_.file("run/checkpoints/last.safetensors"))) {
    const params::StateDict saved = io::load_checkpoint(folder_.file("run/checkpoints/last.safetensors"));
    for (const auto& [name, tensor] : saved.tensors) {
      if (tensor.is_floating_point()) {
        EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
      }
    }
  }
}

TEST_F(ProgramTest, ARunIsNeverOverwritten) {
  ASSERT_EQ(run_program({"train", config(), "--out", folder_.file("run")}).exit_code, 0);
  const std::string before = slurp(folder_.file("run/checkpoints/last.safetensors"));
  const auto again = run_program({"train", config(), "--out", folder_.file("run")});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("already holds a run"));
  EXPECT_TRUE(before == slurp(folder_.file("run/checkpoints/last.safetensors")));
}

TEST_F(ProgramTest, FilesOfOthersAreNotOverwritten) {
  folder_.write("mine/config.yaml", "precious");
  const auto result = run_program({"train", config(), "--out", folder_.file("mine")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(slurp(folder_.file("mine/config.yaml")), "precious");
}

TEST_F(ProgramTest, NoEpochAtAllGivesAReport) {
  const auto result = run_program({"train", config(), "-s", "train.epochs=0", "--out", folder_.file("run")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder_.file("run/evaluation/report.html")));
}

TEST_F(ProgramTest, ColumnsThat32BitsCannotHoldAreRefused) {
  std::string text = "x,t\n";
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + "," + std::to_string(1700000000 + i) + "\n";
  const std::string table = folder_.write("t.csv", text);
  const auto result = run_program({"check", config(), "-s", "data={name: csv, task: regression, path: " + table + "}"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("too close together"));
}

TEST_F(ProgramTest, HugeSweepsAreRefusedAtOnce) {
  config();
  std::string list = "[0";
  for (int i = 1; i < 300; ++i) list += ", " + std::to_string(i);
  const std::string sweep =
      folder_.write("sweep.yaml", "name: s\nbase: config.yaml\nvariants: {a: {}}\ngrid: {seed: " + list +
                                      "], data.split_seed: " + list + "]}\n");
  const auto result = run_program({"sweep", sweep, "--out", folder_.file("out")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("90000 runs"));
}

TEST_F(ProgramTest, ARunIsEvaluatedOnItsOwnSplitOnly) {
  ASSERT_EQ(run_program({"train", config(), "-s", "train.epochs=2", "--out", folder_.file("run")}).exit_code, 0);
  const auto result = run_program({"evaluate", folder_.file("run"), "-s", "data.split_seed=9"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("data.split_seed: run has null, configuration has 9"));
}

TEST_F(ProgramTest, FolderThatCannotBeMadeIsTold) {
  const auto result = run_program({"train", config(), "--out", "/proc/scorevi/run"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("/proc/scorevi/run"));
}

TEST_F(ProgramTest, EvaluateGivesTheNumbersOfTheRunAgain) {
  ASSERT_EQ(run_program({"train", config(), "--out", folder_.file("run")}).exit_code, 0);
  const std::string first = slurp(folder_.file("run/evaluation/report.json"));
  const auto again = run_program({"evaluate", folder_.file("run")});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(first, slurp(folder_.file("run/evaluation/report.json")));
  ASSERT_EQ(run_program({"evaluate", folder_.file("run"), "--split", "validation"}).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(slurp(folder_.file("run/evaluation-validation/report.json")))["n"], 40);
  // The batch size of the evaluation changes no digit.
  ASSERT_EQ(run_program({"evaluate", folder_.file("run"), "-s", "evaluate.batch_size=7"}).exit_code, 0);
  const auto a = nlohmann::json::parse(first),
             b = nlohmann::json::parse(slurp(folder_.file("run/evaluation-test/report.json")));
  EXPECT_NEAR(a["metrics"]["nll"]["value"].get<double>(), b["metrics"]["nll"]["value"].get<double>(), 1e-6);
}

TEST_F(ProgramTest, PredictNeedsNoTrainingDataAndAgreesWithTheEvaluation) {
  const std::string table = folder_.write("table.csv", [] {
    std::string text = "x,colour,y,label\n";
    for (int i = 0; i < 60; ++i)
      text += std::to_string(i % 7) + (i % 2 == 0 ? ",red," : ",blue,") + std::to_string(0.5 * (i % 5)) +
              (i % 2 == 0 ? ",a\n" : ",b\n");
    return text;
  }());
  const auto trained = run_program({"train", config(), "-s", "data={name: csv, path: " + table + "}", "-s",
                                    "evaluate.checkpoint=best", "--out", folder_.file("run")});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  std::filesystem::rename(table, folder_.file("moved.csv"));
  const std::string rows = folder_.write("new.csv", "colour,x,y\nred,1,0.5\nblue,2,1\n");
  const auto predicted = run_program({"predict", folder_.file("run"), rows});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, HasSubstr("file,row,predicted,confidence,entropy,mutual_information,p_a,p_b\n"));
  EXPECT_THAT(predicted.out, HasSubstr(rows + ",1,a,"));
  EXPECT_THAT(predicted.out, HasSubstr(rows + ",2,b,"));
  const auto unseen =
      run_program({"predict", folder_.file("run"), folder_.write("odd.csv", "colour,x,y\ngreen,1,0.5\n")});
  EXPECT_EQ(unseen.exit_code, 3);
  EXPECT_THAT(unseen.err, HasSubstr("\"green\" did not occur in training"));
}

TEST_F(ProgramTest, ReportComparesRuns) {
  ASSERT_EQ(run_program({"train", config(), "--out", folder_.file("psm")}).exit_code, 0);
  ASSERT_EQ(run_program({"train", config(), "-s", "method={name: map}", "--out", folder_.file("map")}).exit_code, 0);
  const auto result =
      run_program({"report", folder_.file("psm"), folder_.file("map"), "--out", folder_.file("report")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("psm"));
  EXPECT_THAT(result.out, HasSubstr("map"));
  for (const char* file : {"table.md", "results.csv", "report.html"})
    EXPECT_TRUE(std::filesystem::exists(folder_.file(std::string("report/") + file))) << file;
}

TEST_F(ProgramTest, SweepSkipsWhatIsDoneAndSurvivesAFailingMember) {
  config();
  const std::string sweep =
      folder_.write("sweep.yaml",
                    "name: s\nbase: config.yaml\nvariants:\n  psm: {method: {name: psm}}\n"
                    "  bad: {optimizer: {name: sgd, lr: 1e6}, method: {name: advi}}\ngrid: {seed: [0, 1]}\n");
  const auto first = run_program({"sweep", sweep, "--out", folder_.file("out"), "--jobs", "2"});
  EXPECT_EQ(first.exit_code, 1) << first.err;
  EXPECT_THAT(first.out, HasSubstr("psm"));
  EXPECT_THAT(first.err, HasSubstr("exit code 4"));
  EXPECT_THAT(first.err, HasSubstr("2 members failed: bad__seed=0, bad__seed=1"));
  for (const char* file : {"table.md", "results.csv", "report.html"})
    EXPECT_TRUE(std::filesystem::exists(folder_.file(std::string("out/") + file))) << file;
  const auto again = run_program({"sweep", sweep, "--out", folder_.file("out")});
  EXPECT_EQ(again.exit_code, 1) << again.err;
}

TEST_F(ProgramTest, CheckFindsCountsAndTroubleWithoutTraining) {
  const auto good = run_program({"check", config()});
  ASSERT_EQ(good.exit_code, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("160 rows"));
  EXPECT_THAT(good.out, HasSubstr("910 parameters"));
  EXPECT_EQ(run_program({"check", config(), "-s", "prior.groups=[{match: nothing, std: 1}]"}).exit_code, 2);
}

TEST_F(ProgramTest, InspectGoesOnAfterAFileThatIsRefused) {
  const std::string golden = "tests/golden/checkpoints/";
  const auto result =
      run_program({"inspect", "--json", golden + "attack/os_system.pt", golden + "legacy_ok/state_dict.pth"});
  EXPECT_EQ(result.exit_code, 3);
  std::istringstream lines(result.out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto refused = nlohmann::json::parse(line);
  EXPECT_EQ(refused["file"], golden + "attack/os_system.pt");
  EXPECT_EQ(refused["outcome"], "refused");
  EXPECT_THAT(refused["reason"].get<std::string>(), HasSubstr("os.system"));
  ASSERT_TRUE(std::getline(lines, line));
  const auto read = nlohmann::json::parse(line);
  EXPECT_EQ(read["kind"], "checkpoint");
  EXPECT_EQ(read["outcome"], "ok");
  EXPECT_EQ(read["format"], "torch legacy");
  EXPECT_EQ(read["weights"]["tensors"], 9);
  EXPECT_EQ(read["tensors"]["conv.weight"]["dtype"], "float32");
  EXPECT_EQ(read["tensors"]["conv.weight"]["shape"], nlohmann::json({6, 3, 3, 3}));
  EXPECT_EQ(read["tensors"]["conv.weight"]["sha256"],
            "75e84be5e5d1adeaef104762616bcad6b6bcce84e57d8255529568f21b0d5931");
  EXPECT_FALSE(std::getline(lines, line));

  const auto text = run_program({"inspect", golden + "legacy_ok/state_dict.pth"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("conv.weight"));
}

TEST_F(ProgramTest, InspectFindsWeightsByName) {
  const auto result = run_program({"inspect", "no_such_weights", "resnet18_imagenet_v1"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("no_such_weights"));
  // Found or told how to get it, never taken for the name of a file.
  EXPECT_THAT(result.out,
              ::testing::AnyOf(HasSubstr("scripts/download_data.sh weights"), HasSubstr("layer1.0.conv1.weight")));
}

TEST_F(ProgramTest, ListsAndInfo) {
  for (const char* kind :
       {"models", "datasets", "methods", "optimizers", "schedules", "families", "targets", "posteriors", "keys"}) {
    const auto result = run_program({"list", kind});
    EXPECT_EQ(result.exit_code, 0) << kind;
    EXPECT_FALSE(result.out.empty()) << kind;
  }
  EXPECT_THAT(run_program({"list", "targets"}).out, HasSubstr("dim, curvature, width"));
  EXPECT_THAT(run_program({"list", "posteriors"}).out,
              HasSubstr("radon_mn-radon_partially_pooled_centered  88   hierarchy of 85 counties; no reference draws"));
  EXPECT_EQ(run_program({"list", "modles"}).exit_code, 2);
  EXPECT_THAT(run_program({"info"}).out, HasSubstr("libtorch"));
}

// configs/README.md and configs/targets/README.md hold the references that the schemas print.
TEST_F(ProgramTest, KeyReferencesAreUpToDate) {
  const auto result = run_program({"list", "keys-markdown"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(slurp("configs/README.md"), HasSubstr(result.out)) << "run scripts/update_key_reference.sh";
  EXPECT_THAT(slurp("configs/targets/README.md"), HasSubstr(run_program({"bench", "--keys"}).out));
}

TEST_F(ProgramTest, CommittedBenchFilesAreRead) {
  for (const auto& entry : std::filesystem::directory_iterator("configs/targets")) {
    if (entry.path().extension() != ".yaml") continue;
    const auto result = run_program({"bench", entry.path().string(), "--check"});
    EXPECT_EQ(result.exit_code, 0) << entry.path() << result.err;
  }
}

class CommittedConfigs : public ::testing::TestWithParam<const char*> {};

TEST_P(CommittedConfigs, Trains) {
  const TempDir folder;
  const auto result = run_program({"train", GetParam(), "--out", folder.file("run"), "--limit-batches", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Smoke, CommittedConfigs,
                         ::testing::Values("configs/smoke/digits_psm_inner.yaml",
                                           "configs/smoke/moons_closed_form.yaml", "configs/smoke/cubic_advi.yaml",
                                           "configs/digits_mlp_psm.yaml", "configs/digits_mlp_advi.yaml",
                                           "configs/digits_mlp_map.yaml", "configs/sine_gap_mlp_psm.yaml"));

}  // namespace
}  // namespace scorevi
