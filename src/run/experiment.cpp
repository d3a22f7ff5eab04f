#include "experiment.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include "head_pattern.h"
#include "network_checks.h"
#include "own_pictures.h"
#include "scorevi/core/cores.h"
#include "scorevi/core/error.h"
#include "scorevi/core/glob.h"
#include "scorevi/core/log.h"
#include "scorevi/core/text.h"
#include "scorevi/inference/registry.h"
#include "scorevi/kernels/exec.h"
#include "scorevi/models/registry.h"
#include "scorevi/run/engine_factory.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/point_mass.h"
#include "seen_rows.h"
#include "task_checks.h"

namespace scorevi::run {
namespace {

constexpr const char* kMatch = "posterior.match";

// The prior mean that "auto" stands for.
std::string prior_mean(const RunOptions& options, const std::string& mean) {
  if (mean != "auto") return mean;
  return is_pretrained(options) ? "pretrained" : "zero";
}

posterior::BatchNormPolicy batch_norm_policy(const RunOptions& options) {
  const std::string& policy = options.train.batch_norm;
  if (policy == "recalibrate") return posterior::BatchNormPolicy::kRecalibrate;
  const bool frozen = policy == "frozen" || (policy == "auto" && is_pretrained(options));
  return frozen ? posterior::BatchNormPolicy::kFrozen : posterior::BatchNormPolicy::kRunning;
}

posterior::NetworkTargetOptions target_options(const RunOptions& options, int64_t train_rows, Use use,
                                               const std::vector<std::string>& untrained) {
  posterior::NetworkTargetOptions result;
  result.gradients = use == Use::kTraining;
  result.train_rows = train_rows;
  result.temperature = options.likelihood.temperature;
  // Predictions need no prior: its mean would be the weights at hand, not the pretrained ones.
  result.prior.mean = use == Use::kTraining ? prior_mean(options, options.prior.mean) : "zero";
  result.prior.std = options.prior.std;
  for (const PriorGroupOptions& group : options.prior.groups) {
    const std::string mean = group.mean == "auto" ? options.prior.mean : group.mean;
    result.prior.groups.push_back({group.match, group.std, use == Use::kTraining ? prior_mean(options, mean) : "zero"});
  }
  result.prior.untrained = untrained;
  result.batch_norm = batch_norm_policy(options);
  result.micro_batch = options.train.micro_batch;
  if (options.train.precision == "bfloat16") result.precision = posterior::Precision::kBfloat16;
  if (options.train.precision == "float16") result.precision = posterior::Precision::kFloat16;
  result.second_order = inference::find_method(options.method.name).needs.hessian_product && use == Use::kTraining;
  result.channels_last = models::networks().find(options.model.name).make.vision.has_value();
  return result;
}

// The parameters that posterior.match does not name.
std::vector<params::Range> points_of(const RunOptions& options, const params::FlatLayout& layout) {
  std::vector<params::Range> points;
  for (const params::GroupRange& range : params::group_ranges(layout, options.posterior.match, kMatch))
    if (range.group < 0) points.push_back(range);
  return points;
}

std::unique_ptr<variational::Family> make_family(const RunOptions& options, posterior::NetworkTarget& target) {
  const std::vector<double> stds = initial_stds(options, target.layout());  // every pattern fits something
  if (options.method.is_point()) return std::make_unique<variational::PointMass>(target.point());
  auto q = std::make_unique<variational::DiagonalGaussian>(
      variational::DiagonalGaussian::from_mean(target.point(), options.posterior.init_std));
  for (std::size_t i = 0; i < stds.size(); ++i) {
    const params::FlatEntry& entry = target.layout().entries()[i];
    if (stds[i] != options.posterior.init_std)
      q->log_std().slice(0, entry.offset, entry.offset + entry.numel).fill_(std::log(stds[i]));
  }
  if (options.posterior.rest == "map") q->set_points(points_of(options, target.layout()));
  return q;
}

void tell(const Pretrained& pretrained) {
  for (const std::string& note : pretrained.notes) log().info("{}", note);
  for (const std::string& warning : pretrained.warnings) log().warn("{}", warning);
}

bool begins_at_zero(const RunOptions& options) {
  const std::string& start = options.pretrained.head_start;
  return start != "random" && !(start == "auto" && options.method.is_point());
}

// The parameters of a new head.
std::vector<std::pair<std::string, at::Tensor>> new_head(const models::Network& network, const Pretrained& pretrained) {
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  const std::vector<std::string>& untrained = pretrained.untrained;
  for (const auto& parameter : network.named_parameters())
    if (begins_with(parameter.key(), pretrained.head + ".") &&
        std::find(untrained.begin(), untrained.end(), parameter.key()) != untrained.end())
      parameters.emplace_back(parameter.key(), parameter.value());
  return parameters;
}

// Zeroes a new head, so that the network begins with equal probabilities.
void start_head(const RunOptions& options, const models::Network& network, const Pretrained& pretrained) {
  if (!begins_at_zero(options)) return;
  const torch::NoGradGuard no_grad;
  for (auto& [name, parameter] : new_head(network, pretrained)) parameter.zero_();
}

// Parameters outside posterior.match keep their values where nothing else is said: no gradient, no buffer.
void freeze_others(const RunOptions& options, models::Network& network) {
  const std::vector<std::string>& patterns = options.posterior.match;
  params::FlatLayout layout;
  for (const auto& parameter : network.named_parameters())
    layout.append(parameter.key(), parameter.value().sizes().vec());
  params::group_ranges(layout, patterns, kMatch);  // every pattern fits something
  if (options.posterior.rest == "map") return;
  for (auto& parameter : network.named_parameters())
    parameter.value().set_requires_grad(std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return glob_match(pattern, parameter.key());
    }));
}

// Weights at zero hand no gradient back: frozen there, they would keep everything below them from learning.
void check_new_head(const RunOptions& options, const Pretrained& pretrained, const models::Network& network) {
  if (!begins_at_zero(options)) return;
  for (const auto& [name, parameter] : new_head(network, pretrained))
    if (parameter.dim() > 1 && !parameter.requires_grad())
      throw Error(
          ErrorKind::kUsage,
          fmt::format("posterior.match: {} of the new head is frozen at 0, and nothing below it would learn; add "
                      "\"@head\"{}",
                      name, options.method.is_point() ? "" : ", or learn it as a point (posterior.rest: map)"));
}

void set_threads(int64_t threads) {
  if (threads == 0) return;
  const int64_t cores = core_count();
  if (threads > cores)
    warn_once("threads",
              fmt::format("threads: got {}, expected at most the {} cores here; using {}", threads, cores, cores));
  at::set_num_threads(static_cast<int>(std::min(threads, cores)));
}

// "cpu" or "cuda:N". Error(kUsage) saying why CUDA cannot be used; auto falls back, with one notice where the program
// was built for CUDA.
std::string resolve_device(const std::string& wanted) {
  if (wanted == "cpu") return "cpu";
  const std::string reason = kernels::cuda_unavailable_reason();
  if (wanted == "auto") {
    if (reason.empty()) return "cuda:0";
    if (reason != "built without CUDA") warn_once("device", "device auto: using the CPU (CUDA: " + reason + ")");
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

}  // namespace

bool is_pretrained(const RunOptions& options) { return !options.pretrained.weights.empty(); }

void save_buffers(const models::Network& network, params::StateDict& dict) {
  for (const auto& buffer : network.named_buffers()) dict.add("buffer." + buffer.key(), buffer.value());
}

void load_buffers(models::Network& network, const params::StateDict& dict) {
  const torch::NoGradGuard no_grad;
  for (auto& buffer : network.named_buffers()) {
    const at::Tensor& saved = dict.tensor("buffer." + buffer.key());
    if (saved.sizes() != buffer.value().sizes())
      throw Error(ErrorKind::kData, "checkpoint: buffer." + buffer.key() + " has another shape than the network's");
    buffer.value().copy_(saved);
  }
}

void use_statistics_of_run(Experiment& experiment, const RunDirectory& directory) {
  if (experiment.options.train.batch_norm != "recalibrate") return;
  try {
    const DataParts own = load_data(experiment.options);
    check_same_data(directory, own);
    experiment.recalibration = recalibration_loader(experiment.options, own);
  } catch (const Error& error) {
    throw Error(error.kind(), error.what() + std::string("\nthe batch-norm statistics of this run are estimated on its "
                                                         "training rows (train.batch_norm: recalibrate): they are "
                                                         "needed for predictions as well"));
  }
}

void check_same_weights(const RunDirectory& directory, const Experiment& experiment) {
  const std::string saved = directory.weights_sha256(), now = experiment.pretrained.sha256;
  if (now.empty() || saved.empty()) return;
  const bool of_run = std::filesystem::is_directory(experiment.options.pretrained.weights);
  if (saved != now)
    throw Error(ErrorKind::kData,
                fmt::format("{}: the run began with weights of SHA-256 {}..., this file has {}...{}, expected the same "
                            "file (-s model.weights=FILE)",
                            experiment.pretrained.path, saved.substr(0, 12), now.substr(0, 12),
                            of_run ? " (the run that it belongs to was trained on since)" : ""));
  const std::string use = directory.info()["weights"].value("head", ""), use_now = experiment.pretrained.head_use;
  if (!use.empty() && use != use_now)
    throw Error(ErrorKind::kData, experiment.pretrained.path + ": the run began with the head " + use + ", now it is " +
                                      use_now +
                                      ", expected the file in the folder of its run, whose inputs.json "
                                      "names its classes");
}

std::vector<double> initial_stds(const RunOptions& options, const params::FlatLayout& layout) {
  std::vector<std::string> patterns;
  for (const PosteriorGroupOptions& group : options.posterior.groups) patterns.push_back(group.match);
  std::vector<double> stds(layout.entries().size(), options.posterior.init_std);
  for (const params::GroupRange& range : params::group_ranges(layout, patterns, "posterior.groups"))
    for (std::size_t i = 0; i < stds.size(); ++i)
      if (range.group >= 0 && layout.entries()[i].offset >= range.begin && layout.entries()[i].offset < range.end)
        stds[i] = options.posterior.groups[static_cast<std::size_t>(range.group)].init_std;
  return stds;
}

std::vector<std::string> Experiment::buffers() const {
  std::vector<std::string> names = {"theta", "gradient"};
  if (target->prior()->mean.defined()) names.push_back("prior mean");
  if (!options.method.is_point())
    for (const auto& [name, tensor] : family->parameters()) names.push_back(name);
  for (const std::string& name : engine->buffers()) names.push_back(name);
  if (target->has_hessian_product()) names.push_back("Hessian product");
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

Experiment build_experiment(const RunOptions& given, DataParts data, Use use) {
  const RunOptions options = with_head_patterns(given);
  set_threads(options.threads);
  check_task(options, data.classification());
  const std::string device = resolve_device(options.device);
  const models::InputSpec input{data.dataset.input_shape()};
  check_memory_before(options, models::expected_parameters(options.model, input, data.outputs()), device, use);
  const auto network = models::make_network(options.model, input, data.outputs(), static_cast<uint64_t>(options.seed));
  Pretrained pretrained;
  // Predictions find learned parameters and buffers in the checkpoint; frozen ones are in the weight file alone.
  if (is_pretrained(options) && (use == Use::kTraining || !learns_all(options))) {
    pretrained = load_pretrained(*network, options, data.dataset);
    if (use == Use::kTraining) tell(pretrained);
    start_head(options, *network, pretrained);
  }
  freeze_others(options, *network);
  if (use == Use::kTraining) check_new_head(options, pretrained, *network);
  if (use == Use::kTraining && !is_pretrained(options) && !learns_all(options))
    log().warn("posterior.match: the other parameters are frozen at their random start, for there is no model.weights");
  check_memory_after(options, *network, device, use);
  if (use == Use::kTraining) {
    check_batches(options, data, *network, batch_norm_policy(options));
    check_activations(options, data, *network, device);
  }
  network->to(torch::Device(device));
  std::shared_ptr<posterior::Likelihood> observation = posterior::make_likelihood(
      {likelihood_for(data.classification()), options.likelihood.noise,
       pretrained.log_noise ? std::exp(*pretrained.log_noise) : options.likelihood.noise_std()},
      torch::TensorOptions().device(device));
  auto target = std::make_unique<posterior::NetworkTarget>(
      network, observation,
      target_options(options, static_cast<int64_t>(data.split.train.size()), use, pretrained.untrained));
  auto family = make_family(options, *target);
  std::unique_ptr<inference::Engine> engine;
  if (use == Use::kTraining) engine = make_engine(options, target->layout(), target->point());
  data::Loader loader = training_loader(options, data);
  std::optional<data::Loader> statistics = recalibration_loader(options, data);
  return Experiment{options,
                    std::move(data),
                    device,
                    network,
                    observation,
                    std::move(target),
                    std::move(family),
                    std::move(engine),
                    std::move(loader),
                    std::move(statistics),
                    std::move(pretrained)};
}

DataParts load_training_data(const RunOptions& options) {
  DataParts data = load_data(options);
  check_parts(options, data);
  tell_shared_pictures(data);
  tell_repeated_rows(data);
  return data;
}

Experiment build_training(const RunOptions& options, DataParts data) {
  const auto rows = static_cast<int64_t>(data.split.train.size());
  if (options.data.batch_size > rows)
    log().info("data.batch_size: {} is more than the {} training rows; every step takes all of them",
               options.data.batch_size, rows);
  Experiment experiment = build_experiment(options, std::move(data), Use::kTraining);
  tell_rows_of_start(experiment);
  const int64_t steps = experiment.train_loader.batches() * options.train.epochs,
                warmup = options.schedule.warmup_steps;
  if (steps > 0 && warmup > steps)
    log().warn("schedule.warmup_steps: {} is more than the {} steps of the run; optimizer.lr is never reached", warmup,
               steps);
  return experiment;
}

}  // namespace scorevi::run
