#include "reference.h"

#include <filesystem>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "json_numbers.h"
#include "run_member_parts.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/folder.h"
#include "scorevi/core/log.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/signals.h"
#include "scorevi/inference/draws.h"
#include "scorevi/inference/nuts.h"

namespace scorevi::bench {
namespace {

using nlohmann::json;

constexpr double kGoodRhat = 1.05;

// A seed that no member has.
constexpr uint64_t kSeed = uint64_t{1} << 62;

json list_of(const at::Tensor& values) {
  const at::Tensor flat = values.contiguous();
  const auto* begin = flat.const_data_ptr<double>();
  return numbers_json({begin, begin + flat.numel()});
}

at::Tensor tensor_of(const json& list, int64_t dim) {
  const std::vector<double> values = numbers_of(list);
  if (static_cast<int64_t>(values.size()) != dim)
    throw std::runtime_error(fmt::format("{} numbers, expected {}", values.size(), dim));
  return at::tensor(values, at::kDouble);
}

json to_json(const targets::Reference& reference) {
  return {{"mean", list_of(reference.mean)},
          {"sd", list_of(reference.sd)},
          {"mean_error", list_of(reference.mean_error)},
          {"sd_error", list_of(reference.sd_error)},
          {"source", reference.source}};
}

void read_json(const std::string& path, int64_t dim, targets::Reference& reference) {
  try {
    const json object = json::parse(read_file(path, 256 << 20));
    reference.mean = tensor_of(object.at("mean"), dim);
    reference.sd = tensor_of(object.at("sd"), dim);
    reference.mean_error = tensor_of(object.at("mean_error"), dim);
    reference.sd_error = tensor_of(object.at("sd_error"), dim);
    reference.source = object.at("source").get<std::string>();
    if (!at::isfinite(reference.mean).all().item<bool>() || !at::isfinite(reference.sd).all().item<bool>() ||
        !reference.sd.gt(0).all().item<bool>())
      throw std::runtime_error("means and standard deviations that are not finite, or not above 0");
  } catch (const std::exception& e) {
    throw Error(ErrorKind::kData, path + ": damaged, delete it to find the reference again: " + e.what());
  }
}

inference::Draws draws_of(inference::LogDensity& density, const inference::NutsOptions& nuts) {
  require_memory("the reference", inference::bytes_needed(nuts, density.dim()));
  return inference::sample_nuts(density, nuts, at::zeros({density.dim()}, at::kDouble),
                                [](const inference::SamplerProgress&) {
                                  stop_if_signalled();
                                  return false;
                                });
}

}  // namespace

void find_reference(const ReferenceOptions& options, const TargetEntry& entry, const std::string& folder,
                    targets::KnownTarget& known) {
  BenchOptions what;
  what.reference = options;
  what.targets = {entry};
  what.targets[0].label.clear();
  what.targets[0].target.batch_frac = 1;
  what.targets[0].target.data_root.clear();  // the data are in the fingerprint
  Sha256 hash;
  hash.update(resolved_text(what) + known.fingerprint);
  const std::string path = folder + "/references/" + hash.hex().substr(0, 16) + ".json";
  if (std::filesystem::exists(path)) {
    read_json(path, known.density->dim(), known.reference);
    return;
  }
  log().info("{}: no known answer, sampling one: {} chains of {} + {} iterations", known.name, options.chains,
             options.warmup, options.draws);
  inference::NutsOptions nuts;
  nuts.chains = options.chains;
  nuts.warmup = options.warmup;
  nuts.draws = options.draws;
  nuts.seed = kSeed;
  const inference::Draws draws = draws_of(*known.density, nuts);
  targets::Reference& reference = known.reference;
  const inference::GaussianFit fit = inference::gaussian_fit(draws, inference::GaussianForm::kDiagonal);
  reference.mean = fit.mean;
  reference.sd = fit.covariance.sqrt();
  reference.mean_error = draws.mean_error;
  reference.sd_error = draws.sd_error;
  const double rhat = draws.rhat.max().item<double>();
  reference.source = fmt::format("NUTS, {} draws in {} chains, R-hat at most {:.3f}, {} divergent", draws.theta.size(0),
                                 options.chains, rhat, draws.divergent);
  if (!(rhat < kGoodRhat)) log().warn("{}: the chains do not agree: {}", known.name, reference.source);
  make_folder(folder + "/references");
  write_file_atomic(path, to_json(reference).dump() + "\n");
}

}  // namespace scorevi::bench
