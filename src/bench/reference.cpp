#include "reference.h"

#include <filesystem>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/signals.h"
#include "scorevi/inference/draws.h"
#include "scorevi/inference/nuts.h"

namespace scorevi::bench {
namespace {

using nlohmann::json;

constexpr double kGoodRhat = 1.05;

json numbers(const at::Tensor& values) {
  const at::Tensor flat = values.contiguous();
  const auto* begin = flat.const_data_ptr<double>();
  return std::vector<double>(begin, begin + flat.numel());
}

at::Tensor tensor_of(const json& list) { return at::tensor(list.get<std::vector<double>>(), at::kDouble); }

json to_json(const targets::Reference& reference) {
  return {{"mean", numbers(reference.mean)},
          {"sd", numbers(reference.sd)},
          {"covariance", numbers(reference.covariance)},
          {"mean_error", numbers(reference.mean_error)},
          {"sd_error", numbers(reference.sd_error)},
          {"source", reference.source}};
}

void read_json(const std::string& path, targets::Reference& reference) {
  try {
    const json object = json::parse(read_file(path, 256 << 20));
    reference.mean = tensor_of(object.at("mean"));
    reference.sd = tensor_of(object.at("sd"));
    const int64_t dim = reference.mean.numel();
    reference.covariance = tensor_of(object.at("covariance")).view({dim, dim});
    reference.mean_error = tensor_of(object.at("mean_error"));
    reference.sd_error = tensor_of(object.at("sd_error"));
    reference.source = object.at("source").get<std::string>();
  } catch (const std::exception& e) {
    throw Error(ErrorKind::kData, path + ": damaged, delete it to find the reference again: " + e.what());
  }
}

}  // namespace

void find_reference(const ReferenceOptions& options, const std::string& folder, targets::KnownTarget& known) {
  const std::string path =
      fmt::format("{}/references/{}_{}x{}+{}.json", folder, known.name, options.chains, options.warmup, options.draws);
  if (std::filesystem::exists(path)) {
    read_json(path, known.reference);
    return;
  }
  log().info("{}: no known answer, sampling one: {} chains of {} + {} iterations", known.name, options.chains,
             options.warmup, options.draws);
  inference::NutsOptions nuts;
  nuts.chains = options.chains;
  nuts.warmup = options.warmup;
  nuts.draws = options.draws;
  const at::Tensor start = at::zeros({known.density->dim()}, at::kDouble);
  const inference::Draws draws =
      inference::sample_nuts(*known.density, nuts, start, [](const inference::SamplerProgress&) {
        stop_if_signalled();
        return false;
      });
  targets::Reference& reference = known.reference;
  const inference::GaussianFit fit = inference::gaussian_fit(draws, inference::GaussianForm::kFull);
  reference.mean = fit.mean;
  reference.covariance = fit.covariance;
  reference.sd = fit.covariance.diagonal().sqrt().contiguous();
  reference.mean_error = draws.mean_error;
  reference.sd_error = draws.sd_error;
  const double rhat = draws.rhat.max().item<double>();
  reference.source = fmt::format("NUTS, {} draws in {} chains, R-hat at most {:.3f}, {} divergent", draws.theta.size(0),
                                 options.chains, rhat, draws.divergent);
  if (!(rhat < kGoodRhat)) log().warn("{}: the chains do not agree: {}", known.name, reference.source);
  std::filesystem::create_directories(folder + "/references");
  write_file_atomic(path, to_json(reference).dump() + "\n");
}

}  // namespace scorevi::bench
