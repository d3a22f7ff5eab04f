#include "scorevi/targets/registry.h"

#include <cmath>

#include "makers.h"
#include "scorevi/core/factory.h"

namespace scorevi::targets {
namespace {

struct Maker {
  KnownTarget (*function)(const TargetOptions& options);
  std::vector<std::string> options;
};

const Factory<Maker>& makers() {
  static const Factory<Maker> kTable(
      "target.name",
      {
          {"gaussian",
           "full or diagonal Gaussian of a condition number, or of a random covariance",
           {make_gaussian, {"dim", "covariance", "condition", "diagonal", "seed"}}},
          {"student_t",
           "multivariate Student t: heavy tails",
           {make_student_t, {"dim", "dof", "covariance", "condition", "seed"}}},
          {"mixture",
           "unit Gaussians on the corners of a polygon",
           {make_mixture, {"dim", "components", "separation", "weights"}}},
          {"banana", "Rosenbrock's function, in pairs of coordinates", {make_banana, {"dim", "curvature", "width"}}},
          {"funnel", "Neal's funnel", {make_funnel, {"dim", "scale"}}},
          {"sinh_arcsinh",
           "skewed and heavy- or light-tailed Gaussian",
           {make_sinh_arcsinh, {"dim", "skew", "tail", "form", "seed"}}},
          {"logistic_regression",
           "logistic regression on generated data, in mini-batches",
           {make_logistic_regression, {"dim", "rows", "batch_frac", "prior_std", "seed"}}},
          {"mlp_regression",
           "Bayesian network with one hidden layer on a curve",
           {make_mlp_regression, {"curve", "hidden", "rows", "batch_frac", "prior_std", "seed"}}},
          {"posteriordb",
           "a posterior with real data (scorevi list posteriors)",
           {make_posteriordb, {"posterior", "data_root"}}},
      });
  return kTable;
}

}  // namespace

void require_dim(const TargetOptions& options, int64_t low, int64_t high) {
  require(options.dim >= low && options.dim <= high, "dim", options.dim, fmt::format("{} to {}", low, high));
}

void require_positive(const char* key, double value) {
  require(value > 0 && std::isfinite(value), key, value, "a finite number above 0");
}

std::string seed_suffix(const TargetOptions& options) {
  return options.seed == 0 ? "" : fmt::format("_seed{}", options.seed);
}

KnownTarget make_target(const TargetOptions& options) { return makers().find(options.name).make.function(options); }

const std::vector<TargetInfo>& targets() {
  static const std::vector<TargetInfo> kInfos = [] {
    std::vector<TargetInfo> infos;
    for (const auto& entry : makers().entries()) infos.push_back({entry.name, entry.help, entry.make.options});
    return infos;
  }();
  return kInfos;
}

}  // namespace scorevi::targets
