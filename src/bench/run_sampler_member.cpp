// Members that draw from the target, or look at its mode.
#include <algorithm>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "run_member_parts.h"
#include "scorevi/core/error.h"
#include "scorevi/core/signals.h"
#include "scorevi/core/suggest.h"
#include "scorevi/inference/find_mode.h"
#include "scorevi/inference/laplace.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/full_gaussian.h"

namespace scorevi::bench {
namespace {

constexpr double kGoodRhat = 1.01;   // above it the chains do not agree, see inference/chain_statistics.h
constexpr int64_t kBurnInShare = 5;  // one of so many steps of sgld

std::unique_ptr<variational::Family> family_from(const inference::GaussianFit& fit) {
  if (fit.covariance.dim() == 1)
    return std::make_unique<variational::DiagonalGaussian>(fit.mean.contiguous(), fit.covariance.log() / 2);
  const auto [factor, trouble] = at::linalg_cholesky_ex(fit.covariance);
  if (trouble.item<int>() != 0)
    throw Error(ErrorKind::kNumerical, "the covariance of the draws is not positive definite");
  return std::make_unique<variational::FullGaussian>(fit.mean.contiguous(), factor.contiguous());
}

inference::GaussianForm form_of(const MethodEntry& entry) {
  return family_of(entry) == "full_gaussian" ? inference::GaussianForm::kFull : inference::GaussianForm::kDiagonal;
}

// Four matrices of D x D doubles behind a Gaussian that is fitted.
int64_t fit_bytes(const Workplace& place) {
  const int64_t dim = place.target.density->dim();
  return form_of(place.method()) == inference::GaussianForm::kFull ? 32 * dim * dim : 0;
}

// The one point of a curve that such a member has.
void finish(Workplace& place, const Approximation& q, MemberResult& result) {
  result.outcome = "finished";
  result.curve.push_back({result.evaluations, result.seconds,
                          measure(q, place.whole(), place.truth, place.options.final_draws, place.seed(),
                                  /*final=*/true)});
  keep_picture(q, result);
}

bool never_stop() {
  stop_if_signalled();
  return false;
}

void run_nuts(Workplace& place, MemberResult& result) {
  const Stopwatch clock;
  inference::NutsOptions nuts = place.method().nuts;
  nuts.seed = place.seed();
  require_memory("method " + place.method().method.name, inference::bytes_needed(nuts, place.target.density->dim()));
  const at::Tensor start = start_mean(place.options, place.member, place.target.density->dim());
  const inference::Draws draws = inference::sample_nuts(*place.target.density, nuts, start,
                                                        [](const inference::SamplerProgress&) { return never_stop(); });
  result.evaluations = draws.evaluations;
  result.seconds = clock.seconds();
  const double rhat = draws.rhat.max().item<double>();
  if (!(rhat < kGoodRhat) || draws.divergent > 0)
    result.message = fmt::format("R-hat at most {:.3f}, {} divergent", rhat, draws.divergent);
  Approximation q;
  q.mean = draws.theta.mean(0);
  q.sd = draws.theta.std(0);
  finish(place, q, result);
}

void run_sgld(Workplace& place, MemberResult& result) {
  const Stopwatch clock;
  const MethodEntry& entry = place.method();
  inference::SgldOptions sgld = entry.sgld;
  sgld.seed = place.seed();
  sgld.steps =
      std::max<int64_t>(2 * kBurnInShare, place.options.evaluations - 1);  // one evaluation is that of the start
  sgld.burn_in = sgld.steps / kBurnInShare;
  sgld.thin = std::max<int64_t>(1, sgld.steps / 10000);
  sgld.step_size *= place.member.rate_factor;
  targets::AnalyticTarget& density = *place.target.density;
  require_memory("method " + place.method().method.name,
                 inference::bytes_needed(sgld, density.dim()) + fit_bytes(place));
  sgld.before_step = [&](int64_t step) { density.begin_step(sgld.seed, step); };
  const at::Tensor start = start_mean(place.options, place.member, density.dim());
  const inference::Draws draws =
      inference::sample_sgld(density, sgld, start, [](const inference::SamplerProgress&) { return never_stop(); });
  result.evaluations = draws.evaluations;
  result.seconds = clock.seconds();
  const auto family = family_from(inference::gaussian_fit(draws, form_of(entry)));
  finish(place, approximation_of(*family), result);
  if (draws.stopped) {
    result.outcome = "diverged";
    result.message = fmt::format("{} steps were refused", draws.divergent);
  }
}

void run_laplace(Workplace& place, MemberResult& result) {
  const Stopwatch clock;
  require_memory("method " + place.method().method.name, fit_bytes(place));
  inference::FindModeOptions search;
  const at::Tensor start = start_mean(place.options, place.member, place.target.density->dim());
  const inference::Mode mode = inference::find_mode(*place.target.density, start, search,
                                                    [](const inference::ModeProgress&) { return never_stop(); });
  if (mode.outcome == inference::ModeOutcome::kUnbounded)
    throw Error(ErrorKind::kNumerical, "the density rises without bound: it has no mode");
  const auto fit = inference::laplace(*place.target.density, mode.theta, form_of(place.method()),
                                      [](int64_t, int64_t) { return never_stop(); });
  const auto family = family_from(fit->gaussian);
  result.evaluations = mode.evaluations + fit->evaluations;
  result.seconds = clock.seconds();
  finish(place, approximation_of(*family), result);
  std::vector<std::string> remarks;
  if (mode.outcome != inference::ModeOutcome::kConverged) remarks.push_back("the search for the mode did not converge");
  if (fit->not_positive > 0)
    remarks.push_back(fmt::format("{} directions without curvature at the mode", fit->not_positive));
  result.message = join(remarks);
}

}  // namespace

void run_sampler_member(Workplace& place, MemberResult& result) {
  const std::string& method = place.method().method.name;
  if (method == "nuts") return run_nuts(place, result);
  if (method == "sgld") return run_sgld(place, result);
  run_laplace(place, result);
}

}  // namespace scorevi::bench
