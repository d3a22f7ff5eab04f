#include "scorevi/optim/optimizer.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "scorevi/core/error.h"
#include "scorevi/kernels/update.h"
#include "scorevi/params/tensor_exec.h"

namespace scorevi::optim {
namespace {

using Json = nlohmann::json;

params::FlatLayout layout_of_two() {
  params::FlatLayout layout;
  layout.append("fc1.weight", {2, 2});
  layout.append("fc2.weight", {2});
  return layout;
}

at::Tensor tensor_of(const std::vector<double>& values) { return at::tensor(values, at::kDouble); }

std::string message_of(const std::function<void()>& body, ErrorKind kind) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

OptimizerOptions options_of(const Json& run, const Json& groups) {
  const Json& o = run["options"];
  OptimizerOptions options;
  options.name = run["optimizer"].get<std::string>();
  for (char& c : options.name) c = static_cast<char>(std::tolower(c));
  options.lr = groups[0]["lr"].get<double>();
  options.momentum = o.value("momentum", 0.0);
  options.dampening = o.value("dampening", 0.0);
  options.weight_decay = o.value("weight_decay", 0.0);
  options.nesterov = o.value("nesterov", false);
  options.eps = o.value("eps", 1e-8);
  if (o.contains("betas")) {
    options.beta1 = o["betas"][0].get<double>();
    options.beta2 = o["betas"][1].get<double>();
  }
  if (o.contains("alpha")) options.beta2 = o["alpha"].get<double>();
  if (run["clip"]["kind"] == "norm") options.clip_norm = run["clip"]["value"].get<double>();
  if (run["clip"]["kind"] == "value") options.clip_value = run["clip"]["value"].get<double>();
  OptimizerGroup second;
  second.match = "fc2.*";
  second.lr = groups[1]["lr"].get<double>();
  options.groups = {second};
  return options;
}

void step(Optimizer& optimizer, const at::Tensor& param, const at::Tensor& gradient) {
  optimizer.begin_step();
  const double norm = gradient.norm().item<double>();
  const double scale = optimizer.clips_norm() ? optimizer.clip_factor(norm) : 1.0;
  const auto slot = optimizer.slot<double>("mean", param);
  for (std::size_t i = 0; i < optimizer.ranges().size(); ++i) {
    const auto& range = optimizer.ranges()[i];
    kernels::optimizer_update(params::exec_for(param), range.begin, range.end, gradient.data_ptr<double>(), scale,
                              optimizer.rule(static_cast<int>(i), 1.0), slot);
  }
}

// Saves and loads in the middle of every run: the state by parameter name carries everything.
TEST(Optimizer, FollowsTheGoldenTrajectoriesAcrossSaveAndLoad) {
  std::ifstream in("tests/golden/numbers/optim.json");
  ASSERT_TRUE(in) << "run the test in the project root";
  const Json file = Json::parse(in);
  ASSERT_EQ(file["groups"][0]["end"], 4);
  const params::FlatLayout layout = layout_of_two();
  for (const Json& run : file["runs"]) {
    if (run["options"].value("centered", false)) continue;  // not offered
    const OptimizerOptions options = options_of(run, file["groups"]);
    const at::Tensor param = tensor_of(file["start"].get<std::vector<double>>());
    auto optimizer = std::make_unique<Optimizer>(options, layout, std::vector<std::string>{"mean"}, param);
    for (std::size_t t = 0; t < 10; ++t) {
      if (t == 5) {
        params::StateDict state;
        optimizer->save(state, layout);
        optimizer = std::make_unique<Optimizer>(options, layout, std::vector<std::string>{"mean"}, param);
        optimizer->load(state, layout);
        EXPECT_EQ(optimizer->steps(), 5);
      }
      step(*optimizer, param, tensor_of(file["gradients"][t].get<std::vector<double>>()));
      const at::Tensor want = tensor_of(run["parameters_float64"][t].get<std::vector<double>>());
      EXPECT_LT((param - want).abs().max().item<double>(), 1e-11) << run["name"] << " " << run["clip"] << " " << t;
    }
  }
}

TEST(Optimizer, KeepsOnlyTheBuffersItsRuleNeeds) {
  const params::FlatLayout layout = layout_of_two();
  const auto count = [&](const std::string& name, double momentum) {
    OptimizerOptions options;
    options.name = name;
    options.momentum = momentum;
    return Optimizer(options, layout, {"mean", "log_std"}, at::zeros({6})).buffers().size();
  };
  EXPECT_EQ(count("sgd", 0), 0u);
  EXPECT_EQ(count("sgd", 0.9), 2u);
  EXPECT_EQ(count("adam", 0.9), 4u);
  EXPECT_EQ(count("adamw", 0), 4u);
  EXPECT_EQ(count("rmsprop", 0), 2u);
  EXPECT_EQ(count("rmsprop", 0.9), 4u);
}

TEST(Optimizer, GroupsSetRateAndDecay) {
  OptimizerOptions options;
  options.weight_decay = 0.5;
  OptimizerGroup group;
  group.match = "fc2*";
  group.lr = 0.25;
  options.groups = {group};
  Optimizer optimizer(options, layout_of_two(), {"mean"}, at::zeros({6}));
  optimizer.begin_step();
  ASSERT_EQ(optimizer.ranges().size(), 2u);
  EXPECT_EQ(optimizer.rule(0, 0.5).lr, 0.5e-3);
  EXPECT_EQ(optimizer.rule(1, 0.5).lr, 0.125);
  EXPECT_EQ(optimizer.rule(1, 0.5).weight_decay, 0.5);
  options.groups[0].weight_decay = 0;
  Optimizer other(options, layout_of_two(), {"mean"}, at::zeros({6}));
  other.begin_step();
  EXPECT_EQ(other.rule(1, 1).weight_decay, 0);
  options.groups[0].match = "fc3*";
  message_of([&] { Optimizer(options, layout_of_two(), {"mean"}, at::zeros({6})); }, ErrorKind::kUsage);
}

TEST(Optimizer, RefusesBadOptions) {
  const auto with = [](auto change) {
    OptimizerOptions options;
    change(options);
    return message_of([&] { validate(options); }, ErrorKind::kUsage);
  };
  EXPECT_NE(with([](auto& o) { o.name = "adm"; }).find("did you mean \"adam"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.lr = 0; }).find("optimizer.lr"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.momentum = 1; }).find("optimizer.momentum"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.beta2 = 1; }).find("optimizer.beta2"), std::string::npos);
  EXPECT_NE(with([](auto& o) { o.clip_norm = -1; }).find("optimizer.clip_norm"), std::string::npos);
}

TEST(Optimizer, RefusesTheStateOfAnotherOptimizerOrNetwork) {
  const params::FlatLayout layout = layout_of_two();
  const at::Tensor like = at::zeros({6});
  OptimizerOptions options;
  Optimizer adam(options, layout, {"mean"}, like);
  params::StateDict state;
  adam.save(state, layout);
  options.name = "sgd";
  Optimizer sgd(options, layout, {"mean"}, like);
  const std::string message = message_of([&] { sgd.load(state, layout); }, ErrorKind::kData);
  EXPECT_NE(message.find("adam"), std::string::npos) << message;
  EXPECT_NE(message.find("sgd"), std::string::npos) << message;
  options.name = "adam";
  const params::FlatLayout other_layout = params::FlatLayout::single(6);
  Optimizer other(options, other_layout, {"mean"}, like);
  message_of([&] { other.load(state, other_layout); }, ErrorKind::kData);
}

}  // namespace
}  // namespace scorevi::optim
