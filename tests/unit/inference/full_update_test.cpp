// The closed-form updates of a full Gaussian: golden values of gsm and bam, their equations and properties, and the
// exact inner solution of proximal score matching.
#include <cmath>

#include "scorevi/inference/bam.h"
#include "scorevi/inference/gsm.h"
#include "scorevi/inference/psm_full.h"
#include "scorevi/inference/run_engine.h"
#include "unit/inference/full_tools.h"

namespace scorevi::test {
namespace {

using namespace inference;

const Json& golden() {
  static const Json all = Json::parse(std::ifstream("tests/golden/numbers/gsm_bam.json"));
  return all;
}

Problem golden_problem(const Json& example) {
  const FullGaussian q = gaussian_of(vec(example["mu0"]), mat(example["Sigma0"]));
  const at::Tensor theta = mat(example["z"]);
  const at::Tensor eps = at::linalg_solve_triangular(q.factor(), (theta - q.mean()).t(), /*upper=*/false).t();
  return {q, {eps.contiguous(), mat(example["g"])}, theta};
}

void expect_update(const FullUpdate& update, const Json& expected, double tolerance = 1e-12) {
  ASSERT_TRUE(update.factor.defined());
  expect_near(update.mean, vec(expected["mu"]), tolerance);
  expect_near(update.factor.matmul(update.factor.t()), mat(expected["Sigma"]), tolerance);
  expect_equal(update.factor, update.factor.tril());
  EXPECT_GT(update.factor.diagonal().min().item<double>(), 0);
}

TEST(Golden, GsmAndBam) {
  for (const char* name : {"example1", "example2"}) {
    SCOPED_TRACE(name);
    const Json& example = golden()[name];
    const Problem problem = golden_problem(example);
    expect_update(gsm_update(problem.q, problem.draws), example["gsm"]);
    for (int64_t b = 0; b < 2; ++b) {
      const ScoredDraws one = {problem.draws.noise.slice(0, b, b + 1), problem.draws.score.slice(0, b, b + 1)};
      expect_update(gsm_update(problem.q, one), example["gsm"]["per_sample"][static_cast<size_t>(b)]);
    }
    for (const Json& row : example["bam"])
      expect_update(bam_update(problem.q, problem.draws, row["lam"].get<double>(), /*jitter=*/0), row);
  }
}

// U and V of a batch, as the spec writes them.
std::pair<at::Tensor, at::Tensor> equation(const Problem& p, double lambda) {
  const auto samples = static_cast<double>(p.theta.size(0));
  const auto covariance = [&](const at::Tensor& rows) {
    const at::Tensor centred = rows - rows.mean(0);
    return centred.t().matmul(centred) / samples;
  };
  const at::Tensor g = p.draws.score.mean(0), d = p.q.mean() - p.theta.mean(0);
  const double all = lambda / (1 + lambda);
  return {covariance(p.draws.score) * lambda + at::outer(g, g) * all,
          p.q.covariance() + covariance(p.theta) * lambda + at::outer(d, d) * all};
}

TEST(Bam, SolvesItsEquationInBothBranches) {
  for (const int64_t dim : {1, 3, 12, 30}) {  // with 2 B < D in the space of the batch
    for (const int64_t samples : {1, 2, 5, 15, 40}) {
      for (const double lambda : {0.01, 3.0, 500.0}) {
        SCOPED_TRACE(std::to_string(dim) + " " + std::to_string(samples) + " " + std::to_string(lambda));
        const Problem p = random_problem(dim, samples, static_cast<uint64_t>(100 * dim + samples));
        const FullUpdate update = bam_update(p.q, p.draws, lambda, 0);
        ASSERT_TRUE(update.factor.defined());
        const at::Tensor sigma = update.factor.matmul(update.factor.t());
        const auto [u, v] = equation(p, lambda);
        expect_near(sigma.matmul(u).matmul(sigma) + sigma, v, lambda > 100 ? 1e-9 : 1e-11);
        const at::Tensor mean =
            (p.q.mean() + lambda * (sigma.mv(p.draws.score.mean(0)) + p.theta.mean(0))) / (1 + lambda);
        expect_near(update.mean, mean, 1e-10);
        const at::Tensor difference = p.draws.noise + p.draws.score.matmul(p.q.factor());
        EXPECT_NEAR(update.matching, difference.square().sum().item<double>() / static_cast<double>(samples),
                    1e-12 * update.matching);
      }
    }
  }
}

TEST(Bam, WithOneSampleAndALargeLambdaIsGsm) {
  for (const int64_t dim : {1, 2, 5}) {
    const Problem p = random_problem(dim, 1, static_cast<uint64_t>(dim));
    const FullUpdate bam = bam_update(p.q, p.draws, 1e9, 0), gsm = gsm_update(p.q, p.draws);
    expect_near(bam.mean, gsm.mean, 1e-4);
    expect_near(bam.factor, gsm.factor, 1e-4);
  }
}

TEST(Gsm, IsTheMeanOfItsSinglesAndMatchesTheirScores) {
  const Problem p = random_problem(6, 4, 11);
  at::Tensor mean = at::zeros({6}, at::kDouble), sigma = at::zeros({6, 6}, at::kDouble);
  for (int64_t b = 0; b < 4; ++b) {
    const FullUpdate one = gsm_update(p.q, {p.draws.noise.slice(0, b, b + 1), p.draws.score.slice(0, b, b + 1)});
    FullGaussian single(one.mean.contiguous(), one.factor.contiguous());
    expect_near(single.score(p.theta[b].contiguous()), p.draws.score[b], 1e-9);
    mean += one.mean / 4;
    sigma += single.covariance() / 4;
  }
  const FullUpdate all = gsm_update(p.q, p.draws);
  expect_near(all.mean, mean, 1e-11);
  expect_near(all.factor.matmul(all.factor.t()), sigma, 1e-11);
}

using Update = std::function<FullUpdate(const FullGaussian&, const ScoredDraws&)>;

ClosedFormOptions exact_options(double alpha, bool corrected = false) {
  ClosedFormOptions options;
  options.beta = options.mean_step = 1 / (1 + alpha);
  options.corrected = corrected;
  return options;
}

std::map<std::string, Update> updates() {
  return {{"gsm", gsm_update},
          {"bam", [](const FullGaussian& q, const ScoredDraws& draws) { return bam_update(q, draws, 7, 0); }},
          {"closed_form", [](const FullGaussian& q, const ScoredDraws& draws) {
             return closed_form_update(q, draws, exact_options(1, /*corrected=*/true), 0.5);
           }}};
}

TEST(Updates, AreAffineEquivariant) {
  for (const auto& [name, update] : updates()) {
    for (const int64_t samples : {2, 9}) {
      SCOPED_TRACE(name);
      const Problem p = random_problem(7, samples, 21);
      const at::Tensor a = numbers({7, 7}, 31), b = numbers({7}, 32) * 10;
      const FullGaussian q = gaussian_of(a.mv(p.q.mean()) + b, a.matmul(p.q.covariance()).matmul(a.t()));
      const at::Tensor theta = p.theta.matmul(a.t()) + b;
      const at::Tensor eps = at::linalg_solve_triangular(q.factor(), (theta - q.mean()).t(), /*upper=*/false).t();
      const FullUpdate here = update(p.q, p.draws);
      const FullUpdate there = update(q, {eps.contiguous(), p.draws.score.matmul(at::linalg_inv(a))});
      expect_near(there.mean, a.mv(here.mean) + b, 1e-8);
      const at::Tensor factor = a.matmul(here.factor);
      expect_near(there.factor.matmul(there.factor.t()), factor.matmul(factor.t()), 1e-8);
    }
  }
}

TEST(Updates, StayWhereQIsTheTarget) {
  for (const auto& [name, update] : updates()) {
    for (const int64_t samples : {1, 2, 20}) {
      SCOPED_TRACE(name);
      Problem p = random_problem(9, samples, 41);
      p.draws.score = -at::linalg_solve_triangular(p.q.factor().t(), p.draws.noise.t(), /*upper=*/true).t();
      const FullUpdate update_there = update(p.q, p.draws);
      expect_near(update_there.mean, p.q.mean(), 1e-10);
      expect_near(update_there.factor, p.q.factor(), 1e-10);
      EXPECT_LT(update_there.matching, 1e-20);
    }
  }
}

TEST(Bam, NoScoreIsTooLarge) {
  for (const int64_t samples : {2, 12}) {
    for (const double size : {1e20, 1e40, 1e80, 1e120}) {
      SCOPED_TRACE(size);
      Problem p = random_problem(8, samples, 51);
      p.draws.score = p.draws.score * vec({1e-9, 1, 1e-3, size, 1, 1, size, 1});
      const double lambda = 16;
      const FullUpdate update = bam_update(p.q, p.draws, lambda, 0);
      ASSERT_TRUE(update.factor.defined());
      // |S g|^2 <= lambda_max(V) (1 + lambda)/lambda in white coordinates, and m' - m = lambda/(1+lambda)(S g + eps).
      const at::Tensor shift =
          at::linalg_solve_triangular(p.q.factor(), (update.mean - p.q.mean()).unsqueeze(1), /*upper=*/false)
              .squeeze(1);
      const at::Tensor mean = p.draws.noise.mean(0), centred = p.draws.noise - mean;
      const at::Tensor v = at::eye(8, at::kDouble) + centred.t().matmul(centred) * (lambda / samples) +
                           at::outer(mean, mean) * (lambda / (1 + lambda));
      const double largest = at::linalg_eigvalsh(v).max().item<double>();
      const at::Tensor pulled = shift * ((1 + lambda) / lambda) - mean;
      EXPECT_LE(pulled.norm().item<double>(), 1.000001 * std::sqrt(largest * (1 + lambda) / lambda));
      EXPECT_GT(update.factor.diagonal().min().item<double>(), 0);
    }
  }
}

TEST(Bam, JitterIsAddedToTheVariances) {
  const Problem p = random_problem(5, 3, 61);
  const FullUpdate plain = bam_update(p.q, p.draws, 3, 0), more = bam_update(p.q, p.draws, 3, 0.25);
  expect_equal(plain.mean, more.mean);
  expect_near(more.factor.matmul(more.factor.t()),
              plain.factor.matmul(plain.factor.t()) + at::eye(5, at::kDouble) * 0.25, 1e-13);
}

TEST(Bam, LambdaFollowsItsSchedule) {
  BamOptions options;
  options.samples = 4;
  options.schedule = LambdaSchedule::kConstant;
  EXPECT_EQ(lambda_at(options, 8, 10), 40);
  options.schedule = LambdaSchedule::kSqrt;
  EXPECT_DOUBLE_EQ(lambda_at(options, 8, 10), 40.0 / 3);
  options.schedule = LambdaSchedule::kLinear;
  EXPECT_DOUBLE_EQ(lambda_at(options, 8, 10), 40.0 / 9);
  EXPECT_EQ(lambda_at(options, 0, 10), 40);
  options.lambda = 0.5;
  EXPECT_EQ(lambda_at(options, 0, 10), 0.5);
}

// Theorem 3.2 of Cai et al.: with all of q in the batch, whitened by the target, the errors of mean and covariance fall
// at least like (1 - delta)^t. A batch of 5,000 draws stands for all of q.
TEST(Bam, ErrorsFallAsTheTheoremSays) {
  const at::Tensor covariance = random_covariance(3, 71), mean = vec({1.0, -2.0, 0.5});
  const at::Tensor root = at::linalg_cholesky(covariance);
  const auto white = [&](const at::Tensor& m) { return at::linalg_solve_triangular(root, m, /*upper=*/false); };
  const auto norms = [&](const FullGaussian& q) {
    const at::Tensor e = white((q.mean() - mean).unsqueeze(1)), f = white(q.factor());
    return std::pair{e.norm().item<double>(),
                     at::linalg_matrix_norm(f.matmul(f.t()) - at::eye(3, at::kDouble), 2).item<double>()};
  };
  for (const double lambda : {0.5, 5.0}) {
    targets::GaussianTarget target(mean, at::linalg_inv(covariance));
    FullGaussian q = gaussian_of(at::zeros({3}, at::kDouble), at::eye(3, at::kDouble) * 2);
    const auto [mean_error, covariance_error] = norms(q);
    const at::Tensor start = white(q.factor());
    const double alpha = at::linalg_eigvalsh(start.matmul(start.t())).min().item<double>();
    const double beta = std::min(alpha, (1 + lambda) / (1 + lambda + mean_error * mean_error));
    const double delta = lambda * beta / (1 + lambda);
    BamOptions options;
    options.samples = 5000;
    options.lambda = lambda;
    options.schedule = LambdaSchedule::kConstant;
    Bam engine(options);
    for (int64_t t = 1; t <= 6; ++t) {
      ASSERT_EQ(engine.step(target, q, info_of(t)).status, StepStatus::kOk);
      const auto [e, d] = norms(q);
      const double power = std::pow(1 - delta, t);
      EXPECT_LE(e, 1.01 * power * mean_error + 0.05);
      EXPECT_LE(d, 1.01 * (power * covariance_error +
                           static_cast<double>(t) * std::pow(1 - delta, t - 1) * mean_error * mean_error) +
                       0.01);
    }
  }
}

TEST(ClosedForm, MeetsAGaussianTargetInOneStep) {
  for (const int64_t dim : {1, 4, 10}) {
    const Problem p = random_problem(dim, dim + 1, static_cast<uint64_t>(80 + dim), /*bend=*/0);
    const FullUpdate update = closed_form_update(p.q, p.draws, exact_options(/*alpha=*/0), /*mean_step=*/1);
    ASSERT_TRUE(update.factor.defined());
    const at::Tensor covariance = random_covariance(dim, static_cast<uint64_t>(84 + dim));
    expect_near(update.factor.matmul(update.factor.t()), covariance, 1e-6);  // the batch's own condition
    expect_near(update.mean, numbers({dim}, static_cast<uint64_t>(85 + dim)), 1e-6);
    // One sample less does not tell the precision, and what it does not tell stays.
    const ScoredDraws fewer = {p.draws.noise.slice(0, 0, 1), p.draws.score.slice(0, 0, 1)};
    expect_near(closed_form_update(p.q, fewer, exact_options(0), 1).factor, p.q.factor(), 1e-12);
  }
}

// The inner problem of psm.h on a batch, under the norm covariance, for q = N(mean, precision^-1).
at::Tensor inner_loss(const Problem& p, double alpha, const at::Tensor& mean, const at::Tensor& precision) {
  const at::Tensor s_q = (mean - p.theta).matmul(precision);
  const at::Tensor s_t = (p.q.mean() - p.theta).matmul(at::linalg_inv(p.q.covariance()));
  const auto weighed = [&](const at::Tensor& rows) { return rows.matmul(p.q.factor()).square().sum(); };
  return alpha * weighed(s_q - s_t) + weighed(s_q - p.draws.score);
}

TEST(ClosedForm, IsTheMinimumOfTheInnerProblem) {
  for (const double alpha : {0.0, 1.0, 5.0}) {
    const Problem p = random_problem(4, 12, 95, /*bend=*/0.05);
    const FullUpdate update = closed_form_update(p.q, p.draws, exact_options(alpha), 1 / (1 + alpha));
    ASSERT_TRUE(update.factor.defined());
    at::Tensor mean = update.mean.clone().requires_grad_(true);
    at::Tensor precision = at::linalg_inv(update.factor.matmul(update.factor.t())).requires_grad_(true);
    const at::Tensor loss = inner_loss(p, alpha, mean, precision);
    loss.backward();
    const double scale = loss.item<double>();
    EXPECT_LT(mean.grad().abs().max().item<double>(), 1e-9 * scale);
    const at::Tensor symmetric = precision.grad() + precision.grad().t();  // along symmetric precisions
    EXPECT_LT(symmetric.abs().max().item<double>(), 1e-9 * scale);
  }
}

TEST(ClosedForm, TheCorrectionKeepsThePrecisionPositive) {
  Problem p = random_problem(3, 8, 99);
  p.draws.score = p.theta * 5;  // a target that curves upwards: no Gaussian fits
  EXPECT_FALSE(closed_form_update(p.q, p.draws, exact_options(0), 1).factor.defined());
  const FullUpdate corrected = closed_form_update(p.q, p.draws, exact_options(0, /*corrected=*/true), 1);
  ASSERT_TRUE(corrected.factor.defined());
  const at::Tensor white = at::linalg_solve_triangular(p.q.factor(), corrected.factor, /*upper=*/false);
  // Lambda' = (1 + (1 + X)^2)/2 >= 1/2 in white coordinates.
  EXPECT_LE(at::linalg_matrix_norm(white.matmul(white.t()), 2).item<double>(), 2 + 1e-9);
}

}  // namespace
}  // namespace scorevi::test
