#include "pretrained.h"

#include <stdlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <torch/torch.h>

#include "known_weights.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/io/checkpoint.h"
#include "scorevi/io/safetensors.h"
#include "scorevi/models/registry.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::run {
namespace {

using test::message_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 7;

class PretrainedTest : public ::testing::Test {
 protected:
  static std::shared_ptr<models::Network> network(int64_t channels, int64_t classes, uint64_t seed) {
    models::ModelOptions options;
    options.name = "cifar_resnet20";
    return models::make_network(options, {{channels, 32, 32}}, classes, seed);
  }
  // The network's tensors as a file; `change` sees each name and tensor and returns what is written, or nothing.
  template <class Change>
  std::string write(const models::Network& source, const Change& change) const {
    io::NamedTensors tensors;
    const auto add = [&](const std::string& name, const at::Tensor& tensor) {
      const at::Tensor changed = change(name, tensor.detach());
      if (changed.defined()) tensors.emplace_back(name, changed);
    };
    for (const auto& item : source.named_parameters()) add(item.key(), item.value());
    for (const auto& item : source.named_buffers()) add(item.key(), item.value());
    io::write_safetensors(folder_.file("weights.safetensors"), tensors, {});
    return folder_.file("weights.safetensors");
  }
  static at::Tensor unchanged(const std::string&, const at::Tensor& tensor) { return tensor; }

  static RunOptions options(const std::string& weights) {
    RunOptions options;
    options.model.name = "cifar_resnet20";
    options.pretrained.weights = weights;
    return options;
  }

  static data::Dataset classes(const std::vector<std::string>& names = {}) {
    data::Dataset dataset;
    dataset.class_names = names;
    return dataset;
  }
  // The checkpoint of a run on `network` that learned the parameters `learned` wants.
  static params::StateDict checkpoint_of(const models::Network& network, bool (*learned)(const std::string&)) {
    params::StateDict state;
    for (const auto& item : network.named_parameters()) {
      if (!learned(item.key())) continue;
      state.add("mean." + item.key(), item.value().detach());
      state.add("log_std." + item.key(), at::zeros_like(item.value()));
    }
    for (const auto& item : network.named_buffers()) state.add("buffer." + item.key(), item.value());
    return state;
  }
  static bool all(const std::string&) { return true; }
  // The folder of a run with its last checkpoint, and with inputs.json: task, classes and columns.
  std::string write_run(const params::StateDict& state, const std::string& task, const std::string& classes,
                        const std::string& columns) const {
    io::save_checkpoint(folder_.write("run/checkpoints/last.safetensors", ""), state);
    folder_.write("run/run.json", R"({"status": "finished"})");
    const std::string affine = R"({"mean":[],"std":[],"repeat":1})";
    folder_.write("run/inputs.json", R"({"data":"d","task":")" + task + R"(","outputs":3,"class_names":)" + classes +
                                         R"(,"feature_names":)" + columns +
                                         R"(,"input_shape":[2],"input_scale":1,"pictures":null,"inputs":)" + affine +
                                         R"(,"targets":)" + affine + "}");
    return folder_.file("run");
  }

  test::TempDir folder_;
};

TEST_F(PretrainedTest, EveryTensorIsCopied) {
  const auto source = network(3, 10, kSeed);
  const auto target = network(3, 10, kSeed + 1);
  const Pretrained result = load_pretrained(*target, options(write(*source, unchanged)), classes());
  for (const auto& item : source->named_parameters())
    EXPECT_TRUE(at::equal(item.value(), *target->named_parameters().find(item.key()))) << item.key();
  EXPECT_TRUE(result.untrained.empty());
  EXPECT_EQ(result.sha256.size(), 64U);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("loaded 116/116 tensors")));
}

TEST_F(PretrainedTest, AHeadForOtherClassesStaysAsItIs) {
  const auto target = network(3, 5, kSeed + 1);
  const at::Tensor head = target->named_parameters().find("linear.weight")->clone();
  const Pretrained result = load_pretrained(*target, options(write(*network(3, 10, kSeed), unchanged)), classes());
  EXPECT_TRUE(at::equal(head, *target->named_parameters().find("linear.weight")));
  EXPECT_THAT(result.untrained, ElementsAre("linear.weight", "linear.bias"));
  EXPECT_THAT(result.notes, Contains(HasSubstr("skipped linear.weight ([10, 64] -> [5, 64])")));
}

TEST_F(PretrainedTest, ThreeChannelsAreSummedForOne) {
  const auto source = network(3, 10, kSeed);
  const auto target = network(1, 10, kSeed + 1);
  load_pretrained(*target, options(write(*source, unchanged)), classes());
  EXPECT_TRUE(at::allclose(source->named_parameters().find("conv1.weight")->sum(1, true),
                           *target->named_parameters().find("conv1.weight")));
}

TEST_F(PretrainedTest, WhatIsMissingIsToldAndStrictRefusesIt) {
  const std::string path = write(*network(3, 10, kSeed), [](const std::string& name, const at::Tensor& tensor) {
    return name == "layer1.0.conv1.weight" ? at::Tensor() : tensor;
  });
  const auto target = network(3, 10, kSeed);
  EXPECT_THAT(load_pretrained(*target, options(path), classes()).warnings,
              Contains(HasSubstr("not in the file, left as they were: layer1.0.conv1.weight")));
  RunOptions strict = options(path);
  strict.pretrained.strict = true;
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_pretrained(*target, strict, classes()); }),
              AllOf(HasSubstr("1 tensors"), HasSubstr("layer1.0.conv1.weight")));
}

TEST_F(PretrainedTest, OtherNetworksAreRefused) {
  const auto target = network(3, 10, kSeed);
  const std::string wrong = write(*network(3, 10, kSeed), [](const std::string& name, const at::Tensor& tensor) {
    return name == "layer2.0.conv1.weight" ? at::zeros({8, 4}) : tensor;
  });
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_pretrained(*target, options(wrong), classes()); }),
              AllOf(HasSubstr("layer2.0.conv1.weight"), HasSubstr("[8, 4]"), HasSubstr("model.name")));
  io::write_safetensors(folder_.file("other.safetensors"), {{"other", at::zeros({2})}}, {});
  EXPECT_THAT(message_of(ErrorKind::kData,
                         [&] { load_pretrained(*target, options(folder_.file("other.safetensors")), classes()); }),
              HasSubstr("no tensor fits the network, got names such as other"));
}

TEST_F(PretrainedTest, TheMeansOfARunAreWeightsToBeginWith) {
  const auto source = network(3, 10, kSeed), target = network(3, 10, kSeed + 1);
  source->named_buffers().find("bn1.running_mean")->fill_(0.25);
  const std::string last = folder_.write("run/checkpoints/last.safetensors", ""), run = folder_.file("run");
  folder_.write("run/run.json", R"({"status": "finished"})");
  io::save_checkpoint(last, checkpoint_of(*source, all));
  const Pretrained result = load_pretrained(*target, options(run), classes());
  EXPECT_THAT(result.notes, ElementsAre("loaded 116/116 tensors of the network from " + last + ", the means of a run"));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("the head linear is kept, but nothing says")));
  EXPECT_EQ(result.sha256.size(), 64U);
  for (const auto& item : source->named_parameters())
    EXPECT_TRUE(at::equal(item.value(), *target->named_parameters().find(item.key()))) << item.key();
  EXPECT_EQ(target->named_buffers().find("bn1.running_mean")->min().item<float>(), 0.25F);

  const std::string best = folder_.write("run/checkpoints/best.safetensors", "");
  io::save_checkpoint(best, checkpoint_of(*source, [](const std::string& name) { return name != "conv1.weight"; }));
  EXPECT_EQ(find_weights_file(run, ""), best);
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_pretrained(*target, options(best), classes()); }),
              AllOf(HasSubstr("1 of this network are not among them, the first is conv1.weight"),
                    HasSubstr("posterior.match")));
  std::string bytes = read_file(last, 1 << 24);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  const std::string damaged = folder_.write("damaged.safetensors", bytes);
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_pretrained(*target, options(damaged), classes()); }),
              HasSubstr("damaged on disk"));
}

TEST_F(PretrainedTest, TheHeadFollowsTheOrderOfTheClasses) {
  const auto source = network(3, 3, kSeed), target = network(3, 3, kSeed + 1);
  const std::string run = write_run(checkpoint_of(*source, all), "classification", R"(["a","b","c"])", "[]");
  const Pretrained result = load_pretrained(*target, options(run), classes({"c", "a", "b"}));
  const at::Tensor from = *source->named_parameters().find("linear.weight"),
                   to = *target->named_parameters().find("linear.weight");
  EXPECT_TRUE(at::equal(to[0], from[2]) && at::equal(to[1], from[0]) && at::equal(to[2], from[1]));
  EXPECT_EQ(target->named_parameters().find("linear.bias")->data()[0].item<float>(),
            source->named_parameters().find("linear.bias")->data()[2].item<float>());
  EXPECT_EQ(result.head_use, "reordered");
  EXPECT_TRUE(result.untrained.empty());
  EXPECT_THAT(result.notes, Contains("the rows of the head linear follow the order of the classes here"));
  EXPECT_EQ(load_pretrained(*target, options(run), classes({"a", "b", "c"})).head_use, "kept");
  EXPECT_TRUE(at::equal(*target->named_parameters().find("linear.weight"), from));
}

TEST_F(PretrainedTest, AHeadOfOtherClassesBeginsAnew) {
  const auto source = network(3, 3, kSeed), target = network(3, 3, kSeed + 1);
  const at::Tensor head = target->named_parameters().find("linear.weight")->clone();
  const std::string run = write_run(checkpoint_of(*source, all), "classification", R"(["a","b","c"])", "[]");
  const std::string file = run + "/checkpoints/last.safetensors";  // is that of the run as well
  for (const std::string& weights : {run, file}) {
    const Pretrained result = load_pretrained(*target, options(weights), classes({"a", "b", "d"}));
    EXPECT_TRUE(at::equal(head, *target->named_parameters().find("linear.weight")));
    EXPECT_EQ(result.head_use, "new");
    EXPECT_THAT(result.untrained, ElementsAre("linear.weight", "linear.bias"));
    EXPECT_THAT(result.notes, Contains("the head linear begins anew: its classes are others (here alone: d; in the run "
                                       "alone: c)"));
    EXPECT_THAT(result.warnings, ::testing::IsEmpty());
  }
  RunOptions random = options(run);
  random.pretrained.head_start = "random";
  EXPECT_EQ(load_pretrained(*target, random, classes({"a", "b", "c"})).head_use, "new");
  EXPECT_TRUE(at::equal(head, *target->named_parameters().find("linear.weight")));
}

TEST_F(PretrainedTest, AHeadIsTakenWholeOrNotAtAll) {
  const auto target = network(3, 10, kSeed + 1);
  const at::Tensor head = target->named_parameters().find("linear.weight")->clone();
  const std::string half = write(*network(3, 10, kSeed), [](const std::string& name, const at::Tensor& tensor) {
    return name == "linear.bias" ? at::zeros({4}) : tensor;
  });
  const Pretrained result = load_pretrained(*target, options(half), classes());
  EXPECT_TRUE(at::equal(head, *target->named_parameters().find("linear.weight")));
  EXPECT_THAT(result.untrained, ElementsAre("linear.weight", "linear.bias"));
  EXPECT_THAT(result.notes, Contains("the head linear begins anew: 1 of its 2 tensors fit"));
}

TEST_F(PretrainedTest, AHeadOfUnknownClassesIsTold) {
  const auto target = network(3, 10, kSeed + 1);
  RunOptions wanted = options(write(*network(3, 10, kSeed), unchanged));
  EXPECT_THAT(load_pretrained(*target, wanted, classes()).warnings,
              ElementsAre(HasSubstr("model.head_start: zero begins it anew")));
  wanted.pretrained.head_start = "zero";
  EXPECT_THAT(load_pretrained(*target, wanted, classes()).warnings, ::testing::IsEmpty());
  for (const KnownWeights& known : known_weights())
    EXPECT_EQ(known.classes, known.name.find("_cifar10") != std::string::npos ? "cifar10" : "") << known.name;
}

TEST_F(PretrainedTest, BatchNormThatStaysAsItIsNeedsItsStatistics) {
  const auto target = network(3, 10, kSeed + 1);
  RunOptions wanted = options(write(*network(3, 10, kSeed), [](const std::string& name, const at::Tensor& tensor) {
    return name.find("running_") == std::string::npos ? tensor : at::Tensor();
  }));
  EXPECT_THAT(
      message_of(ErrorKind::kData, [&] { load_pretrained(*target, wanted, classes()); }),
      AllOf(HasSubstr("has no batch-norm statistics bn1.running_mean"), HasSubstr("train.batch_norm: running")));
  wanted.train.batch_norm = "running";
  EXPECT_NO_THROW(load_pretrained(*target, wanted, classes()));
}

TEST_F(PretrainedTest, LearnedNoiseGoesOnAndOtherColumnsAreTold) {
  RunOptions wanted;
  wanted.model.name = "mlp";
  wanted.model.hidden = {4};
  const auto source = models::make_network(wanted.model, {{2}}, 1, kSeed),
             target = models::make_network(wanted.model, {{2}}, 1, kSeed + 1);
  params::StateDict state = checkpoint_of(*source, all);
  state.add("mean.log_noise", at::full({}, -2.0));
  wanted.pretrained.weights = write_run(state, "regression", "[]", R"(["width","height"])");
  data::Dataset table;
  table.task = data::Task::kRegression;
  table.feature_names = {"width", "height"};
  const Pretrained same = load_pretrained(*target, wanted, table);
  EXPECT_EQ(same.log_noise, -2.0);
  EXPECT_THAT(same.notes, Contains(HasSubstr("a standard deviation of 0.1353")));
  EXPECT_THAT(same.warnings, ::testing::IsEmpty());
  table.feature_names = {"height", "width"};
  EXPECT_THAT(load_pretrained(*target, wanted, table).warnings,
              ElementsAre("the run's columns are width, height, here they are height, width: its weights are for other "
                          "inputs"));
  wanted.likelihood.noise = "fixed";
  EXPECT_FALSE(load_pretrained(*target, wanted, table).log_noise);
  wanted.likelihood.noise = "learned";
  wanted.pretrained.head_start = "zero";
  EXPECT_FALSE(load_pretrained(*target, wanted, table).log_noise);
}

TEST_F(PretrainedTest, ValuesThatNoNetworkCanUseAreRefused) {
  const auto target = network(3, 10, kSeed);
  const auto message_with = [&](const std::string& changed, double value) {
    const std::string path = write(*network(3, 10, kSeed), [&](const std::string& name, const at::Tensor& tensor) {
      if (name != changed) return tensor;
      at::Tensor copy = tensor.clone();
      copy.view({-1})[1] = value;
      return copy;
    });
    return message_of(ErrorKind::kData, [&] { load_pretrained(*target, options(path), classes()); });
  };
  EXPECT_THAT(message_with("conv1.weight", NAN), HasSubstr("conv1.weight holds nan, expected finite values"));
  EXPECT_THAT(message_with("linear.bias", INFINITY), HasSubstr("linear.bias holds inf"));
  EXPECT_THAT(message_with("bn1.running_var", -1), HasSubstr("bn1.running_var holds -1, expected variances from 0 on"));
}

TEST_F(PretrainedTest, KnownNamesAreFoundCheckedAndSuggested) {
  ::unsetenv("SCOREVI_DATA");  // may hold the real files
  for (const KnownWeights& known : known_weights()) {
    EXPECT_TRUE(models::networks().find(known.model).make.vision) << known.name;
    EXPECT_GE(known.sha256.size(), 8U) << known.name;
  }
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { find_weights_file("resnet18_imagenet_v3", ""); }),
              HasSubstr("did you mean \"resnet18_imagenet_v1\"?"));
  const std::string root = folder_.path().string();
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { find_weights_file("cifar_resnet20_cifar10", root); }),
              AllOf(HasSubstr("resnet20-12fca82f.th"), HasSubstr("scripts/download_data.sh weights")));
  const std::string path = folder_.write("weights/resnet20-12fca82f.th", "something else");
  EXPECT_EQ(find_weights_file("cifar_resnet20_cifar10", root), path);
  ::setenv("SCOREVI_DATA", root.c_str(), 1);  // found there too when data.root is a folder of pictures
  EXPECT_EQ(find_weights_file("cifar_resnet20_cifar10", "/somewhere/else"), path);
  ::unsetenv("SCOREVI_DATA");
  RunOptions known = options("cifar_resnet20_cifar10");
  known.data.source.root = root;
  const auto target = network(3, 10, kSeed);
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_pretrained(*target, known, classes()); }),
              HasSubstr("is not the file that cifar_resnet20_cifar10 means"));
  known.pretrained.weights = "resnet18_imagenet_v1";
  EXPECT_THAT(message_of(ErrorKind::kUsage, [&] { load_pretrained(*target, known, classes()); }),
              HasSubstr("is for model resnet18, got model cifar_resnet20"));
}

}  // namespace
}  // namespace scorevi::run
