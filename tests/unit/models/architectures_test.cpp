// Sizes and names of the networks that vision_logits_test.cpp does not compare with a reference in full.
#include <gmock/gmock.h>

#include <map>

#include "scorevi/io/safetensors.h"
#include "vision_golden.h"

namespace scorevi::models {
namespace {

int64_t parameter_count(const Network& network) {
  int64_t count = 0;
  for (const at::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count;
}

// Without a list of their own; the counts are torchvision's and those of the CIFAR collection.
TEST(VisionArchitectures, OtherDepthsHaveThePublishedCounts) {
  const std::map<std::string, std::pair<int64_t, int64_t>> published = {
      {"resnet152", {60192808, 1000}},  {"vit_l_16", {304326632, 1000}},  {"cifar_resnet20", {269722, 10}},
      {"cifar_resnet32", {464154, 10}}, {"cifar_resnet44", {658586, 10}}, {"cifar_resnet56", {853018, 10}},
  };
  for (const auto& [model, numbers] : published) {
    const int64_t size = model[0] == 'c' ? 32 : 224;
    EXPECT_EQ(parameter_count(*test::build(model, size, numbers.second)), numbers.first) << model;
  }
}

// The published file was made before batch norm counted its batches.
TEST(VisionArchitectures, CifarResNetHasTheStateOfThePublishedFile) {
  const auto network = test::build("cifar_resnet20", 32, 10);
  const auto file = io::SafetensorsReader::open("tests/golden/vision/resnet20_cifar10.safetensors");
  std::map<std::string, std::vector<int64_t>> expected, actual;
  for (const io::TensorInfo& tensor : file.tensors()) expected[tensor.name] = file.read(tensor.name).sizes().vec();
  for (const auto& [name, tensor] : test::state_of(*network))
    if (name.find("num_batches_tracked") == std::string::npos) actual[name] = tensor.sizes().vec();
  EXPECT_EQ(actual, expected);
}

TEST(VisionArchitectures, SayWhatTheirWeightsExpect) {
  for (const auto& entry : networks().entries()) {
    if (!entry.make.vision) continue;
    SCOPED_TRACE(entry.name);
    const VisionInput& vision = *entry.make.vision;
    if (entry.name.rfind("vit_l", 0) != 0) {  // vit_b is the same code, four times as small
      const auto parameters = test::build(entry.name, vision.image_size, 7)->named_parameters();
      EXPECT_EQ(parameters[std::string(vision.head) + ".bias"].sizes(), at::IntArrayRef({7}));
    }
    EXPECT_GE(vision.resize_size, vision.image_size);
    const bool lite = entry.name == "efficientnet_lite0";
    EXPECT_NEAR(vision.mean[1], lite ? 127.0 / 255 : 0.456, 1e-12);
    EXPECT_NEAR(vision.std[2], lite ? 128.0 / 255 : 0.225, 1e-12);
  }
}

}  // namespace
}  // namespace scorevi::models
