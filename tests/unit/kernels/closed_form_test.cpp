#include "support.h"

namespace scorevi::kernels {
namespace {

struct State {
  Doubles m, rho;
};

State step(const State& from, const Json& scores, const Json& eps, double beta, bool corrected,
           UpdateStats* stats = nullptr) {
  const auto d = static_cast<int64_t>(from.m.size());
  const Buffer<double> noise(flatten(eps)), score(row_mean(scores)), score_noise(row_mean(scores, eps));
  const TestFamily<double> family(from.m, from.rho);
  UpdateInput<double> in = input(d, score);
  in.score_noise = score_noise.ptr();
  in.samples = static_cast<int>(eps.size());
  in.noise = noise.ptr();
  in.noise_stride = d;
  ClosedFormOptions<double> options;
  options.beta = options.mean_step = beta;
  options.corrected = corrected;
  const auto measured =
      closed_form_update(test_exec(), in, options, OptimizerRule{}, {family.mean.ptr(), nullptr, nullptr},
                         {family.log_std.ptr(), nullptr, nullptr});
  if (stats != nullptr) *stats = measured;
  return {family.mean.host(), family.log_std.host()};
}

State golden_start() {
  const Json& c = golden("vi")["closed_form"];
  State state = {numbers(c["m0"]), numbers(c["Lambda0"])};
  for (double& x : state.rho) x = -0.5 * std::log(x);
  return state;
}

TEST(ClosedForm, FollowsTheGoldenRuns) {
  const Json& c = golden("vi")["closed_form"];
  for (const Json& run : c["runs"]) {
    const double beta = run["beta"].get<double>();
    const bool corrected = run["corrected"].get<bool>();
    State state = golden_start();
    std::size_t t = 0;
    for (const Json& want : run["steps"]) {
      state = step(state, want["scores"], c["eps"][t], beta, corrected);
      const std::string what = "beta " + run["beta"].dump() + " step " + std::to_string(t++);
      expect_near(state.m, numbers(want["m"]), 1e-10, what);
      expect_near(state.rho, numbers(want["rho"]), 1e-10, what);
    }
    EXPECT_GT(t, 0u);
  }
}

TEST(ClosedForm, ALostPrecisionIsCountedAndTheCorrectionPreventsIt) {
  const State start = {{0.5, 0.5}, {0.0, 0.0}};
  const Json scores = Json::array({{5.0, -1.0}}), eps = Json::array({{1.0, 1.0}});  // h = -5 and 1
  UpdateStats stats;
  step(start, scores, eps, 0.5, /*corrected=*/false, &stats);
  EXPECT_EQ(stats.nonfinite, 1);
  step(start, scores, eps, 0.5, /*corrected=*/true, &stats);
  EXPECT_EQ(stats.nonfinite, 0);
}

// prior score and curvature enter exactly: h = 1/sigma0^2 where the likelihood is flat.
TEST(ClosedForm, OneFullStepOnThePriorAloneLandsOnIt) {
  const int64_t n = 1100;
  const Buffer<double> zero(Doubles(n, 0.0)), mu0(Doubles(n, 0.25));
  const TestFamily<double> family(wave<double>(n, 1.0, 0.0), wave<double>(n, 1.0, 1.0, -1.0));
  UpdateInput<double> in = input(n, zero, 0.3);
  in.prior_mean = mu0.ptr();
  ClosedFormOptions<double> options;
  options.beta = options.mean_step = 1.0;
  options.corrected = false;
  closed_form_update(test_exec(), in, options, OptimizerRule{}, family.mean_slot(), family.log_std_slot());
  expect_near(family.mean.host(), Doubles(n, 0.25), 1e-12, "mean");
  expect_near(family.log_std.host(), Doubles(n, std::log(0.3)), 1e-12, "log_std");
}

TEST(ClosedForm, MovesTheMeanByAverageOrByOptimizer) {
  const Buffer<double> score(Doubles{2.0, -4.0}), average(Doubles{1.0, 1.0});
  const Doubles m = {0.5, 0.25}, rho = {0.0, 0.0};
  UpdateInput<double> in = input(2, score);
  in.gradient_scale = 0.5;
  ClosedFormOptions<double> options;
  options.beta = 0;
  options.average = average.ptr();
  options.average_decay = 0.5;
  options.average_bias = 0.75;
  const TestFamily<double> newton(m, rho), optimizer(m, rho);
  closed_form_update(test_exec(), in, options, OptimizerRule{}, newton.mean_slot(), newton.log_std_slot());
  expect_near(average.host(), {1.5, -1.5}, 1e-15, "average");
  expect_near(newton.mean.host(), {0.5 + 0.1 * 2.0, 0.25 - 0.1 * 2.0}, 1e-15, "newton");
  options.newton = false;
  OptimizerRule rule;
  rule.lr = 0.1;
  closed_form_update(test_exec(), in, options, rule, optimizer.mean_slot(), optimizer.log_std_slot());
  expect_near(optimizer.mean.host(), {0.5 + 0.1 * 1.0, 0.25 - 0.1 * 2.0}, 1e-15, "optimizer");
}

}  // namespace
}  // namespace scorevi::kernels
