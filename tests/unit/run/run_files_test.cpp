// Run folders, resumable state, configuration differences, and the summary of standard deviations.
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "config_diff.h"
#include "file_lines.h"
#include "run_state.h"
#include "scorevi/core/error.h"
#include "scorevi/run/run_directory.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/point_mass.h"
#include "sigma_summary.h"
#include "step_log.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::run {
namespace {

using ::testing::HasSubstr;

TEST(RunDirectory, KeepsStatusAndRefusesAForeignFolder) {
  const test::TempDir folder;
  const RunDirectory made = RunDirectory::create("name", folder.file("run/"));
  EXPECT_EQ(made.path(), folder.file("run"));
  made.update({{"seed", 3}});
  made.set_status(RunStatus::kInterrupted, "signal");
  const nlohmann::json info = RunDirectory::open(folder.file("run")).info();
  EXPECT_EQ(info["status"], "interrupted");
  EXPECT_EQ(info["reason"], "signal");
  EXPECT_EQ(info["seed"], 3);
  EXPECT_THROW(RunDirectory::open(folder.file("none")), Error);
  folder.write("empty/x", "");
  EXPECT_THROW(RunDirectory::open(folder.file("empty")), Error);
}

TEST(RunDirectory, AnExistingRunIsNotReused) {
  const test::TempDir folder;
  folder.write("run/checkpoints/last.safetensors", "x");
  try {
    RunDirectory::create("name", folder.file("run"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kUsage);
    EXPECT_THAT(e.what(), HasSubstr("--resume"));
  }
}

TEST(RunDirectory, AFolderBecomesARunOnlyWhenItIsEmptyOrBegun) {
  const test::TempDir folder;
  folder.write("mine/notes.txt", "x");
  EXPECT_THROW(RunDirectory::check_new(folder.file("mine")), Error);
  EXPECT_THROW(RunDirectory::create("name", folder.file("mine")), Error);
  EXPECT_THROW(RunDirectory::check_new(folder.file("mine/notes.txt")), Error);
  RunDirectory::check_new(folder.file("absent"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("absent")));
  folder.write("member/console.txt", "x");
  EXPECT_EQ(RunDirectory::create("name", folder.file("member")).info()["status"], "running");
  folder.write("member/config.yaml", "x");  // begun, no checkpoint yet: started anew
  RunDirectory::check_new(folder.file("member"));
}

TEST(RunDirectory, TheNewestUnfinishedRunIsChosenByNumberAndDamagedOnesAreSkipped) {
  const test::TempDir folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto add = [&folder](const std::string& name, const char* info) {
    folder.write("runs/" + name + "/checkpoints/last.safetensors", "x");
    folder.write("runs/" + name + "/run.json", info);
  };
  const char* running = R"({"status": "running"})";
  for (const char* place : {"", "-2", "-9", "-10"}) add(std::string("a-20260102-000000") + place, running);
  add("a-20260101-000000-11", running);
  add("a-20260102-000000-12", R"({"status": "finished"})");
  add("a-20260102-000000-13", "[1]");
  add("a-20260102-000000-copy", running);
  add("a-b-20260103-000000", running);
  const std::string newest = find_unfinished_run("a"), none = find_unfinished_run("b");
  std::filesystem::current_path(before);
  EXPECT_EQ(newest, "runs/a-20260102-000000-10");
  EXPECT_EQ(none, "");
}

TEST(RunDirectory, AConfigurationThatIsOnlyHalfRecordedCanBeRead) {
  const test::TempDir folder;
  const RunDirectory made = RunDirectory::create("name", folder.file("run"));
  made.set_resolved("a: 1\n");
  EXPECT_EQ(made.resolved(), "a: 1\n");
  folder.write("run/config.resolved.yaml", "a: 2\n");
  EXPECT_THROW(made.resolved(), Error);
  made.update({{"config_sha256", ""}});  // as a process leaves it that is killed within set_resolved
  EXPECT_EQ(made.resolved(), "a: 2\n");
}

TEST(RunDirectory, IsLockedWhileItIsTrained) {
  const test::TempDir folder;
  {
    const RunDirectory made = RunDirectory::create("name", folder.file("run"));
    EXPECT_THROW(RunDirectory::check_new(folder.file("run")), Error);
    EXPECT_THROW(RunDirectory::open(folder.file("run")).lock(), Error);
  }
  RunDirectory::check_new(folder.file("run"));
  RunDirectory::open(folder.file("run")).lock();
}

TEST(RunState, IsReadBackExactly) {
  RunState state;
  state.step = 17;
  state.epoch.steps = 3;
  state.epoch.loss = 0.1 + 0.2;
  state.epoch.gradient_norm = 1e-300;
  state.best = 1.0 / 3;
  state.best_step = 12;
  state.stopped_early = true;
  state.metrics_bytes = 1234;
  params::StateDict dict;
  state.save(dict);
  RunState again;
  again.load(dict);
  EXPECT_EQ(again.step, 17);
  EXPECT_EQ(again.epoch.loss, state.epoch.loss);
  EXPECT_EQ(again.epoch.gradient_norm, 1e-300);
  EXPECT_TRUE(std::isnan(again.epoch.kl));
  EXPECT_EQ(again.best, 1.0 / 3);
  EXPECT_TRUE(again.stopped_early);
  EXPECT_EQ(again.metrics_bytes, 1234);
}

TEST(EpochSums, AverageOverStepsAndKeepTheLastKl) {
  EpochSums sums;
  inference::StepStats stats;
  stats.log_density = -200;
  stats.loss = 3;
  stats.kl = 7;
  sums.add(stats, /*loss_scale=*/0.01);
  stats.log_density = -400;
  stats.loss = 5;
  stats.kl = 9;
  sums.add(stats, 0.01);
  EXPECT_DOUBLE_EQ(sums.mean(sums.nll), 3.0);
  EXPECT_DOUBLE_EQ(sums.mean(sums.loss), 4.0);
  EXPECT_DOUBLE_EQ(sums.kl, 9.0);
}

TEST(ConfigDifferences, TellAllowedFromRefused) {
  const std::string before = "optimizer: {lr: 0.1, name: adam}\ntrain: {epochs: 3}\nmodel: {hidden: [1, 2]}\n";
  const std::string after = "optimizer: {lr: 0.2, name: adam}\ntrain: {epochs: 9}\nmodel: {hidden: [1, 2, 3]}\n";
  const std::vector<ConfigDifference> all = config_differences(before, after);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].key, "model.hidden");
  EXPECT_EQ(all[0].before, "[1, 2]");
  EXPECT_EQ(all[0].after, "[1, 2, 3]");
  EXPECT_EQ(all[1].key, "optimizer.lr");
  EXPECT_EQ(all[1].before, "0.1");
  EXPECT_EQ(all[1].after, "0.2");
  EXPECT_EQ(all[2].key, "train.epochs");
}

TEST(ConfigDifferences, LengthsMayChangeOnlyWhereNothingRunsOverThem) {
  LoadedOptions run;
  run.resolved = resolved_text(run.options);
  const auto changed = [&](auto change) {
    LoadedOptions other = run;
    change(other.options);
    other.resolved = resolved_text(other.options);
    return other;
  };
  EXPECT_NO_THROW(check_resumable("run", run.resolved, changed([](RunOptions& o) { o.train.epochs = 900; })));
  EXPECT_NO_THROW(check_resumable("run", run.resolved, changed([](RunOptions& o) { o.evaluate.samples = 9; })));
  EXPECT_THROW(check_resumable("run", run.resolved, changed([](RunOptions& o) { o.optimizer.lr = 0.5; })), Error);
  EXPECT_THROW(check_evaluable("run", run.resolved, changed([](RunOptions& o) { o.seed = 5; })), Error);
  run.options.schedule.name = "cosine";
  run.resolved = resolved_text(run.options);
  EXPECT_THROW(check_resumable("run", run.resolved, changed([](RunOptions& o) { o.train.epochs = 900; })), Error);
}

TEST(ConfigDifferences, KeysThatOneMethodHasAreNoDifferenceOfTheirOwn) {
  LoadedOptions run, other;
  run.resolved = resolved_text(run.options);
  other.options.method.name = "advi";
  other.resolved = resolved_text(other.options);
  EXPECT_EQ(test::message_of(ErrorKind::kUsage, [&] { check_resumable("run", run.resolved, other); }),
            "run: cannot resume with another experiment:\n  method.name: run has psm, configuration has advi\n"
            "  give the run's own values, or start a new run");
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { check_resumable("run", "seed: 0\n", run); }),
              ::testing::HasSubstr("method.name: run has absent, configuration has psm"));
}

TEST(StepLog, IsCutBackToASavedLength) {
  const test::TempDir folder;
  const std::string path = folder.file("steps.jsonl");
  inference::StepStats stats;
  stats.loss = 1.5;
  {
    StepLog log(path, /*go_on=*/false);
    log.write(1, 1, 0.1, 2.0, stats);
  }
  const int64_t length = file_bytes(path);
  ASSERT_GT(length, 0);
  {
    StepLog log(path, /*go_on=*/true);
    log.write(2, 1, 0.1, 2.0, stats);
  }
  EXPECT_GT(file_bytes(path), length);
  truncate_file(path, length);
  EXPECT_EQ(file_bytes(path), length);
  EXPECT_EQ(file_bytes(folder.file("none")), 0);
}

TEST(SigmaSummary, QuantilesAndMovedShare) {
  const at::Tensor log_std = torch::log(torch::arange(1, 101, torch::kFloat) * 0.01F);
  const variational::DiagonalGaussian q(torch::zeros({100}), log_std);
  const SigmaQuantiles quantiles = sigma_quantiles(q);
  EXPECT_NEAR(quantiles.min, 0.01, 1e-6);
  EXPECT_NEAR(quantiles.max, 1.0, 1e-6);
  EXPECT_NEAR(quantiles.p50, 0.51, 0.011);
  EXPECT_NEAR(quantiles.p05, 0.06, 0.011);
  params::FlatLayout layout;
  layout.append("a", {40});
  layout.append("b", {60});
  const auto lines = sigma_by_parameter(q, layout, std::vector<double>(layout.entries().size(), 0.5));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].parameter, "a");
  EXPECT_NEAR(lines[0].moved_frac, 1.0, 1e-12);          // 0.01 .. 0.40
  EXPECT_NEAR(lines[1].moved_frac, 1 - 1 / 60.0, 1e-6);  // 0.50 alone stands within 1 %
  EXPECT_NEAR(lines[1].max, 1.0, 1e-6);
}

TEST(SigmaSummary, APointMassHasNone) {
  const variational::PointMass q(torch::zeros({3}));
  EXPECT_TRUE(std::isnan(sigma_quantiles(q).p50));
  EXPECT_TRUE(sigma_by_parameter(q, params::FlatLayout::single(3), {0.1}).empty());
}

}  // namespace
}  // namespace scorevi::run
