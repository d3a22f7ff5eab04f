// An interrupted and resumed run is the uninterrupted one, byte by byte: checkpoints, metrics, steps and predictions.
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

using test::run_program;
using test::run_program_and_signal;
using test::slurp;
using test::TempDir;

constexpr const char* kConfig = R"(name: resume
seed: 3
threads: 1
data: {name: digits, train_size: 200, validation_frac: 0.25, batch_size: 40}
model: {name: mlp, hidden: [12], dropout: 0.1}
likelihood: {temperature: 0.5}
train: {epochs: 4, eval_every: 1, eval_samples: 3, log_every_steps: 1, checkpoint_every: 2}
evaluate: {samples: 4, bootstrap: 50, checkpoint: last}
)";

// 150 training rows in batches of 40: 4 steps per epoch, the last with 30 rows; 16 steps in all.
class ResumeTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("config.yaml", kConfig); }

  std::vector<std::string> train(const std::string& run, const std::vector<std::string>& extra) const {
    std::vector<std::string> arguments = {"train", folder_.file("config.yaml"), "--out", folder_.file(run)};
    for (const std::string& setting : settings_) {
      arguments.push_back("-s");
      arguments.push_back(setting);
    }
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return arguments;
  }
  std::vector<std::string> resume(const std::string& run) const { return {"train", "--resume", folder_.file(run)}; }

  void expect_same_runs(const std::string& a, const std::string& b) const {
    for (const char* file :
         {"metrics.csv", "steps.jsonl", "split.json", "config.resolved.yaml", "checkpoints/last.safetensors",
          "checkpoints/best.safetensors", "evaluation/predictions.csv"}) {
      const std::string first = slurp(folder_.file(a + "/" + file));
      ASSERT_FALSE(first.empty()) << file;
      EXPECT_TRUE(first == slurp(folder_.file(b + "/" + file))) << file << " differs";
    }
    nlohmann::json x = nlohmann::json::parse(slurp(folder_.file(a + "/evaluation/report.json")));
    nlohmann::json y = nlohmann::json::parse(slurp(folder_.file(b + "/evaluation/report.json")));
    x.erase("run");
    y.erase("run");
    EXPECT_EQ(x, y);
  }

  void expect_ok(const test::ProgramResult& result) const { ASSERT_EQ(result.exit_code, 0) << result.err; }

  TempDir folder_;
  std::vector<std::string> settings_;
};

struct Case {
  const char* name;
  std::vector<std::string> settings;
};

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

class ResumeCases : public ResumeTest, public ::testing::WithParamInterface<Case> {};

// Stops after 8 steps (the border of epochs 2 and 3) and after 7, 9 and 2 steps (within epochs).
TEST_P(ResumeCases, GoesOnBitEqual) {
  settings_ = GetParam().settings;
  expect_ok(run_program(train("whole", {})));
  for (const int steps : {8, 7}) {
    const std::string run = "cut" + std::to_string(steps);
    const auto cut = run_program(train(run, {"--max-steps", std::to_string(steps)}));
    expect_ok(cut);
    EXPECT_NE(cut.err.find("go on with: scorevi train --resume"), std::string::npos) << cut.err;
    expect_ok(run_program(resume(run)));
    expect_same_runs("whole", run);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Methods, ResumeCases,
    ::testing::Values(
        Case{"psm_adam", {"method={name: psm}"}},
        Case{"psm_sampled_inner_sgd",
             {"method={name: psm, estimator: sampled, inner_steps: 3, samples: 2}",
              "optimizer={name: sgd, lr: 1e-6, nesterov: true, clip_norm: 100}",
              "schedule={name: cosine, warmup_steps: 3}"}},
        Case{"psm_adaptive_rmsprop",
             {"method={name: psm, estimator: adaptive}", "optimizer={name: rmsprop, lr: 1e-4}",
              "schedule={name: plateau, patience: 0, factor: 0.5}"}},
        Case{"closed_form_newton", {"method={name: psm, solver: closed_form}", "schedule={name: linear}"}},
        Case{"closed_form_optimizer",
             {"method={name: psm, solver: closed_form, mean_update: optimizer}",
              "schedule={name: step, step_size: 1, gamma: 0.5}"}},
        Case{"advi_adamw",
             {"method={name: advi, kl: sampled, samples: 2}", "optimizer={name: adamw, lr: 1e-3, weight_decay: 0.1}",
              "schedule={name: multistep, milestones: [1, 3]}"}},
        Case{"advi_polynomial", {"method={name: advi}", "schedule={name: polynomial, power: 2}"}},
        Case{"fisher_adam", {"method={name: fisher, samples: 2}"}}, Case{"bam", {"method={name: bam, samples: 3}"}},
        Case{"psm_inner_rest_map",
             {"method={name: psm, inner_steps: 3, samples: 2}", "posterior={match: [\"fc2.*\"], rest: map}"}},
        Case{"closed_form_rest_map",
             {"method={name: psm, solver: closed_form}", "posterior={match: [\"fc1.*\"], rest: map}"}},
        Case{"map_sgd",
             {"method={name: map}", "optimizer={name: sgd, lr: 0.05}", "schedule={name: exponential, gamma: 0.9}"}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST_F(ResumeTest, SeveralCutsEqualNone) {
  expect_ok(run_program(train("whole", {})));
  expect_ok(run_program(train("cuts", {"--max-steps", "2"})));
  for (int i = 0; i < 8; ++i) {
    std::vector<std::string> again = resume("cuts");
    again.insert(again.end(), {"--max-steps", "3"});
    expect_ok(run_program(again));
  }
  expect_same_runs("whole", "cuts");
}

TEST_F(ResumeTest, SignalsSaveAndTheirExitCodesAreKept) {
  settings_ = {"train.epochs=400", "train.checkpoint_every=100", "train.eval_every=100"};
  expect_ok(run_program(train("whole", {})));
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const std::string run = "signal" + std::to_string(number);
    const auto ended = run_program_and_signal(train(run, {}), number, folder_.file(run + "/steps.jsonl"), 3000);
    ASSERT_EQ(ended.exit_code, 128 + number) << ended.err;
    EXPECT_NE(ended.err.find("--resume " + folder_.file(run)), std::string::npos) << ended.err;
    expect_ok(run_program(resume(run)));
    expect_same_runs("whole", run);
  }
}

TEST_F(ResumeTest, TheFinalEvaluationCanBeInterrupted) {
  settings_ = {"train.checkpoint_every=100"};
  expect_ok(run_program(train("whole", {})));
  for (const char* endless : {"evaluate.samples=1000000", "evaluate.bootstrap=1000000"}) {
    const std::string run = std::string("cut-") + endless;
    settings_.emplace_back(endless);
    const auto ended =
        run_program_and_signal(train(run, {}), SIGINT, folder_.file(run + "/checkpoints/last.safetensors"), 1);
    ASSERT_EQ(ended.exit_code, 130) << ended.err;
    EXPECT_EQ(slurp(folder_.file(run + "/evaluation/report.json")), "");
    settings_.pop_back();
    std::vector<std::string> again = resume(run);
    again.insert(again.end(), {"-s", "evaluate.samples=4", "-s", "evaluate.bootstrap=50"});
    expect_ok(run_program(again));
    EXPECT_EQ(slurp(folder_.file(run + "/evaluation/predictions.csv")),
              slurp(folder_.file("whole/evaluation/predictions.csv")));
  }
}

// The steps of an epoch are made, its row and its best weights are not written: resuming does that first.
TEST_F(ResumeTest, AValidationCanBeInterrupted) {
  settings_ = {"train.eval_samples=4000", "schedule={name: plateau, patience: 0, factor: 0.5}"};
  expect_ok(run_program(train("whole", {})));
  const std::string steps = slurp(folder_.file("whole/steps.jsonl"));
  std::size_t two_epochs = 0;
  for (int line = 0; line < 8; ++line) two_epochs = steps.find('\n', two_epochs) + 1;
  const auto ended =
      run_program_and_signal(train("cut", {}), SIGTERM, folder_.file("cut/steps.jsonl"), static_cast<long>(two_epochs));
  ASSERT_EQ(ended.exit_code, 143) << ended.err;
  EXPECT_NE(ended.err.find("after step 8"), std::string::npos) << ended.err;
  const std::string rows = slurp(folder_.file("cut/metrics.csv"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 2);  // the header and the first epoch
  expect_ok(run_program(resume("cut")));
  expect_same_runs("whole", "cut");
}

TEST_F(ResumeTest, KilledRunGoesOnFromItsLastCheckpoint) {
  settings_ = {"train.epochs=400", "train.checkpoint_every=100", "train.checkpoint_every_steps=7",
               "train.eval_every=100"};
  expect_ok(run_program(train("whole", {})));
  const auto ended = run_program_and_signal(train("killed", {}), SIGKILL, folder_.file("killed/steps.jsonl"), 20000);
  ASSERT_EQ(ended.exit_code, 128 + SIGKILL);
  expect_ok(run_program(resume("killed")));
  expect_same_runs("whole", "killed");
}

// The best weights of a killed run may be of steps that its last checkpoint does not know.
TEST_F(ResumeTest, AKilledRunDoesNotEndBeforeItsBestWeights) {
  settings_ = {"train.epochs=6", "train.checkpoint_every=100", "train.checkpoint_every_steps=3"};
  expect_ok(run_program(train("whole", {})));
  expect_ok(run_program(train("cut", {"--max-steps", "2"})));
  std::filesystem::copy(folder_.file("cut"), folder_.file("killed"), std::filesystem::copy_options::recursive);
  std::vector<std::string> more = resume("cut");
  more.insert(more.end(), {"--max-steps", "6"});  // two validations
  expect_ok(run_program(more));
  ASSERT_FALSE(slurp(folder_.file("cut/checkpoints/best.safetensors")).empty());
  std::filesystem::copy(folder_.file("cut/checkpoints/best.safetensors"),
                        folder_.file("killed/checkpoints/best.safetensors"));
  std::vector<std::string> shorter = resume("killed");
  shorter.insert(shorter.end(), {"-s", "train.epochs=1"});
  const auto refused = run_program(shorter);
  EXPECT_EQ(refused.exit_code, 2) << refused.err;
  EXPECT_NE(refused.err.find("train.epochs: run has 6, configuration has 1; the run was stopped after step 2 with best "
                             "weights of step"),
            std::string::npos)
      << refused.err;
  expect_ok(run_program(resume("killed")));
  expect_same_runs("whole", "killed");
}

TEST_F(ResumeTest, WorkersAndLoggingChangeNothing) {
  expect_ok(run_program(train("plain", {})));
  settings_ = {"data.workers=3", "train.log_every_steps=3", "train.checkpoint_every=1"};
  expect_ok(run_program(train("other", {})));
  for (const char* file : {"metrics.csv", "evaluation/predictions.csv"})
    EXPECT_TRUE(slurp(folder_.file(std::string("plain/") + file)) == slurp(folder_.file(std::string("other/") + file)))
        << file;
}

TEST_F(ResumeTest, AnotherExperimentIsRefusedWithADiff) {
  expect_ok(run_program(train("run", {"--max-steps", "5"})));
  std::vector<std::string> other = resume("run");
  other.insert(other.end(), {"-s", "optimizer.lr=0.5", "-s", "model.hidden=[13]", "-s", "train.epochs=9"});
  const auto result = run_program(other);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_NE(result.err.find("optimizer.lr: run has 0.001, configuration has 0.5"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("model.hidden: run has [12], configuration has [13]"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("train.epochs"), std::string::npos) << result.err;
}

TEST_F(ResumeTest, AnotherNumberOfBatchesIsAnotherRun) {
  expect_ok(run_program(train("run", {"--limit-batches", "2", "--max-steps", "3"})));
  const auto result = run_program(resume("run"));
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_NE(result.err.find("--limit-batches"), std::string::npos) << result.err;
}

TEST_F(ResumeTest, DamagedCheckpointIsToldAndNothingIsLost) {
  expect_ok(run_program(train("run", {"--max-steps", "5"})));
  const std::string path = folder_.file("run/checkpoints/last.safetensors");
  const std::string whole = slurp(path);
  folder_.write("run/checkpoints/last.safetensors", whole.substr(0, whole.size() / 2));
  const auto result = run_program(resume("run"));
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find("last.safetensors"), std::string::npos) << result.err;
  folder_.write("run/checkpoints/last.safetensors", whole);
  expect_ok(run_program(resume("run")));
}

}  // namespace
}  // namespace scorevi
