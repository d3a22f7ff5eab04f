// Proximal score matching against the golden losses and gradients.
#include "support.h"

namespace scorevi::kernels {
namespace {

Norm norm_of(const Json& run) {
  return run.value("norm", "euclidean") == "covariance" ? Norm::kCovariance : Norm::kEuclidean;
}

// One psm step on given scores and noise; leaves the gradients in the momentum buffers.
struct PsmCase {
  Doubles m_t, rho_t, m, rho;
  Json eps, scores;  // [samples][D]
  bool frozen = true;
  PsmOptions<double> options;

  struct Result {
    Doubles grad_mean, grad_log_std, mean, log_std;
    UpdateStats stats;
    double matching = 0, proximal = 0;
  };

  Result run(double lr = 1.0) const {
    const auto d = static_cast<int64_t>(m.size());
    const TestFamily<double> family(m, rho);
    const Buffer<double> frozen_mean(m_t), frozen_log_std(rho_t), noise(flatten(eps)), all_scores(flatten(scores)),
        score(row_mean(scores)), score_noise(row_mean(scores, eps));
    PsmOptions<double> o = options;
    if (frozen) {
      o.frozen_mean = frozen_mean.ptr();
      o.frozen_log_std = frozen_log_std.ptr();
    }
    UpdateInput<double> in = input(d, score);
    in.score_noise = score_noise.ptr();
    in.samples = static_cast<int>(eps.size());
    in.noise = noise.ptr();
    in.noise_stride = d;
    Result out;
    for (int i = 0; i < in.samples; ++i) {
      UpdateInput<double> one = in;
      one.score = all_scores.ptr() + i * d;
      one.noise = noise.ptr() + i * d;
      const UpdateStats losses = psm_losses(test_exec(), one, o, family.mean.ptr(), family.log_std.ptr());
      out.matching += losses.matching / in.samples;
      out.proximal += losses.proximal / in.samples;
    }
    out.stats = psm_update(test_exec(), in, o, gradient_probe(lr), family.mean_slot(), family.log_std_slot());
    out.grad_mean = family.mean_first.host();
    out.grad_log_std = family.log_std_first.host();
    out.mean = family.mean.host();
    out.log_std = family.log_std.host();
    return out;
  }
};

void check_run(PsmCase c, const Json& run) {
  const Json& want = run["expected"];
  const std::string what = run["at"].get<std::string>() + " alpha " + run["alpha"].dump();
  c.options.alpha = run["alpha"].get<double>();
  c.options.norm = norm_of(run);
  if (run["at"] == "first_inner_step") {
    c.frozen = false;
    c.m = c.m_t;
    c.rho = c.rho_t;
  }
  c.options.estimator = Estimator::kSampled;
  const auto sampled = c.run();
  expect_near(sampled.grad_mean, numbers(want["grad_m"]), 1e-10, what);
  expect_near(sampled.grad_log_std, numbers(want["grad_rho"]), 1e-10, what);
  const double matching = want["matching"].get<double>();
  EXPECT_NEAR(sampled.matching, matching, 1e-10 * std::max(1.0, matching)) << what;
  EXPECT_NEAR(sampled.proximal, want["proximal"].get<double>(), 1e-10 * std::max(1.0, matching)) << what;
  c.options.estimator = Estimator::kAnalytic;
  const auto analytic = c.run();
  expect_near(analytic.grad_mean, numbers(want["analytic_grad_m"]), 1e-10, what);
  expect_near(analytic.grad_log_std, numbers(want["analytic_grad_rho"]), 1e-10, what);
  // A frozen copy equal to q gives the same numbers as none.
  if (!c.frozen) {
    c.frozen = true;
    expect_near(c.run().grad_mean, numbers(want["analytic_grad_m"]), 1e-10, what + " frozen");
  }
}

TEST(Psm, EqualsTheGoldenRuns) {
  const Json& psm = golden("vi")["psm"];
  PsmCase c;
  c.m_t = numbers(psm["m_t"]);
  c.rho_t = numbers(psm["rho_t"]);
  c.m = numbers(psm["m"]);
  c.rho = numbers(psm["rho"]);
  c.eps = psm["eps"];
  c.scores = psm["scores"];
  ASSERT_EQ(psm["runs"].size(), 12u);
  for (const Json& run : psm["runs"]) check_run(c, run);
}

TEST(Psm, EqualsTheGoldenNetwork) {
  const Json& net = golden("vi")["small_network"][0];
  PsmCase c;
  c.m_t = numbers(net["m"]);
  c.rho_t = numbers(net["rho"]);
  c.m = numbers(net["later_m"]);
  c.rho = numbers(net["later_rho"]);
  c.eps = Json::array({net["eps"]});
  c.scores = Json::array({net["expected"]["score"]});
  for (const Json& run : net["expected"]["psm"]) check_run(c, run);
}

TEST(Psm, FollowsTheGoldenTrajectories) {
  for (const Json& run : golden("vi")["psm_trajectory"]) {
    PsmCase c;
    c.m = numbers(run["start"]["m"]);
    c.rho = numbers(run["start"]["rho"]);
    c.options.norm = norm_of(run);
    c.options.estimator = run["estimator"] == "sampled" ? Estimator::kSampled : Estimator::kAnalytic;
    const std::string name = run["norm"].get<std::string>() + " " + run["estimator"].get<std::string>();
    std::size_t index = 0;
    for (const Json& step : run["steps"]) {
      if (step["inner"] == 0) {
        c.m_t = c.m;
        c.rho_t = c.rho;
      }
      c.eps = run["eps"][index];
      c.scores = step["scores"];
      c.options.alpha = step["alpha"].get<double>();
      const auto out = c.run(run["lr"].get<double>());
      const std::string what = name + " step " + std::to_string(index++);
      EXPECT_NEAR(out.matching, step["matching"].get<double>(), 1e-10 * std::max(1.0, out.matching)) << what;
      EXPECT_NEAR(out.proximal, step["proximal"].get<double>(), 1e-10 * std::max(1.0, out.proximal)) << what;
      const double norm = step["grad_norm"].get<double>();
      EXPECT_NEAR(std::sqrt(out.stats.gradient_sq), norm, 1e-10 * std::max(1.0, norm)) << what;
      expect_near(out.mean, numbers(step["m_after"]), 1e-10, what);
      expect_near(out.log_std, numbers(step["rho_after"]), 1e-10, what);
      const Doubles sigma = numbers(step["sigma_mean_min_max_after"]);
      EXPECT_NEAR(out.stats.sigma_sum / 3.0, sigma[0], 1e-10) << what;
      EXPECT_NEAR(std::exp(out.stats.log_std_min), sigma[1], 1e-10) << what;
      EXPECT_NEAR(std::exp(out.stats.log_std_max), sigma[2], 1e-10) << what;
      c.m = out.mean;
      c.rho = out.log_std;
    }
    EXPECT_EQ(index, run["steps"].size());
  }
}

// The likelihood scores of a batch of a logistic regression, one row per noise vector.
Json likelihood_scores(const Json& problem, const PsmCase& c, const Json& batch) {
  const double weight =
      problem["N"].get<double>() / (problem["temperature"].get<double>() * static_cast<double>(batch.size()));
  Json rows = Json::array();
  for (const Json& eps : c.eps) {
    Doubles theta(3), score(3, 0.0);
    for (std::size_t j = 0; j < 3; ++j) {
      theta[j] = c.m_t[j] + std::exp(c.rho_t[j]) * eps[j].get<double>();
    }
    for (const Json& row : batch) {
      const auto i = row.get<std::size_t>();
      const Doubles x = {problem["x"][i][0].get<double>(), problem["x"][i][1].get<double>(), 1.0};
      const double z = x[0] * theta[0] + x[1] * theta[1] + theta[2];
      const double error = problem["y"][i].get<double>() - 1.0 / (1.0 + std::exp(-z));
      for (std::size_t j = 0; j < 3; ++j) score[j] += weight * error * x[j];
    }
    rows.push_back(score);
  }
  return rows;
}

// Gives the kernel likelihood scores alone and one call per prior group; it adds the prior itself.
void check_with_prior(const Json& problem, const PsmCase& c, const Json& batch, const Json& want) {
  const auto d = static_cast<int64_t>(c.m.size());
  const Json scores = likelihood_scores(problem, c, batch);
  const TestFamily<double> family(c.m, c.rho);
  const Buffer<double> frozen_mean(c.m_t), frozen_log_std(c.rho_t), noise(flatten(c.eps)), score(row_mean(scores)),
      score_noise(row_mean(scores, c.eps));
  PsmOptions<double> o = c.options;
  o.frozen_mean = frozen_mean.ptr();
  o.frozen_log_std = frozen_log_std.ptr();
  for (const Json& group : problem["groups"]) {
    const double mu0 = group["mu0"].get<double>();
    const Buffer<double> prior_mean(Doubles(c.m.size(), mu0));
    UpdateInput<double> in = input(d, score, number(group["sigma0"]));
    in.begin = group["begin"].get<int64_t>();
    in.end = group["end"].get<int64_t>();
    in.prior_mean = mu0 == 0 ? nullptr : prior_mean.ptr();
    in.score_noise = score_noise.ptr();
    in.samples = static_cast<int>(c.eps.size());
    in.noise = noise.ptr();
    in.noise_stride = d;
    psm_update(test_exec(), in, o, gradient_probe(), family.mean_slot(), family.log_std_slot());
  }
  expect_near(family.mean_first.host(), numbers(want["grad_m"]), 1e-10, "mean");
  expect_near(family.log_std_first.host(), numbers(want["grad_rho"]), 1e-10, "log_std");
}

TEST(Psm, AddsThePriorScore) {
  for (const Json& problem : golden("vi")["logistic_minibatch"]) {
    const Json& epoch = problem["psm_over_an_epoch"];
    PsmCase c;
    c.m_t = numbers(epoch["m_t"]);
    c.rho_t = numbers(epoch["rho_t"]);
    c.m = numbers(epoch["m"]);
    c.rho = numbers(epoch["rho"]);
    c.eps = epoch["eps"];
    c.options.alpha = epoch["alpha"].get<double>();
    c.options.estimator = Estimator::kSampled;
    std::size_t b = 0;
    for (const Json& batch : problem["batches_of_2"]) {
      check_with_prior(problem, c, batch["batch"], epoch["per_batch"][b++]);
    }
    check_with_prior(problem, c, problem["full"]["batch"], epoch["full"]);
  }
}

// The weight of the noise is a moving average over the steps before, so 0 at the first step (analytic) and,
// with a frozen average, whatever the average says.
TEST(Psm, AdaptiveBlendsTheTwoEstimators) {
  const Json& psm = golden("vi")["psm"];
  PsmCase c;
  c.m = c.m_t = numbers(psm["m_t"]);
  c.rho = c.rho_t = numbers(psm["rho_t"]);
  c.eps = Json::array({psm["eps"][0]});
  c.scores = Json::array({psm["scores"][0]});
  c.frozen = false;
  c.options.estimator = Estimator::kSampled;
  const auto sampled = c.run();
  c.options.estimator = Estimator::kAnalytic;
  const auto analytic = c.run();
  c.options.estimator = Estimator::kAdaptive;

  Doubles start(c.m.size(), 0.0);
  const Buffer<double> first(start);
  c.options.curvature = first.ptr();
  c.options.curvature_decay = 0.9;
  c.options.curvature_bias = 1 - 0.9;
  expect_near(c.run().grad_mean, analytic.grad_mean, 1e-13, "first step");
  Doubles want(c.m.size());
  for (std::size_t j = 0; j < want.size(); ++j) {
    want[j] = -0.1 * c.scores[0][j].get<double>() * c.eps[0][j].get<double>() / std::exp(c.rho[j]);
  }
  expect_near(first.host(), want, 1e-13, "average");

  for (std::size_t j = 0; j < want.size(); ++j) {  // weights -0.5 (cut to 0), 0, .5, 1, 1.5 (cut to 1) ...
    start[j] = (0.5 * static_cast<double>(j % 5) - 0.5) * std::exp(-2 * c.rho[j]);
    const double w = std::clamp(0.5 * static_cast<double>(j % 5) - 0.5, 0.0, 1.0);
    want[j] = w * sampled.grad_log_std[j] + (1 - w) * analytic.grad_log_std[j];
  }
  const Buffer<double> fixed(start);
  c.options.curvature = fixed.ptr();
  c.options.curvature_decay = 1.0;
  c.options.curvature_bias = 1.0;
  expect_near(c.run().grad_log_std, want, 1e-12, "fixed weights");
  expect_near(fixed.host(), start, 1e-15, "decay 1 keeps the average");
}

}  // namespace
}  // namespace scorevi::kernels
