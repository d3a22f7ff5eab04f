#include "experiment.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include "engine_factory.h"
#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/log.h"
#include "scorevi/core/memory.h"
#include "scorevi/core/sha256.h"
#include "scorevi/data/registry.h"
#include "scorevi/kernels/exec.h"
#include "scorevi/models/registry.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/point_mass.h"

namespace scorevi::run {
namespace {

std::string fingerprint_of(const data::Dataset& dataset) {
  Sha256 hash;
  hash.update(dataset.inputs.const_data_ptr(), dataset.inputs.nbytes());
  hash.update(dataset.targets.const_data_ptr(), dataset.targets.nbytes());
  return hash.hex();
}

std::string likelihood_name(const RunOptions& options, bool classification) {
  std::string fitting = classification ? "categorical" : "gaussian";
  if (options.likelihood.name == "auto") return fitting;
  if (options.likelihood.name != fitting)
    throw Error(ErrorKind::kUsage, "likelihood.name: got " + options.likelihood.name + ", expected " + fitting +
                                       " (or auto): data set " + options.data.source.name + " has " +
                                       (classification ? "classes" : "numbers") + " as targets");
  return fitting;
}

void check_monitor(const RunOptions& options, bool classification) {
  const std::string& monitor = options.train.monitor;
  const bool fits = monitor == "val_nll" || (classification ? monitor != "val_rmse" : monitor == "val_rmse");
  if (!fits)
    throw Error(ErrorKind::kUsage, "train.monitor: got " + monitor + ", expected val_nll or " +
                                       (classification ? "val_error, val_ece" : "val_rmse") + " for data set " +
                                       options.data.source.name);
}

posterior::NetworkTargetOptions target_options(const RunOptions& options, int64_t train_rows, Use use) {
  posterior::NetworkTargetOptions result;
  result.gradients = use == Use::kTraining;
  result.train_rows = train_rows;
  result.temperature = options.likelihood.temperature;
  result.prior.mean = options.prior.mean;
  result.prior.std = options.prior.std;
  for (const PriorGroupOptions& group : options.prior.groups)
    result.prior.groups.push_back({group.match, group.std, ""});
  return result;
}

std::unique_ptr<variational::Family> make_family(const RunOptions& options, posterior::NetworkTarget& target) {
  if (options.method.name == "map") return std::make_unique<variational::PointMass>(target.point());
  return std::make_unique<variational::DiagonalGaussian>(
      variational::DiagonalGaussian::from_mean(target.point(), options.posterior.init_std));
}

data::Loader make_train_loader(const RunOptions& options, const DataParts& data) {
  data::LoaderOptions loader;
  loader.batch_size = options.data.batch_size;
  loader.seed = static_cast<uint64_t>(options.seed);
  loader.workers = static_cast<int>(options.data.workers);
  return data::Loader(data.dataset, data.split.train, data.normalisation, loader);
}

void set_threads(int64_t threads) {
  if (threads == 0) return;
  const int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  if (threads > cores)
    warn_once("threads",
              fmt::format("threads: got {}, more than the {} cores here; every step will be slow", threads, cores));
  at::set_num_threads(static_cast<int>(threads));
}

// Before the buffers are made: parameters, gradients, and for a Gaussian family mean and log-std are the least.
void check_memory(const RunOptions& options, const models::Network& network, const std::string& device, Use use) {
  int64_t parameters = 0;
  for (const at::Tensor& parameter : network.parameters()) parameters += parameter.numel();
  const int64_t buffers = (use == Use::kTraining ? 2 : 1) + (options.method.name == "map" ? 0 : 2);
  const int64_t need = parameters * buffers * static_cast<int64_t>(sizeof(float));
  const int64_t free = available_memory_bytes();
  if (device == "cpu" && free >= 0 && need > free)
    throw Error(ErrorKind::kRuntime,
                fmt::format("memory: model {} has {} parameters and needs at least {} parameter-sized buffers = {}, "
                            "got {} free; use a smaller model",
                            options.model.name, parameters, buffers, format_bytes(need), format_bytes(free)));
}

}  // namespace

int64_t DataParts::outputs() const { return classification() ? dataset.classes() : dataset.targets.size(1); }

DataParts load_data(const RunOptions& options) {
  const auto split_seed = static_cast<uint64_t>(options.data.split_seed.value_or(options.seed));
  data::DataOptions source = options.data.source;
  source.seed = split_seed;
  DataParts parts;
  parts.dataset = data::load_dataset(source);
  data::SplitOptions split;
  split.seed = split_seed;
  split.train_size = options.data.train_size;
  split.validation_frac = options.data.validation_frac;
  split.test_frac = options.data.test_frac;
  split.stratified = options.data.stratified && parts.classification();
  parts.split = data::make_split(parts.dataset, split);
  if (parts.split.train.empty())
    throw Error(ErrorKind::kData, "data: " + source.name +
                                      " has no training rows here, expected its training files beside the test files");
  parts.normalisation =
      data::fit_normalisation(parts.dataset, parts.split.train, options.data.scaling, options.data.scaling != "none");
  parts.fingerprint = fingerprint_of(parts.dataset);
  return parts;
}

void check_same_data(const RunDirectory& directory, const DataParts& data) {
  const nlohmann::json info = directory.info();
  const std::string saved = info.contains("data") ? info["data"].value("sha256", "") : "";
  if (!saved.empty() && saved != data.fingerprint)
    throw Error(ErrorKind::kData, directory.path() + ": the run's data have SHA-256 " + saved.substr(0, 12) +
                                      "..., these have " + data.fingerprint.substr(0, 12) +
                                      "..., expected the same data set");
  if (!directory.has(files::kSplit)) return;
  const data::Split split = data::load_split(directory.file(files::kSplit), data.dataset.size());
  if (split.train != data.split.train || split.validation != data.split.validation || split.test != data.split.test)
    throw Error(ErrorKind::kData, directory.file(files::kSplit) +
                                      ": the run was trained on other rows than its configuration gives now, expected "
                                      "the same version of scorevi and the same keys of data");
}

const std::vector<int64_t>& part_rows(const DataParts& data, const std::string& part) {
  const std::vector<int64_t>& rows = part == "train"        ? data.split.train
                                     : part == "validation" ? data.split.validation
                                                            : data.split.test;
  if (rows.empty())
    throw Error(ErrorKind::kUsage, "split: " + part + " has no rows; see data.validation_frac and data.test_frac");
  return rows;
}

data::Loader evaluation_loader(const DataParts& data, const std::vector<int64_t>& rows, int64_t batch_size) {
  data::LoaderOptions options;
  options.batch_size = batch_size;
  options.shuffle = false;
  return data::Loader(data.dataset, rows, data.normalisation, options);
}

std::string resolve_device(const std::string& wanted) {
  if (wanted == "cpu") return "cpu";
  const std::string reason = kernels::cuda_unavailable_reason();
  if (wanted == "auto") {
    if (reason.empty()) return "cuda:0";
    warn_once("device", "device auto: using the CPU (CUDA: " + reason + ")");
    return "cpu";
  }
  if (!reason.empty())
    throw Error(ErrorKind::kUsage,
                "device: got " + wanted + ", but CUDA cannot be used: " + reason + "; use device: cpu or auto");
  const int64_t index = wanted == "cuda" ? 0 : std::stoll(wanted.substr(5));
  const auto count = torch::cuda::device_count();
  if (index >= count)
    throw Error(ErrorKind::kUsage, "device: got " + wanted + ", expected cuda:0 to cuda:" + std::to_string(count - 1));
  return "cuda:" + std::to_string(index);
}

std::vector<std::string> Experiment::buffers() const {
  std::vector<std::string> names = {"theta", "gradient"};
  if (target->prior()->mean.defined()) names.push_back("prior mean");
  if (options.method.name != "map")
    for (const auto& [name, tensor] : family->parameters()) names.push_back(name);
  for (const std::string& name : engine->buffers()) names.push_back(name);
  return names;
}

int64_t Experiment::buffer_bytes() const {
  return static_cast<int64_t>(buffers().size()) * target->dim() * static_cast<int64_t>(target->point().element_size());
}

double Experiment::nll_offset() const {
  double sum = 0;
  for (const float std : data.normalisation.targets.std) sum += std::log(static_cast<double>(std));
  return sum;
}

Experiment build_experiment(const RunOptions& options, DataParts data, Use use) {
  set_threads(options.threads);
  check_monitor(options, data.classification());
  const std::string likelihood = likelihood_name(options, data.classification());
  const std::string device = resolve_device(options.device);
  const auto network = models::make_network(options.model, {data.dataset.input_shape()}, data.outputs(),
                                            static_cast<uint64_t>(options.seed));
  check_memory(options, *network, device, use);
  network->to(torch::Device(device));
  std::shared_ptr<posterior::Likelihood> observation = posterior::make_likelihood(
      {likelihood, options.likelihood.noise, options.likelihood.noise_std}, torch::TensorOptions().device(device));
  auto target = std::make_unique<posterior::NetworkTarget>(
      network, observation, target_options(options, static_cast<int64_t>(data.split.train.size()), use));
  auto family = make_family(options, *target);
  std::unique_ptr<inference::Engine> engine;
  if (use == Use::kTraining) engine = make_engine(options, target->layout(), target->point());
  data::Loader loader = make_train_loader(options, data);
  return Experiment{options,           std::move(data),   device,           network, observation, std::move(target),
                    std::move(family), std::move(engine), std::move(loader)};
}

Experiment build_training(const RunOptions& options) {
  DataParts data = load_data(options);
  if (options.evaluate.checkpoint == "best" && data.split.validation.empty())
    throw Error(ErrorKind::kUsage,
                "evaluate.checkpoint: best needs validation rows, and the split has none; raise "
                "data.validation_frac or use last");
  return build_experiment(options, std::move(data), Use::kTraining);
}

}  // namespace scorevi::run
