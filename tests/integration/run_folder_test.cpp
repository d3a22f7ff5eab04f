// Run folders that were damaged, mixed up or edited, and that two processes want: told with path and advice, never
// used.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

namespace fs = std::filesystem;
using test::run_program;
using test::slurp;
using test::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kLast = "/checkpoints/last.safetensors";
constexpr const char* kBest = "/checkpoints/best.safetensors";
constexpr const char* kConfig = R"(name: small
device: cpu
data: {name: digits, train_size: 100, batch_size: 40}
model: {name: mlp, hidden: [8]}
train: {epochs: 2, eval_every: 1, eval_samples: 2}
evaluate: {samples: 2, bootstrap: 20}
)";

// Every test has a copy of a finished run, and of one with another seed.
class RunFolder : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    trained_ = std::make_unique<TempDir>();
    const std::string config = trained_->write("config.yaml", kConfig);
    ASSERT_EQ(run_program({"train", config, "--out", trained_->file("run")}).exit_code, 0);
    ASSERT_EQ(run_program({"train", config, "-s", "seed=1", "--out", trained_->file("other")}).exit_code, 0);
  }
  static void TearDownTestSuite() { trained_.reset(); }
  void SetUp() override { fs::copy(trained_->path(), folder_.path(), fs::copy_options::recursive); }

  std::string run(const std::string& file = "") const { return folder_.file("run" + file); }
  void copy_from_other(const char* file) const {
    fs::copy_file(folder_.file(std::string("other") + file), run(file), fs::copy_options::overwrite_existing);
  }
  static test::ProgramResult evaluate(const std::string& path) { return run_program({"evaluate", path}); }
  static test::ProgramResult resume(const std::string& path) {
    return run_program({"train", "--resume", path, "-s", "train.epochs=3"});
  }
  static void expect_refused(const test::ProgramResult& result, const std::vector<std::string>& texts, int code = 3) {
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(result.out, "");
    for (const std::string& text : texts) EXPECT_THAT(result.err, HasSubstr(text));
  }

  TempDir folder_;

 private:
  static std::unique_ptr<TempDir> trained_;
};
std::unique_ptr<TempDir> RunFolder::trained_;

TEST_F(RunFolder, CheckpointsOfAnotherRunAreRefused) {
  const std::string before = slurp(run("/run.json"));
  const std::string owner = nlohmann::json::parse(slurp(folder_.file("other/run.json")))["id"];
  copy_from_other(kLast);
  expect_refused(resume(run()), {run(kLast) + ": belongs to run " + owner, "evaluate.checkpoint=best"});
  EXPECT_EQ(slurp(run("/run.json")), before);
  EXPECT_EQ(evaluate(run()).exit_code, 0);  // the best weights are its own
  copy_from_other(kBest);
  expect_refused(evaluate(run()), {run(kBest) + ": belongs to run " + owner, "the last weights are used then"});
  expect_refused(run_program({"predict", run(), "data/digits/digits.csv.gz"}), {"belongs to run " + owner});
}

TEST_F(RunFolder, AFlippedBitIsToldWithTheTensor) {
  std::string bytes = slurp(run(kBest));
  bytes.back() ^= 4;
  folder_.write(std::string("run") + kBest, bytes);
  expect_refused(evaluate(run()), {run(kBest) + ": tensor \"", "damaged on disk"});
}

TEST_F(RunFolder, BestWeightsThatAreGoneAreTold) {
  fs::remove(run(kBest));
  const auto result = evaluate(run());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr(run(kBest) + ": is missing"));
}

TEST_F(RunFolder, AnEmptyCheckpointSaysWhatToDo) {
  fs::resize_file(run(kLast), 0);
  expect_refused(resume(run()), {run(kLast) + ": file of 0 bytes", "train again", "evaluate.checkpoint=best"});
}

TEST_F(RunFolder, AnEditedConfigurationIsRefused) {
  const std::string path = run("/config.resolved.yaml"), text = slurp(path);
  folder_.write("run/config.resolved.yaml", text + "# a note\n");
  for (const auto& result : {evaluate(run()), resume(run()), run_program({"report", run()})})
    expect_refused(result, {path + ": was changed after the run wrote it"});
  fs::remove(path);
  for (const auto& result : {evaluate(run()), resume(run()), run_program({"report", run()})})
    expect_refused(result, {path + ": cannot be read"});
}

TEST_F(RunFolder, ADamagedRunFileIsToldAndDoesNotBlockOtherRuns) {
  for (const char* text : {"[1]", "{\"status\": 3}", "{\"data\": []}", "{", ""}) {
    folder_.write("run/run.json", text);
    expect_refused(evaluate(run()), {run("/run.json") + ": damaged"});
  }
  const auto report = run_program({"report", folder_.path().string()});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, AllOf(HasSubstr(run() + ": left out"), HasSubstr("damaged")));
}

TEST_F(RunFolder, PipesAndDevicesInPlaceOfFilesDoNotHang) {
  for (const char* file : {"/steps.jsonl", "/config.yaml", kBest, "/run.json"}) {
    const std::string path = run(file);
    fs::rename(path, path + ".away");
    fs::create_symlink("/dev/zero", path);
    expect_refused(resume(run()), {run()});
    fs::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect_refused(evaluate(run()), {run()});
    fs::remove(path);
    fs::rename(path + ".away", path);
  }
}

TEST_F(RunFolder, ASecondTrainingIsRefusedAndChangesNothing) {
  fs::remove(run(kLast));
  fs::remove_all(run("/evaluation"));
  const std::string before = slurp(run("/run.json"));
  folder_.write("run/config.yaml", "of the first");
  const int first = ::open(run("/.training.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(first, LOCK_EX | LOCK_NB), 0);
  const auto train = [this] { return run_program({"train", folder_.file("config.yaml"), "--out", run()}); };
  expect_refused(train(), {run() + ": another training process is at work here"}, 2);
  EXPECT_EQ(slurp(run("/config.yaml")), "of the first");
  EXPECT_EQ(slurp(run("/run.json")), before);
  EXPECT_TRUE(fs::exists(run(kBest)));
  ::close(first);
  EXPECT_EQ(train().exit_code, 0);
  EXPECT_EQ(slurp(run("/config.yaml")), kConfig);
}

}  // namespace
}  // namespace scorevi
