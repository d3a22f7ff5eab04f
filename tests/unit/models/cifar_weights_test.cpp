// Trained CIFAR networks on real pictures, against recorded logits (tests/golden/vision).
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scorevi/io/safetensors.h"
#include "vision_golden.h"

namespace scorevi::models {
namespace {

constexpr int64_t kPictures = 16, kClasses = 10, kBytes = 3 * 32 * 32;

// Label byte and planes of red, green, blue per picture; normalised as the recipe says.
at::Tensor pictures(const VisionInput& vision) {
  std::ifstream file("tests/golden/vision/cifar10_first16.bin", std::ios::binary);
  at::Tensor raw = at::empty({kPictures, 1 + kBytes}, at::kByte);
  file.read(static_cast<char*>(raw.mutable_data_ptr()), raw.numel());
  EXPECT_EQ(file.gcount(), raw.numel());
  const at::Tensor pixels = raw.slice(1, 1).reshape({kPictures, 3, 32, 32}).to(at::kDouble) / 255;
  const at::Tensor mean = torch::tensor(std::vector<double>(vision.mean.begin(), vision.mean.end()), at::kDouble);
  const at::Tensor std = torch::tensor(std::vector<double>(vision.std.begin(), vision.std.end()), at::kDouble);
  return (pixels - mean.view({3, 1, 1})) / std.view({3, 1, 1});
}

// Columns: model, image, label, logit0 ... logit9.
at::Tensor recorded_logits(const std::string& model) {
  std::ifstream file("tests/golden/vision/cifar_resnets_first16.csv");
  std::vector<double> values;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string field;
    std::getline(fields, field, ',');
    if (field != model) continue;
    for (int column = 1; std::getline(fields, field, ','); ++column)
      if (column >= 3) values.push_back(std::stod(field));
  }
  return torch::tensor(values, at::kDouble).view({kPictures, kClasses});
}

std::string weights_file(const std::string& model) {
  const std::string name = model + "_cifar10.safetensors";
  const char* root = std::getenv("SCOREVI_DATA");
  std::vector<std::string> places = {"tests/golden/vision/" + name};
  if (root) places.push_back(std::string(root) + "/cifar_resnets/" + name);
  for (const std::string& place : places)
    if (std::filesystem::exists(place)) return place;
  return "";
}

void load(Network& network, const io::SafetensorsReader& file) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : test::state_of(network)) {
    at::Tensor target = tensor;
    if (file.contains(name)) file.read_into(name, target);
  }
}

class CifarWeights : public ::testing::TestWithParam<const char*> {};

TEST_P(CifarWeights, GiveTheRecordedLogits) {
  const std::string path = weights_file(GetParam());
  if (path.empty()) GTEST_SKIP() << "SCOREVI_DATA has no cifar_resnets/" << GetParam() << "_cifar10.safetensors";
  const std::string name = std::string("cifar_") + GetParam();
  const auto network = test::build(name, 32, kClasses);
  load(*network, io::SafetensorsReader::open(path));
  network->eval();
  const at::Tensor x = pictures(*networks().find(name).make.vision).to(at::kFloat);
  const at::Tensor expected = recorded_logits(GetParam());
  for (const at::MemoryFormat format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
    const at::Tensor error = network->forward(x.contiguous(format)).to(at::kDouble) - expected;
    EXPECT_LE(error.abs().max().item<double>(), 1e-5 * expected.abs().max().item<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Depths, CifarWeights, ::testing::Values("resnet20", "resnet32", "resnet44", "resnet56"));

}  // namespace
}  // namespace scorevi::models
