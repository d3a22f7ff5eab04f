#include "run_member.h"

#include <cmath>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "run_member_parts.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/memory.h"
#include "scorevi/core/signals.h"
#include "scorevi/run/failure.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/full_gaussian.h"

namespace scorevi::bench {

std::string family_of(const MethodEntry& entry) {
  const std::string& method = entry.method.name;
  if (method == "map") return "point_mass";
  if (entry.family != "auto") return entry.family;
  return method == "gsm" || method == "bam" || method == "laplace" || method == "sgld" ? "full_gaussian"
                                                                                       : "diagonal_gaussian";
}

at::Tensor start_mean(const BenchOptions& options, const Member& member, int64_t dim) {
  const CounterRng rng(static_cast<uint64_t>(member.seed), Purpose::kInitialisation);
  at::Tensor mean = at::empty({dim}, at::kDouble);
  auto* out = mean.mutable_data_ptr<double>();
  const double width = options.start.mean_high - options.start.mean_low;
  for (int64_t j = 0; j < dim; ++j) out[j] = options.start.mean_low + width * rng.uniform(static_cast<uint64_t>(j));
  return mean;
}

void require_memory(const std::string& what, int64_t bytes) {
  const int64_t free = available_memory_bytes();
  if (free >= 0 && bytes > free)
    throw Error(ErrorKind::kRuntime,
                fmt::format("{}: needs about {}, got {} free", what, format_bytes(bytes), format_bytes(free)));
}

void keep_picture(const Approximation& q, MemberResult& result) {
  if (q.mean.numel() != 2 || q.family == nullptr) return;  // draws are no Gaussian
  const auto list = [](const at::Tensor& values) {
    const at::Tensor flat = values.contiguous();
    return std::vector<double>(flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel());
  };
  result.mean = list(q.mean);
  const auto* full = dynamic_cast<const variational::FullGaussian*>(q.family);
  result.covariance = list(full ? full->covariance() : at::diag(q.sd.square()));
}

MemberResult run_member(const BenchOptions& options, const Member& member, const Truth& truth) {
  MemberResult result;
  result.id = member.id;
  const TargetEntry& target = options.targets[member.target];
  try {
    Workplace place{options, member, truth, make_target(target), {}};
    if (target.target.batch_frac < 1) place.all_data = make_target(target);
    const std::string& method = place.method().method.name;
    if (method == "nuts" || method == "sgld" || method == "laplace")
      run_sampler_member(place, result);
    else
      run_engine_member(place, result);
  } catch (const Error& error) {
    // A method that cannot run on this target is a row of the table like any other.
    const bool refused = error.kind() == ErrorKind::kUsage || error.kind() == ErrorKind::kRuntime;  // memory
    result.outcome = error.kind() == ErrorKind::kNumerical ? "diverged" : refused ? "refused" : "failed";
    result.message = error.what();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    result.outcome = "failed";
    result.message = run::failure_text(error);
  }
  return result;
}

}  // namespace scorevi::bench
