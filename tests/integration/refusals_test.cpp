// What is refused before any training, and how it is told.
#include <sys/stat.h>

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

using test::run_program;
using test::slurp;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Refusals : public ::testing::Test {
 protected:
  std::string config(const std::string& model, const std::string& data = "train_size: 161, batch_size: 40") const {
    return folder_.write("config.yaml", "name: small\ndata: {name: digits, validation_frac: 0, " + data + "}\nmodel: " +
                                            model + "\ntrain: {epochs: 1}\nevaluate: {samples: 2, bootstrap: 20}\n");
  }
  std::string sweep(const std::string& more) const {
    return folder_.write("sweep.yaml", "name: s\nbase: config.yaml\nvariants: {psm: {method: {name: psm}}}\n" + more);
  }
  // `check` and `train --dry-run` refuse with this exit code and message.
  void expect_refused(const std::string& path, int code, const std::string& message) const {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"check", path}, {"train", path, "--dry-run"}}) {
      const auto result = run_program(arguments);
      EXPECT_EQ(result.exit_code, code) << arguments[0] << result.err;
      EXPECT_THAT(result.err, AllOf(HasSubstr(message), Not(HasSubstr("frame #")), Not(HasSubstr("scorevi check"))));
    }
  }
  test::TempDir folder_;
};

TEST_F(Refusals, PicturesTooSmallForTheNetwork) {
  expect_refused(config("{name: efficientnet_lite0}"), 2,
                 "model efficientnet_lite0: inputs of shape [1, 8, 8] are too small");
  expect_refused(config("{name: cnn, channels: [4, 4, 4, 4]}"), 2, "height and width at least 16");
}

TEST_F(Refusals, BatchNormOnOneRow) {
  const std::string path = config("{name: resnet18}");
  expect_refused(path, 2, "data.batch_size: got 40, which leaves one of 161 training rows for the last batch");
  EXPECT_THAT(run_program({"check", path}).err, HasSubstr("use 41"));
  EXPECT_EQ(run_program({"check", path, "-s", "data.batch_size=41"}).exit_code, 0);
}

TEST_F(Refusals, NetworksThatDoNotFitIntoMemory) {
  expect_refused(config("{name: mlp, hidden: [1000000, 1000000]}"), 1,
                 "memory: model mlp has 1000076000010 parameters, method psm needs 8 parameter-sized buffers = ");
  expect_refused(config("{name: cnn, channels: [100000, 100000]}"), 1, "memory: model cnn has 2500");
}

TEST_F(Refusals, MethodsAndFamiliesThatAreNotForNetworks) {
  const std::string path = config("{name: mlp}");
  const auto told = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> arguments = {"check", path};
    for (const std::string& setting : settings) arguments.insert(arguments.end(), {"-s", setting});
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(told({"method={name: gsm}"}), HasSubstr("it is for scorevi bench"));
  EXPECT_THAT(told({"posterior.family=full_gaussian"}),
              HasSubstr("full_gaussian needs matrices of D x D doubles for D weights: it is for scorevi bench"));
  EXPECT_THAT(told({"method={name: fisher}", "train.precision=bfloat16"}),
              HasSubstr("method fisher differentiates the network twice, in float32"));
}

TEST_F(Refusals, FisherThatDoesNotFitIntoMemory) {
  const std::string path = config("{name: mlp, hidden: [1000000, 1000000]}");
  const auto result = run_program({"check", path, "-s", "method={name: fisher}"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("method fisher needs 16 parameter-sized buffers = "));
}

TEST_F(Refusals, PipesAndFoldersAreNoFiles) {
  const std::string pipe = folder_.file("pipe"), run = folder_.file("run");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto told = [](const std::vector<std::string>& arguments, int code) {
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, code) << arguments[0] << result.err;
    return result.out + result.err;
  };
  ASSERT_EQ(run_program({"train", config("{name: mlp}"), "--out", run}).exit_code, 0);
  EXPECT_THAT(told({"check", pipe}, 2), HasSubstr("is a pipe or a device"));
  EXPECT_THAT(told({"inspect", pipe}, 3), HasSubstr("is a pipe or a device"));
  EXPECT_THAT(told({"predict", run, pipe}, 3), HasSubstr("is a pipe or a device"));
  EXPECT_THAT(told({"inspect", folder_.path()}, 3), HasSubstr("is a folder"));
  EXPECT_THAT(told({"check", folder_.path()}, 2), HasSubstr("is a folder"));
}

TEST_F(Refusals, SweepsThatCouldNotBeCompared) {
  config("{name: mlp}");
  const auto told = [&](const std::string& more) {
    const auto result = run_program({"sweep", sweep(more), "--out", folder_.file("sweep")});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(told("common: {data.test_frac: 0}\n"), HasSubstr("evaluate.split: auto: no rows to evaluate"));
  EXPECT_THAT(told("metrics: []\n"), HasSubstr("got an empty list"));
  const std::string unknown = told("metrics: [error, rmse]\n");
  EXPECT_THAT(unknown, HasSubstr("metrics: got rmse, which a classification does not have, expected some of accuracy"));

  // What it lists is what there is.
  ASSERT_EQ(run_program({"train", folder_.file("config.yaml"), "--out", folder_.file("run")}).exit_code, 0);
  const auto report = nlohmann::json::parse(slurp(folder_.file("run/evaluation/report.json")));
  for (const auto& metric : report["metrics"].items()) EXPECT_THAT(unknown, HasSubstr(metric.key()));
}

TEST_F(Refusals, AllErrorsOfASweepAreToldAtOnceWithTheirPlaces) {
  config("{name: mlp}");
  const std::string path = folder_.write("sweep.yaml",
                                         "name: s\nbase: config.yaml\ncommon: {prior.std: -1}\nvariants:\n"
                                         "  psm: {method.estimater: sampled}\n  advi: {method: {name: advi}}\n"
                                         "grid:\n  seed: [0, one]\n");
  const auto result = run_program({"sweep", path, "--out", folder_.file("out")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(path + ": 4 of 4 members cannot be trained:\n" + path +
                                    ":3:10: prior.std: out of range: got -1, expected >= 1e-06 or infinite\n" + path +
                                    ":5:9: method: unknown key, got \"estimater\" (did you mean \"estimator\"?) (in "
                                    "psm__seed=0 and 1 more)\n" +
                                    path +
                                    ":8:13: seed: expected a whole number, got \"one\" (in psm__seed=one and 1 "
                                    "more)\n"));
  expect_refused(path, 2,
                 path +
                     ": is a sweep file (it has base and variants), expected the configuration of one run (with data "
                     "or method); run it with: scorevi sweep " +
                     path);
}

TEST_F(Refusals, NamesFromFilesDoNotSteerTheTerminal) {
  const std::string header = R"({"a\u001b[31m\u009b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  const std::string file =
      folder_.write("m.safetensors",
                    std::string{static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0} + header + std::string(1, 'x'));
  const auto text = run_program({"inspect", file});
  EXPECT_EQ(text.exit_code, 0) << text.out;
  EXPECT_THAT(text.out, HasSubstr("  a\\x1b[31m\\u009b  uint8"));
  EXPECT_THAT(run_program({"inspect", "--json", file}).out, HasSubstr(R"("a\u001b[31m\u009b")"));
  EXPECT_THAT(run_program({"check", "none\x1b[31m"}).err, HasSubstr("none\\x1b[31m: cannot be read"));
}

TEST_F(Refusals, ThreadsBeyondTheCoresAreNotStarted) {
  const std::string cores = std::to_string(std::thread::hardware_concurrency());
  const std::string more = std::to_string(std::thread::hardware_concurrency() + 1);
  const auto result = run_program({"check", config("{name: mlp}"), "-s", "threads=" + more});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("threads: got " + more + ", expected at most the " + cores + " cores"));
}

}  // namespace
}  // namespace scorevi
