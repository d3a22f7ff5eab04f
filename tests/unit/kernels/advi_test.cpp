// ADVI, the KL divergence and maximum a posteriori against golden and directly computed values.
#include "support.h"

namespace scorevi::kernels {
namespace {

// Runs `update(input)` on every prior group and adds up the statistics.
template <class Update>
UpdateStats over_groups(const Json& groups, UpdateInput<double> in, const Update& update) {
  UpdateStats all;
  for (const Json& group : groups) {
    in.begin = group["begin"].get<int64_t>();
    in.end = group["end"].get<int64_t>();
    in.prior_std = number(group["sigma0"]);
    all.merge(update(in));
  }
  return all;
}

TEST(Advi, EqualsTheGoldenGradients) {
  for (const Json& c : golden("vi")["advi"]) {
    const Doubles m = numbers(c["m"]), rho = numbers(c["rho"]);
    const auto d = static_cast<int64_t>(m.size());
    const double scale = -c["N"].get<double>() / c["temperature"].get<double>();
    Json scores = c["mean_nll_grad"];
    for (Json& row : scores) {
      for (Json& value : row) value = scale * value.get<double>();
    }
    const Buffer<double> prior_mean(numbers(c["mu0"])), noise(flatten(c["eps"])), score(row_mean(scores)),
        score_noise(row_mean(scores, c["eps"]));
    for (const bool sampled : {false, true}) {
      const TestFamily<double> family(m, rho);
      UpdateInput<double> in = input(d, score);
      in.score_noise = score_noise.ptr();
      in.samples = static_cast<int>(c["eps"].size());
      in.noise = noise.ptr();
      in.noise_stride = d;
      in.prior_mean = prior_mean.ptr();
      const auto stats = over_groups(c["groups"], in, [&](const UpdateInput<double>& part) {
        return advi_update(test_exec(), part, sampled, gradient_probe(), family.mean_slot(), family.log_std_slot());
      });
      const Json& want = c["expected"][sampled ? "sampled" : "analytic"];
      const std::string what = sampled ? "sampled" : "analytic";
      expect_near(family.mean_first.host(), numbers(want["grad_m"]), 1e-10, what);
      expect_near(family.log_std_first.host(), numbers(want["grad_rho"]), 1e-10, what);
      double nll = 0;
      for (const Json& value : c["mean_nll"]) nll += value.get<double>() / in.samples;
      if (!sampled) {
        const double elbo = want["neg_elbo"].get<double>();
        EXPECT_NEAR(-scale * nll + stats.kl, elbo, 1e-10 * std::abs(elbo));
      }
    }
  }
}

TEST(Advi, EqualsTheGoldenKl) {
  for (const Json& c : golden("vi")["kl"]) {
    const Doubles m = numbers(c["m"]), rho = numbers(c["rho"]);
    const auto d = static_cast<int64_t>(m.size());
    const Buffer<double> zero(Doubles(m.size(), 0.0)), prior_mean(numbers(c["mu0"]));
    const TestFamily<double> family(m, rho);
    UpdateInput<double> in = input(d, zero);
    in.score_noise = zero.ptr();
    in.prior_mean = prior_mean.ptr();
    const auto stats = over_groups(c["groups"], in, [&](const UpdateInput<double>& part) {
      return advi_update(test_exec(), part, /*kl_sampled=*/false, gradient_probe(), family.mean_slot(),
                         family.log_std_slot());
    });
    const Json& want = c["expected"];
    const std::string name = c["name"].get<std::string>();
    EXPECT_NEAR(stats.kl, want["kl"].get<double>(), 1e-10 * std::max(1.0, std::abs(stats.kl))) << name;
    EXPECT_EQ(stats.count, d);
    expect_near(family.mean_first.host(), numbers(want["grad_m"]), 1e-10, name);
    expect_near(family.log_std_first.host(), numbers(want["grad_rho"]), 1e-10, name);
  }
}

TEST(Advi, ScalesTheGradientAndCanOnlyMeasure) {
  const int64_t n = 1500;
  const auto m = wave<double>(n, 1.0, 0.1), rho = wave<double>(n, 1.0, 0.9, -1.0);
  const Buffer<double> score(wave<double>(n, 3.0, 0.5));
  const TestFamily<double> family(m, rho), once(m, rho);
  UpdateInput<double> in = input(n, score, 0.7);
  const auto plain = advi_update(test_exec(), in, true, gradient_probe(), once.mean_slot(), once.log_std_slot());
  in.gradient_scale = 0.25;
  in.apply = false;
  const OptimizerSlot<double> mean = {family.mean.ptr(), nullptr, nullptr};
  const OptimizerSlot<double> log_std = {family.log_std.ptr(), nullptr, nullptr};
  const auto stats = advi_update(test_exec(), in, true, gradient_probe(), mean, log_std);
  EXPECT_NEAR(stats.gradient_sq, plain.gradient_sq / 16, 1e-12 * plain.gradient_sq);
  EXPECT_EQ(stats.kl, plain.kl);
  EXPECT_EQ(family.mean.host(), m);
  EXPECT_EQ(family.log_std.host(), rho);
}

TEST(Map, GradientAndLogPriorAreThoseOfTheFormula) {
  const int64_t n = 2050;
  const auto m = wave<double>(n, 1.0, 0.1), s = wave<double>(n, 3.0, 0.5), mu0 = wave<double>(n, 0.5, 2.0);
  const Buffer<double> score(s), prior_mean(mu0);
  const TestFamily<double> family(m, m);
  UpdateInput<double> in = input(n, score, 0.7);
  in.prior_mean = prior_mean.ptr();
  const auto stats = map_update(test_exec(), in, gradient_probe(), family.mean_slot());
  Doubles want(m.size());
  double log_prior = 0, sum_sq = 0;
  for (std::size_t j = 0; j < m.size(); ++j) {
    const double z = (m[j] - mu0[j]) / 0.7;
    want[j] = z / 0.7 - s[j];
    sum_sq += want[j] * want[j];
    log_prior += -0.5 * z * z - std::log(0.7) - 0.5 * std::log(2 * std::acos(-1.0));
  }
  expect_near(family.mean_first.host(), want, 1e-14, "gradient");
  EXPECT_NEAR(stats.log_prior, log_prior, 1e-11 * std::abs(log_prior));
  EXPECT_NEAR(stats.gradient_sq, sum_sq, 1e-12 * sum_sq);
  in.prior_std = std::numeric_limits<double>::infinity();
  EXPECT_EQ(map_update(test_exec(), in, gradient_probe(), family.mean_slot()).log_prior, 0.0);
}

TEST(Advi, WeightDecayPullsMeansOnly) {
  const Buffer<double> zero(Doubles(3, 0.0));
  const TestFamily<double> family({1.0, 2.0, 3.0}, {-1.0, -2.0, -3.0});
  UpdateInput<double> in = input(3, zero);
  OptimizerRule rule = gradient_probe();
  rule.weight_decay = 0.1;
  advi_update(test_exec(), in, false, rule, family.mean_slot(), family.log_std_slot());
  expect_near(family.mean_first.host(), {0.1, 0.2, 0.3}, 1e-15, "means");
  expect_near(family.log_std_first.host(), {-1.0, -1.0, -1.0}, 1e-15, "log_std");
}

}  // namespace
}  // namespace scorevi::kernels
