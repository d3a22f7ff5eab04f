// Forward and backward passes against torchvision and the reference of EfficientNet-Lite0, on every case
// of tests/golden/vision/logits.json.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "scorevi/io/weight_file.h"
#include "vision_golden.h"

namespace scorevi::models {
namespace {

enum class Precision { kFloat, kDouble };
enum class Double { kAlways, kOnDemand };  // what takes long waits for --gtest_also_run_disabled_tests

struct Case {
  const char* model;
  int64_t outputs, size;
  const char* mode;
  const char* weights;
  Double in_double;
};

// All cases of the file, in its order.
const Case kCases[] = {
    {"resnet18", 1000, 224, "eval", "fill", Double::kAlways},
    {"resnet34", 1000, 224, "eval", "fill", Double::kAlways},
    {"resnet50", 1000, 224, "eval", "fill", Double::kOnDemand},
    {"resnet101", 1000, 224, "eval", "fill", Double::kOnDemand},
    {"resnet101", 37, 224, "eval", "fill", Double::kAlways},
    {"vit_b_16", 1000, 224, "eval", "fill", Double::kAlways},
    {"vit_b_32", 1000, 224, "eval", "fill", Double::kOnDemand},
    {"vit_l_32", 1000, 224, "eval", "fill", Double::kOnDemand},
    {"vit_l_32", 37, 224, "eval", "fill", Double::kOnDemand},
    {"efficientnet_lite0", 1000, 224, "eval", "fill", Double::kOnDemand},
    {"resnet18", 1000, 64, "eval", "fill", Double::kOnDemand},
    {"vit_b_32", 1000, 384, "eval", "fill", Double::kOnDemand},
    {"resnet18", 1000, 64, "train", "fill", Double::kAlways},
    {"efficientnet_lite0", 1000, 224, "eval", "published", Double::kAlways},
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.model << '_' << c.outputs << '_' << c.size << '_' << c.mode << '_' << c.weights;
}

struct Tolerance {
  double logits, loss, gradient;
};

// As the reference advises: in float, a relu input near 0 may change sides in the deep convolutional networks.
Tolerance tolerance_of(const std::string& model, Precision precision) {
  if (precision == Precision::kDouble) return {1e-10, 1e-10, 1e-9};
  const bool smooth = model == "resnet18" || model[0] == 'v';
  return {1e-5, 1e-5, smooth ? 1e-5 : 3e-3};
}

constexpr const char* kPublishedWeights = "efficientnet_lite0/efficientnet-lite0-57934424.pth";

// The weights of `published` as they were published, where SCOREVI_DATA has them; else empty.
std::string published_weights() {
  const char* root = std::getenv("SCOREVI_DATA");
  const std::string path = root ? std::string(root) + "/" + kPublishedWeights : std::string();
  return std::filesystem::exists(path) ? path : std::string();
}

void load_published(Network& network, const std::string& path) {
  const torch::NoGradGuard no_grad;
  const auto file = io::WeightFile::open(path);
  for (auto& [name, tensor] : test::state_of(network)) {
    at::Tensor target = tensor;
    target.copy_(file.read(name));
  }
}

using Shapes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

template <class Named>
Shapes shapes_of(const Named& named) {
  Shapes result;
  for (const auto& item : named) result.emplace_back(item.key(), item.value().sizes().vec());
  return result;
}

class VisionLogits : public ::testing::TestWithParam<size_t> {
 protected:
  static nlohmann::json golden() {
    static const nlohmann::json all = test::vision_golden("logits.json");
    return all["cases"][GetParam()];
  }

  void run(const std::vector<Precision>& precisions);
  void check(Network& network, Precision precision);
  void check_gradients(const Network& network, const nlohmann::json& expected, double tolerance);
  void check_running_statistics(const Network& network, const nlohmann::json& expected, double tolerance);
};

void near(double actual, double expected, double scale, const std::string& what) {
  EXPECT_NEAR(actual, expected, scale * std::abs(expected)) << what;
}

void VisionLogits::check_gradients(const Network& network, const nlohmann::json& expected, double tolerance) {
  double all = 0;
  const auto parameters = network.named_parameters();
  for (const auto& parameter : parameters)
    all += parameter.value().grad().to(torch::kDouble).square().sum().item<double>();
  near(std::sqrt(all), expected["grad_norm_all"], tolerance, "all gradients");
  for (const auto& [name, norm] : expected["grad_norm"].items())
    near(parameters[name].grad().to(torch::kDouble).norm().item<double>(), norm, tolerance, "gradient of " + name);
}

void VisionLogits::check_running_statistics(const Network& network, const nlohmann::json& expected, double tolerance) {
  const auto buffers = network.named_buffers();
  for (const std::string norm : {"bn1", "layer4.1.bn2"}) {
    EXPECT_EQ(buffers[norm + ".num_batches_tracked"].item<int64_t>(), expected[norm]["num_batches_tracked"]);
    for (const std::string statistic : {"running_mean", "running_var"}) {
      const auto values = expected[norm][statistic + "_first4"].get<std::vector<double>>();
      const at::Tensor actual = buffers[norm + "." + statistic].slice(0, 0, 4).to(torch::kDouble);
      EXPECT_TRUE(actual.allclose(torch::tensor(values, torch::kDouble), tolerance, tolerance)) << norm << statistic;
    }
  }
}

void VisionLogits::check(Network& network, Precision precision) {
  SCOPED_TRACE(precision == Precision::kDouble ? "double" : "float");
  const nlohmann::json entry = golden();
  const nlohmann::json& expected = entry[precision == Precision::kDouble ? "float64" : "float32"];
  const Tolerance tolerance = tolerance_of(entry["model"], precision);
  const auto labels = entry["labels"].get<std::vector<int64_t>>();
  const auto batch = static_cast<int64_t>(labels.size());
  const int64_t size = entry["image_size"];
  network.train(entry["mode"] == "train");
  const at::Tensor x = test::fill_input({batch, 3, size, size}).to(network.parameters().front().scalar_type());

  const at::Tensor logits = network.forward(x);
  const at::Tensor loss = torch::nn::functional::cross_entropy(logits, torch::tensor(labels));
  loss.backward();

  const at::Tensor actual = logits.detach().to(torch::kDouble);
  const double largest = entry["float64_statistics"]["logits_abs_max"];
  for (int64_t row = 0; row < batch; ++row) {
    const auto first = expected["logits_first16"][row].get<std::vector<double>>();
    const at::Tensor error = actual[row].slice(0, 0, 16) - torch::tensor(first, torch::kDouble);
    EXPECT_LE(error.abs().max().item<double>(), tolerance.logits * largest) << "row " << row;
  }
  EXPECT_NEAR(actual.sum().item<double>(), expected["sum"],
              tolerance.logits * largest * static_cast<double>(actual.numel()));
  near(actual.square().sum().item<double>(), expected["sumsq"], 2 * tolerance.logits, "sum of squares");
  near(loss.item<double>(), expected["loss"], tolerance.loss, "loss");
  check_gradients(network, expected, tolerance.gradient);
  if (entry["mode"] == "train") check_running_statistics(network, expected, tolerance.logits);
}

// Names, shapes and order of parameters and buffers decide whether published weights fit.
void expect_state(const Network& network, const nlohmann::json& reference) {
  Shapes parameters, buffers;
  for (const nlohmann::json& item : reference["state"])
    (item[2] == "parameter" ? parameters : buffers).emplace_back(item[0], item[1].get<std::vector<int64_t>>());
  EXPECT_EQ(shapes_of(network.named_parameters()), parameters);
  EXPECT_EQ(shapes_of(network.named_buffers()), buffers);
  int64_t count = 0;
  for (const at::Tensor& parameter : network.parameters()) count += parameter.numel();
  EXPECT_EQ(count, reference["parameter_count"]);
}

void VisionLogits::run(const std::vector<Precision>& precisions) {
  const Case& c = kCases[GetParam()];
  const nlohmann::json entry = golden();
  ASSERT_EQ(std::tie(entry["model"], entry["num_classes"], entry["image_size"], entry["mode"], entry["weights"]),
            std::make_tuple(c.model, c.outputs, c.size, c.mode, c.weights));
  const bool published = entry["weights"] == "published";
  if (published && published_weights().empty()) GTEST_SKIP() << "SCOREVI_DATA has no " << kPublishedWeights;

  const auto network = test::build(c.model, c.size, c.outputs);
  if (c.size == 224) expect_state(*network, test::architecture(c.model, c.outputs));
  for (const Precision precision : precisions) {
    network->to(precision == Precision::kDouble ? torch::kDouble : torch::kFloat);
    if (published) {
      load_published(*network, published_weights());
    } else {
      test::fill_network(*network, c.model, c.outputs);
    }
    check(*network, precision);
    for (at::Tensor& parameter : network->parameters()) parameter.mutable_grad() = at::Tensor();
  }
}

TEST_P(VisionLogits, EqualTheReference) {
  run(kCases[GetParam()].in_double == Double::kAlways ? std::vector<Precision>{Precision::kFloat, Precision::kDouble}
                                                      : std::vector<Precision>{Precision::kFloat});
}

// 5 GB of memory.
TEST_P(VisionLogits, DISABLED_EqualTheReferenceInDouble) { run({Precision::kDouble}); }

INSTANTIATE_TEST_SUITE_P(AllCases, VisionLogits, ::testing::Range<size_t>(0, std::size(kCases)),
                         [](const auto& instance) { return ::testing::PrintToString(kCases[instance.param]); });

TEST(VisionGolden, FillRuleGivesTheCheckValues) {
  const nlohmann::json golden = test::vision_golden("logits.json");
  EXPECT_EQ(golden["cases"].size(), std::size(kCases));
  for (const nlohmann::json& probe : golden["fill_probes"]) {
    const uint64_t hash = std::stoull(probe["z"].get<std::string>(), nullptr, 16);
    EXPECT_EQ(test::fill_hash(probe["k"], probe["j"]), hash) << probe;
  }
}

}  // namespace
}  // namespace scorevi::models
