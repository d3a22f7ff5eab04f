// optimizer_update against ten-step trajectories of torch.optim.
#include "support.h"

namespace scorevi::kernels {
namespace {

OptimizerRule rule_of(const Json& run, double lr, int t) {
  const Json& o = run["options"];
  const std::string kind = run["optimizer"].get<std::string>();
  OptimizerRule rule;
  rule.lr = lr;
  rule.weight_decay = o.value("weight_decay", 0.0);
  rule.momentum = o.value("momentum", 0.0);
  rule.dampening = o.value("dampening", 0.0);
  rule.nesterov = o.value("nesterov", false);
  rule.eps = o.value("eps", 1e-8);
  rule.first_step = t == 1;
  if (kind == "RMSprop") {
    rule.kind = OptimizerKind::kRmsprop;
    rule.beta2 = o["alpha"].get<double>();
  } else if (kind != "SGD") {
    rule.kind = kind == "Adam" ? OptimizerKind::kAdam : OptimizerKind::kAdamW;
    rule.beta1 = o["betas"][0].get<double>();
    rule.beta2 = o["betas"][1].get<double>();
    rule.bias1 = 1.0 - std::pow(rule.beta1, t);
    rule.bias2 = 1.0 - std::pow(rule.beta2, t);
  }
  if (run["clip"]["kind"] == "value") rule.clip_value = run["clip"]["value"].get<double>();
  return rule;
}

double clip_factor(const Json& run, const Doubles& gradient) {
  if (run["clip"]["kind"] != "norm") return 1.0;
  double sum_sq = 0;
  for (double g : gradient) sum_sq += g * g;
  return std::min(1.0, run["clip"]["value"].get<double>() / (std::sqrt(sum_sq) + 1e-6));
}

template <class T>
void check_trajectory(const Json& run, const Json& want, double tolerance) {
  const Json& file = golden("optim");
  const Doubles start = numbers(file["start"]);
  const std::vector<T> first(start.begin(), start.end());
  const TestFamily<T> family(first, first);
  for (int t = 1; t <= file["steps"].get<int>(); ++t) {
    const auto index = static_cast<std::size_t>(t - 1);
    const Doubles gradient = numbers(file["gradients"][index]);
    const double scale = clip_factor(run, gradient);
    const Buffer<T> g = buffer_of<T>(gradient);
    UpdateStats stats;
    for (const Json& group : file["groups"]) {
      stats.merge(optimizer_update(test_exec(), group["begin"].get<int64_t>(), group["end"].get<int64_t>(), g.ptr(),
                                   scale, rule_of(run, group["lr"].get<double>(), t), family.mean_slot()));
    }
    EXPECT_EQ(stats.count, static_cast<int64_t>(start.size()));
    const auto got = family.mean.host();
    const Doubles expected = numbers(want[index]);
    for (std::size_t j = 0; j < got.size(); ++j) {
      EXPECT_NEAR(got[j], expected[j], tolerance * std::max(1.0, std::abs(expected[j])))
          << run["name"] << " " << run["clip"] << " step " << t;
    }
  }
}

TEST(OptimizerUpdate, FollowsTheGoldenTrajectories) {
  int compared = 0;
  for (const Json& run : golden("optim")["runs"]) {
    if (run["options"].value("centered", false)) continue;  // not offered
    check_trajectory<double>(run, run["parameters_float64"], 1e-12);
    check_trajectory<float>(run, run["parameters_float32"], 2e-6);
    ++compared;
  }
  EXPECT_EQ(compared, 39);
}

TEST(OptimizerUpdate, CountsWhatIsNotFinite) {
  const Buffer<float> gradient(std::vector<float>{1.0f, std::nanf(""), 0.0f, HUGE_VALF, 2.0f});
  const TestFamily<float> family(std::vector<float>(5), std::vector<float>(5));
  OptimizerRule rule;
  rule.lr = 0.1;
  const auto stats = optimizer_update(test_exec(), 0, 5, gradient.ptr(), 1.0, rule, family.mean_slot());
  EXPECT_EQ(stats.nonfinite, 2);
}

}  // namespace
}  // namespace scorevi::kernels
