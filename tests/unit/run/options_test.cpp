// The configuration of a run: defaults, strictness, combinations, the resolved text.
#include "scorevi/run/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/config/document.h"
#include "support/temp_dir.h"

namespace scorevi::run {
namespace {

using ::testing::HasSubstr;

class OptionsTest : public ::testing::Test {
 protected:
  LoadedOptions load(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    return load_options(folder_.write("c.yaml", text), overrides);
  }
  std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    try {
      load(text, overrides);
    } catch (const config::ConfigError& e) {
      return e.what();
    }
    return "no error";
  }
  test::TempDir folder_;
};

TEST_F(OptionsTest, ReadsTheDesignExample) {
  const RunOptions o = load(R"(name: digits_mlp_psm
seed: 7
device: auto
data:   {name: digits, train_size: 300, validation_frac: 0.2, batch_size: 50, workers: 0}
model:  {name: mlp, hidden: [100]}
prior:  {mean: zero, std: 0.3, groups: [{match: "fc2.*", std: .inf}]}
likelihood: {name: categorical, temperature: 1.0}
posterior:  {family: diagonal_gaussian, init_std: 0.02}
method: {name: psm, solver: gradient, estimator: analytic, norm: euclidean, inner_steps: 1, samples: 1, alpha_max: 1.0}
optimizer: {name: adam, lr: 1e-3, groups: [{match: "fc2.*", lr: 1e-2}]}
schedule:  {name: constant, warmup_steps: 0}
train:  {epochs: 200, eval_every: 10, monitor: val_nll, checkpoint_every: 10, batch_norm: frozen}
evaluate: {samples: 50, ece_bins: 15}
)")
                           .options;
  EXPECT_EQ(o.name, "digits_mlp_psm");
  EXPECT_EQ(o.seed, 7);
  EXPECT_EQ(o.data.train_size, 300);
  EXPECT_EQ(o.prior.groups.at(0).match, "fc2.*");
  EXPECT_TRUE(std::isinf(o.prior.groups.at(0).std));
  EXPECT_EQ(o.optimizer.groups.at(0).lr, 1e-2);
  EXPECT_EQ(o.train.epochs, 200);
}

TEST_F(OptionsTest, ResolvedTextReadsBackToItself) {
  const LoadedOptions first =
      load("method: {name: psm, solver: closed_form, beta: 0.002}\noptimizer: {name: sgd}\nschedule: {name: cosine}\n");
  const LoadedOptions again = load(first.resolved);
  EXPECT_EQ(first.resolved, again.resolved);
  EXPECT_EQ(again.options.method.beta, 0.002);
  EXPECT_THAT(first.resolved, HasSubstr("beta: 0.002"));
}

TEST_F(OptionsTest, OverridesReplaceSections) {
  const RunOptions o =
      load("method: {name: psm, estimator: sampled}\n", {"method={name: advi, samples: 3}", "optimizer.lr=1e-4"})
          .options;
  EXPECT_EQ(o.method.name, "advi");
  EXPECT_EQ(o.method.samples, 3);
  EXPECT_EQ(o.optimizer.lr, 1e-4);
}

TEST_F(OptionsTest, KeysOfAnotherMethodAreRefused) {
  EXPECT_THAT(error_of("method: {name: advi, estimator: sampled}\n"),
              HasSubstr("c.yaml:1:22: method: unknown key, got \"estimator\", it belongs to method.name \"psm\" with "
                        "solver \"gradient\", not to \"advi\""));
  EXPECT_THAT(
      error_of("method: {name: map, samples: 2}\n"),
      HasSubstr("it belongs to method.name \"psm\" or \"advi\" or \"fisher\" or \"gsm\" or \"bam\", not to \"map\""));
}

TEST_F(OptionsTest, TheRestIsLearnedByMethodsThatHaveBoth) {
  EXPECT_EQ(error_of("posterior: {match: [], rest: map}\n"), "no error");
  EXPECT_EQ(error_of("posterior: {match: [\"fc2.*\"], rest: map}\nmethod: {name: advi}\n"), "no error");
  EXPECT_THAT(error_of("posterior: {match: []}\n"), HasSubstr("posterior.match: is empty"));
  for (const char* method : {"map", "fisher", "bam"})
    EXPECT_THAT(error_of(std::string("posterior: {rest: map}\nmethod: {name: ") + method + "}\n"),
                HasSubstr(std::string("posterior.rest: map is for methods psm and advi, got method ") + method));
}

TEST_F(OptionsTest, NoiseStdIsAValueOrAStart) {
  const auto noise = [this](const std::string& keys) {
    return load("likelihood: {name: gaussian" + keys + "}\n").options.likelihood.noise_std();
  };
  EXPECT_EQ(load("seed: 1\n").options.likelihood.noise_std(), 1);
  EXPECT_EQ(noise(""), 1);
  EXPECT_EQ(noise(", noise_std: 0.4"), 0.4);
  EXPECT_EQ(noise(", noise: fixed"), 0.1);
  EXPECT_EQ(noise(", noise: fixed, noise_std: 0.4"), 0.4);
  EXPECT_THAT(load("likelihood: {name: gaussian}\n").resolved, HasSubstr("noise_std: 1\n"));
  EXPECT_THAT(error_of("likelihood: {name: gaussian, noise_std: 0}\n"), HasSubstr("likelihood.noise_std"));
}

TEST_F(OptionsTest, RangesAreChecked) {
  EXPECT_THAT(error_of("posterior: {init_std: 0}\n"), HasSubstr("c.yaml:1:23: posterior.init_std"));
  EXPECT_THAT(error_of("posterior: {init_std: -1}\n"), HasSubstr("posterior.init_std"));
  EXPECT_THAT(error_of("posterior: {init_std: .nan}\n"), HasSubstr("posterior.init_std"));
  EXPECT_THAT(error_of("likelihood: {temperature: 0}\n"), HasSubstr("likelihood.temperature"));
  EXPECT_THAT(error_of("seed: 1\n", {"train.epohcs=3"}), HasSubstr("did you mean"));
  EXPECT_EQ(error_of("seed: 9007199254740991\n"), "no error");
  EXPECT_THAT(error_of("seed: 9007199254740993\n"), HasSubstr("seed: out of range"));
  EXPECT_EQ(error_of("schedule: {name: multistep, milestones: [5, 3, 3, 0]}\n"),
            folder_.file("c.yaml") + ":1:41: schedule.milestones: expected ascending epochs");
  EXPECT_EQ(error_of("seed: 1\n", {"lr=1"}), "-s lr=1: unknown key, got \"lr\" (did you mean \"optimizer.lr\"?)");
}

TEST_F(OptionsTest, CombinationsAreCheckedTogether) {
  const std::string message = error_of(
      "name: a/b\ndevice: gpu\ndata: {validation_frac: 0}\nevaluate: {checkpoint: best, split: validation}\nschedule: "
      "{name: plateau}\n"
      "train: {patience: 3}\nmethod: {name: psm, min_std: 2, max_std: 1}\noptimizer: {name: sgd, momentum: 0, "
      "nesterov: true}\n");
  for (const char* key : {"name: got", "device: got", "evaluate.split: validation needs", "evaluate.checkpoint",
                          "schedule.name", "train.patience", "method.min_std", "optimizer.nesterov"})
    EXPECT_THAT(message, HasSubstr(key));
}

TEST_F(OptionsTest, OwnPicturesMayHaveAValidationPart) {
  const std::string rest = "root: x, validation_frac: 0}\ntrain: {patience: 3}\nevaluate: {checkpoint: best}\n";
  EXPECT_EQ(load("data: {name: image_folder, " + rest).options.train.patience, 3);
  EXPECT_THAT(error_of("data: {name: image_folder, validation: split, " + rest), HasSubstr("train.patience: needs"));
  EXPECT_THAT(error_of("data: {name: oxford_pets, " + rest), HasSubstr("evaluate.checkpoint: best needs"));
}

TEST_F(OptionsTest, TheKeyReferenceNamesEverySection) {
  const std::string text = key_reference_markdown();
  for (const char* key :
       {"data.batch_size", "model.hidden", "prior.groups", "likelihood.temperature", "method.inner_steps",
        "optimizer.momentum", "schedule.warmup_steps", "train.monitor", "evaluate.ece_bins", "variants", "grid"})
    EXPECT_THAT(text, HasSubstr(key));
}

}  // namespace
}  // namespace scorevi::run
