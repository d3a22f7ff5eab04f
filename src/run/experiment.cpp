#include "experiment.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include "engine_factory.h"
#include "head_pattern.h"
#include "network_checks.h"
#include "picture_form.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/glob.h"
#include "scorevi/core/log.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/registry.h"
#include "scorevi/kernels/exec.h"
#include "scorevi/models/registry.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/point_mass.h"

namespace scorevi::run {
namespace {

std::string fingerprint_of(const data::Dataset& dataset) {
  Sha256 hash;
  if (dataset.pictures)
    for (int64_t row = 0; row < dataset.size(); ++row) hash.update(dataset.pictures->identity(row) + "\n");
  else
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

bool is_pretrained(const RunOptions& options) { return !options.pretrained.weights.empty(); }

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
  result.channels_last = models::networks().find(options.model.name).make.vision.has_value();
  return result;
}

std::unique_ptr<variational::Family> make_family(const RunOptions& options, posterior::NetworkTarget& target) {
  const std::vector<double> stds = initial_stds(options, target.layout());  // every pattern fits something
  if (options.method.name == "map") return std::make_unique<variational::PointMass>(target.point());
  auto q = std::make_unique<variational::DiagonalGaussian>(
      variational::DiagonalGaussian::from_mean(target.point(), options.posterior.init_std));
  for (std::size_t i = 0; i < stds.size(); ++i) {
    const params::FlatEntry& entry = target.layout().entries()[i];
    if (stds[i] != options.posterior.init_std)
      q->log_std().slice(0, entry.offset, entry.offset + entry.numel).fill_(std::log(stds[i]));
  }
  return q;
}

void tell(const Pretrained& pretrained) {
  for (const std::string& note : pretrained.notes) log().info("{}", note);
  for (const std::string& warning : pretrained.warnings) log().warn("{}", warning);
}

// Zeroes a head that the weight file does not fit, so that the network begins with equal probabilities.
void start_head(const RunOptions& options, models::Network& network, const std::vector<std::string>& untrained) {
  const std::string& start = options.pretrained.head_start;
  const auto& vision = models::networks().find(options.model.name).make.vision;
  if (!vision || start == "random" || (start == "auto" && options.method.name == "map")) return;
  const torch::NoGradGuard no_grad;
  for (auto& parameter : network.named_parameters())
    if (parameter.key().rfind(std::string(vision->head) + ".", 0) == 0 &&
        std::find(untrained.begin(), untrained.end(), parameter.key()) != untrained.end())
      parameter.value().zero_();
}

// Parameters outside posterior.match keep their values: no gradient, no buffer.
void freeze_others(const RunOptions& options, models::Network& network) {
  const std::vector<std::string>& patterns = options.posterior.match;
  params::FlatLayout layout;
  for (const auto& parameter : network.named_parameters())
    layout.append(parameter.key(), parameter.value().sizes().vec());
  params::group_ranges(layout, patterns, "posterior.match");  // every pattern fits something
  for (auto& parameter : network.named_parameters())
    parameter.value().set_requires_grad(std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return glob_match(pattern, parameter.key());
    }));
}

data::Loader make_train_loader(const RunOptions& options, const DataParts& data) {
  data::LoaderOptions loader;
  loader.batch_size = options.data.batch_size;
  loader.seed = static_cast<uint64_t>(options.seed);
  loader.workers = static_cast<int>(options.data.workers);
  loader.augment = augmentation(options, data.dataset);
  const AugmentSection& section = options.data.augment;
  if (loader.augment) loader.mix = {section.label_smoothing, section.mixup, section.cutmix};
  return data::Loader(data.dataset, data.split.train, data.normalisation, loader);
}

// Activations of a batch are many times its inputs: large pictures go through the network in smaller batches.
int64_t evaluation_batch(const RunOptions& options, const DataParts& data) {
  if (options.evaluate.batch_size > 0) return options.evaluate.batch_size;
  constexpr int64_t kMostRows = 500, kMostValues = int64_t{1} << 22;
  int64_t values = 1;
  for (const int64_t size : data.dataset.input_shape()) values *= size;
  return std::clamp<int64_t>(kMostValues / std::max<int64_t>(1, values), 1, kMostRows);
}

data::TestViews views_of(const RunOptions& options) {
  const std::string& views = options.evaluate.views;
  if (views == "flip") return data::TestViews::kFlip;
  if (views == "five_crop") return data::TestViews::kFiveCrop;
  if (views == "ten_crop") return data::TestViews::kTenCrop;
  SCOREVI_CHECK_OP(views, ==, "center");
  return data::TestViews::kCenter;
}

void set_threads(int64_t threads) {
  if (threads == 0) return;
  const int64_t cores = std::max<int64_t>(1, std::thread::hardware_concurrency());
  if (threads > cores)
    warn_once("threads",
              fmt::format("threads: got {}, expected at most the {} cores here; using {}", threads, cores, cores));
  at::set_num_threads(static_cast<int>(std::min(threads, cores)));
}

}  // namespace

namespace {

bool official_validation(const RunOptions& options, const data::Dataset& dataset) {
  if (options.data.validation != "auto") return options.data.validation == "official";
  const std::string& name = options.data.source.name;
  const bool own_pictures = name == "image_folder" || name == "image_list";
  return own_pictures && dataset.official_validation > 0 && options.data.train_size == 0;
}

constexpr std::size_t kNamedClasses = 10;

// Classes that a split leaves without training rows can never be predicted.
void tell_untrained_classes(const DataParts& parts) {
  if (!parts.classification()) return;
  const std::vector<int64_t> counts = parts.dataset.class_counts(parts.split.train);
  std::vector<std::string> untrained;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] == 0) untrained.push_back(parts.dataset.class_names[c]);
  if (untrained.empty()) return;
  const std::size_t all = untrained.size();
  untrained.resize(std::min(all, kNamedClasses));
  log().warn("{}: {} of {} classes have no training rows: {}{}", parts.dataset.name, all, counts.size(),
             join(untrained), all > kNamedClasses ? ", ..." : "");
}

}  // namespace

int64_t DataParts::outputs() const { return classification() ? dataset.classes() : dataset.targets.size(1); }

DataParts load_data(const RunOptions& options) {
  const auto split_seed = static_cast<uint64_t>(options.data.split_seed.value_or(options.seed));
  data::DataOptions source = options.data.source;
  source.seed = split_seed;
  DataParts parts;
  parts.dataset = data::load_dataset(source);
  parts.fingerprint = fingerprint_of(parts.dataset);
  set_picture_form(options, parts.dataset);
  data::SplitOptions split;
  split.seed = split_seed;
  split.train_size = options.data.train_size;
  split.validation_frac = options.data.validation_frac;
  split.official_validation = official_validation(options, parts.dataset);
  split.test_frac = options.data.test_frac;
  split.stratified = options.data.stratified && parts.classification();
  parts.split = data::make_split(parts.dataset, split);
  if (parts.split.train.empty())
    throw Error(ErrorKind::kData, "data: " + source.name +
                                      " has no training rows here, expected its training files beside the test files");
  tell_untrained_classes(parts);
  parts.normalisation =
      data::fit_normalisation(parts.dataset, parts.split.train, options.data.scaling, options.data.scaling != "none");
  return parts;
}

std::string saved_fingerprint(const RunDirectory& directory) {
  const nlohmann::json info = directory.info();
  return info.contains("data") ? info["data"].value("sha256", "") : "";
}

void check_same_data(const RunDirectory& directory, const DataParts& data) {
  const std::string saved = saved_fingerprint(directory);
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
  const std::vector<int64_t>& rows = data::rows_of(data.split, part);
  if (rows.empty())
    throw Error(ErrorKind::kUsage, "split: " + part + " has no rows; see data.validation_frac and data.test_frac");
  return rows;
}

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

data::Loader evaluation_loader(const RunOptions& options, const DataParts& data, const std::vector<int64_t>& rows,
                               int64_t view) {
  data::LoaderOptions loader;
  loader.batch_size = evaluation_batch(options, data);
  loader.shuffle = false;
  loader.workers = static_cast<int>(options.data.workers);
  loader.views = views_of(options);
  loader.view = view;
  return data::Loader(data.dataset, rows, data.normalisation, loader);
}

std::optional<data::Loader> recalibration_loader(const RunOptions& options, const DataParts& data) {
  if (options.train.batch_norm != "recalibrate" || data.split.train.empty()) return std::nullopt;
  data::LoaderOptions loader;
  loader.shuffle = false;
  loader.workers = static_cast<int>(options.data.workers);
  std::vector<int64_t> rows = data.split.train;
  const auto all = static_cast<int64_t>(rows.size());
  loader.batch_size = std::min(options.data.batch_size, all);
  const int64_t batches = std::min(options.evaluate.recalibrate_batches, all / loader.batch_size);
  rows.resize(static_cast<std::size_t>(batches * loader.batch_size));
  return data::Loader(data.dataset, rows, data.normalisation, loader);
}

void use_statistics_of_run(Experiment& experiment, const RunDirectory& directory) {
  if (experiment.options.train.batch_norm != "recalibrate") return;
  const DataParts own = load_data(experiment.options);
  check_same_data(directory, own);
  experiment.recalibration = recalibration_loader(experiment.options, own);
}

void check_same_weights(const RunDirectory& directory, const Experiment& experiment) {
  const nlohmann::json info = directory.info();
  if (experiment.pretrained.path.empty() || !info.contains("weights") || info["weights"].is_null()) return;
  const std::string saved = info["weights"].value("sha256", ""), now = experiment.pretrained.sha256;
  if (saved != now)
    throw Error(ErrorKind::kData, experiment.pretrained.path + ": the run began with weights of SHA-256 " +
                                      saved.substr(0, 12) + "..., this file has " + now.substr(0, 12) +
                                      "..., expected the same file (-s model.weights=FILE)");
}

int64_t view_count(const RunOptions& options, const DataParts& data) {
  return data.dataset.pictures ? data::view_count(views_of(options)) : 1;
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

Experiment build_experiment(const RunOptions& given, DataParts data, Use use) {
  const RunOptions options = with_head_patterns(given);
  set_threads(options.threads);
  check_monitor(options, data.classification());
  const std::string likelihood = likelihood_name(options, data.classification());
  const std::string device = resolve_device(options.device);
  const models::InputSpec input{data.dataset.input_shape()};
  check_memory_before(options, models::expected_parameters(options.model, input, data.outputs()), device, use);
  const auto network = models::make_network(options.model, input, data.outputs(), static_cast<uint64_t>(options.seed));
  Pretrained pretrained;
  // Predictions find learned parameters and buffers in the checkpoint; frozen ones are in the weight file alone.
  if (is_pretrained(options) && (use == Use::kTraining || options.posterior.match != std::vector<std::string>{"*"})) {
    pretrained = load_pretrained(*network, options);
    if (use == Use::kTraining) tell(pretrained);
    start_head(options, *network, pretrained.untrained);
  }
  freeze_others(options, *network);
  if (use == Use::kTraining && !is_pretrained(options) && options.posterior.match != std::vector<std::string>{"*"})
    log().warn("posterior.match: the other parameters are frozen at their random start, for there is no model.weights");
  check_memory_after(options, *network, device, use);
  if (use == Use::kTraining) {
    check_batches(options, data, *network, batch_norm_policy(options));
    check_activations(options, data, *network, device);
  }
  network->to(torch::Device(device));
  std::shared_ptr<posterior::Likelihood> observation = posterior::make_likelihood(
      {likelihood, options.likelihood.noise, options.likelihood.noise_std}, torch::TensorOptions().device(device));
  auto target = std::make_unique<posterior::NetworkTarget>(
      network, observation,
      target_options(options, static_cast<int64_t>(data.split.train.size()), use, pretrained.untrained));
  auto family = make_family(options, *target);
  std::unique_ptr<inference::Engine> engine;
  if (use == Use::kTraining) engine = make_engine(options, target->layout(), target->point());
  data::Loader loader = make_train_loader(options, data);
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

Experiment build_training(const RunOptions& options) {
  DataParts data = load_data(options);
  if (options.evaluate.checkpoint == "best" && data.split.validation.empty())
    throw Error(ErrorKind::kUsage,
                "evaluate.checkpoint: best needs validation rows, and the split has none; raise "
                "data.validation_frac or use last");
  return build_experiment(options, std::move(data), Use::kTraining);
}

}  // namespace scorevi::run
