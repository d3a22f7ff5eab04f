#include "pretrained.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "inputs_file.h"
#include "known_weights.h"
#include "scorevi/core/error.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/text.h"
#include "scorevi/io/checkpoint.h"
#include "scorevi/io/weight_file.h"
#include "scorevi/models/registry.h"
#include "scorevi/posterior/likelihood.h"
#include "scorevi/run/run_directory.h"
#include "stored_run.h"

namespace scorevi::run {
namespace {

constexpr std::size_t kNamed = 5;  // names in a message

// Of a checkpoint, which would leave parameters at random.
[[noreturn]] void not_learned(const std::string& path, const std::vector<std::string>& missing) {
  throw Error(ErrorKind::kData,
              fmt::format("{}: holds the learned parameters of a run, {} of this network are not among them, the "
                          "first is {}; expected the same model, with all its parameters in posterior.match",
                          path, missing.size(), missing.front()));
}

// Statistics of batch norm that stay at mean 0 and variance 1 are not those that the weights were trained with.
void refuse_missing_statistics(const std::string& path, const RunOptions& options,
                               const std::vector<std::string>& missing) {
  if (options.train.batch_norm != "auto" && options.train.batch_norm != "frozen") return;
  std::vector<std::string> statistics;
  for (const std::string& name : missing)
    if (ends_with(name, "running_mean") || ends_with(name, "running_var")) statistics.push_back(name);
  if (!statistics.empty())
    throw Error(ErrorKind::kData, fmt::format("{}: has no batch-norm statistics {}, which would stay at mean 0 and "
                                              "variance 1; expected them, or train.batch_norm: running",
                                              path, join_first(statistics, kNamed)));
}

// How the inputs of a run looked; nothing where it has not written that.
std::optional<InputForm> inputs_of(const std::optional<RunDirectory>& run) {
  if (!run || !run->has(files::kInputs)) return std::nullopt;
  return load_inputs(*run);
}

// "" for weights that stay as they are.
std::string unfinished_warning(const std::optional<RunDirectory>& run) {
  if (!run || run->status() == status_name(RunStatus::kFinished)) return "";
  return fmt::format(
      "the run is {}: its weights so far are taken; where it goes on, what began with them cannot be "
      "resumed without a copy of this file",
      run->status());
}

// What becomes of the last layer, which has a row for each class.
struct HeadPlan {
  std::string name;           // of its module
  bool by_name = false;       // a file may hold another head, or none
  bool is_new = false;        // whatever the file holds
  bool classes_known = true;  // which the rows of the file's head are for
  std::vector<int64_t> rows;  // of the file, one for each class here; empty: as they are
  std::string note;           // "" where the file's head is taken as it is
};

// Those of `names` that are not among `others`, as a text.
std::string missing_in(const std::vector<std::string>& others, const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  for (const std::string& name : names)
    if (std::find(others.begin(), others.end(), name) == others.end()) missing.push_back(name);
  return missing.empty() ? "none" : join_first(missing, kNamed);
}

void plan_classes(const data::Dataset& source, const data::Dataset& here, HeadPlan& head) {
  const std::vector<std::string>&from = source.class_names, &to = here.class_names;
  if (from == to && source.task == here.task) return;
  if (!std::is_permutation(from.begin(), from.end(), to.begin(), to.end()) || source.task != here.task) {
    head.is_new = true;
    head.note = fmt::format("the head {} begins anew: its classes are others (here alone: {}; in the run alone: {})",
                            head.name, missing_in(from, to), missing_in(to, from));
    return;
  }
  for (const std::string& name : to) head.rows.push_back(std::find(from.begin(), from.end(), name) - from.begin());
  head.note = fmt::format("the rows of the head {} follow the order of the classes here", head.name);
}

// "" where the columns are those of the run, or their number differs, which no network takes.
std::string column_warning(const InputForm& source, const data::Dataset& dataset) {
  const std::vector<std::string>&from = source.data.dataset.feature_names, &to = dataset.feature_names;
  if (from == to || from.size() != to.size()) return "";
  return fmt::format("the run's columns are {}, here they are {}: its weights are for other inputs",
                     join_first(from, kNamed), join_first(to, kNamed));
}

// The same of pictures, whose size may well differ.
std::string picture_warning(const InputForm& source, const RunOptions& options, const data::Dataset& dataset) {
  if (!source.data.dataset.pictures && !source.pictures) return "";
  const data::PictureForm &then = source.data.dataset.form, &now = dataset.form;
  std::vector<std::string> other;
  if (then.mean != now.mean) other.push_back(fmt::format("data.image.mean [{:g}]", fmt::join(then.mean, ", ")));
  if (then.std != now.std) other.push_back(fmt::format("data.image.std [{:g}]", fmt::join(then.std, ", ")));
  if (then.filter != now.filter)
    other.push_back(std::string("data.image.interpolation ") +
                    (then.filter == data::ResizeFilter::kBicubic ? "bicubic" : "bilinear"));
  if (source.exif_orientation != options.data.source.exif_orientation)
    other.push_back(fmt::format("data.exif_orientation {}", source.exif_orientation));
  return other.empty() ? "" : "the run saw its pictures with other values than here: " + join(other);
}

// Of weights with a name whose classes are those of a data set.
void plan_known_classes(const KnownWeights& known, const std::string& trained_on, HeadPlan& head) {
  head.classes_known = known.classes == trained_on;
  if (known.classes.empty() || head.classes_known) return;
  head.is_new = true;
  head.note = fmt::format("the head {} begins anew: its classes are those of {}", head.name, known.classes);
}

HeadPlan plan_head(const models::Network& network, const RunOptions& options, const KnownWeights* known,
                   const std::optional<InputForm>& source, const data::Dataset& dataset) {
  HeadPlan head;
  const auto& vision = models::networks().find(options.model.name).make.vision;
  head.by_name = vision.has_value();
  const std::string last = network.named_parameters().back().key();
  head.name = vision ? vision->head : last.substr(0, last.rfind('.'));
  head.is_new = options.pretrained.head_start != "auto";
  if (head.is_new)
    head.note = fmt::format("the head {} begins anew (model.head_start: {})", head.name, options.pretrained.head_start);
  else if (source)
    plan_classes(source->data.dataset, dataset, head);
  else if (known != nullptr)
    plan_known_classes(*known, options.data.source.name, head);
  else
    head.classes_known = dataset.task == data::Task::kRegression;  // there are none
  return head;
}

std::string shape_text(at::IntArrayRef shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// One network and one file.
class Loading {
 public:
  Loading(models::Network& network, const io::WeightFile& file, HeadPlan head)
      : network_(network), file_(file), head_(std::move(head)) {
    if (io::is_checkpoint(file)) {
      for (const io::WeightInfo& tensor : file.tensors())
        for (const std::string prefix : {"mean.", "buffer."})
          if (begins_with(tensor.path, prefix)) stored_[tensor.path.substr(prefix.size())] = tensor.path;
    } else {
      for (const auto& [name, path] : io::find_weights(file).names) stored_[name] = path;
    }
    const auto noise = stored_.find(posterior::kLogNoise);  // of the likelihood, not of the network
    if (!io::is_checkpoint(file) || noise == stored_.end()) return;
    if (!head_.is_new) result_.log_noise = file.read(noise->second).item<double>();
    stored_.erase(noise);
  }

  Pretrained run() {
    const c10::NoGradGuard no_grad;
    judge_head();
    for (auto& item : network_.named_parameters()) load(item.key(), item.value(), /*parameter=*/true);
    for (auto& item : network_.named_buffers()) load(item.key(), item.value(), /*parameter=*/false);
    if (loaded_ == 0)
      throw Error(ErrorKind::kData,
                  fmt::format("{}: no tensor fits the network, got names such as {}, expected such as {}", file_.path(),
                              first_names(), network_.named_parameters().begin()->key()));
    result_.tensors = static_cast<std::int64_t>(file_.tensors().size());
    describe();
    return std::move(result_);
  }

  const std::vector<std::string>& missing() const { return missing_; }

 private:
  bool of_head(const std::string& name) const { return begins_with(name, head_.name + "."); }
  bool may_be_other(const std::string& name) const { return head_.by_name && of_head(name); }

  // A head that may be another one is taken whole or not at all.
  void judge_head() {
    if (head_.is_new) return;
    std::size_t all = 0, fitting = 0;
    for (const auto& item : network_.named_parameters()) {
      if (!of_head(item.key())) continue;
      ++all;
      const auto found = stored_.find(item.key());
      fitting += found != stored_.end() && item.value().sizes() == at::IntArrayRef(file_.info(found->second).shape);
    }
    if (fitting == all && !head_.classes_known)
      result_.warnings.push_back(
          fmt::format("the head {} is kept, but nothing says that its classes are those here; "
                      "model.head_start: zero begins it anew",
                      head_.name));
    if (fitting == 0 || fitting == all || !head_.by_name) return;
    head_.is_new = true;
    head_.note = fmt::format("the head {} begins anew: {} of its {} tensors fit", head_.name, fitting, all);
  }

  void load(const std::string& name, at::Tensor destination, bool parameter) {
    const auto found = stored_.find(name);
    if (head_.is_new && of_head(name)) {
      result_.untrained.push_back(name);
      used_ += found == stored_.end() ? 0 : 1;
      return;
    }
    if (found == stored_.end()) {
      if (parameter) result_.untrained.push_back(name);
      if (!may_be_other(name) && !ends_with(name, "num_batches_tracked")) missing_.push_back(name);
      return;
    }
    const std::vector<std::int64_t>& shape = file_.info(found->second).shape;
    ++used_;
    if (destination.sizes() == at::IntArrayRef(shape)) {
      file_.read_into(found->second, destination);
      if (of_head(name) && !head_.rows.empty())
        destination.copy_(destination.index_select(0, at::tensor(head_.rows, at::kLong)));
      accept(name, destination);
      return;
    }
    if (adapt(name, found->second, shape, destination)) {
      accept(name, destination);
      return;
    }
    const std::string change = shape_text(shape) + " -> " + shape_text(destination.sizes());
    if (!may_be_other(name))
      throw Error(ErrorKind::kData,
                  fmt::format("{}: {} has shape {}, the network has {}; is model.name right?", file_.path(), name,
                              shape_text(shape), shape_text(destination.sizes())));
    skipped_.push_back(name + " (" + change + ")");
    result_.untrained.push_back(name);
  }

  // Refuses what no network can use: it would be met at the first step, far from where it came from.
  void accept(const std::string& name, const at::Tensor& values) {
    ++loaded_;
    const bool variance = ends_with(name, "running_var");
    at::Tensor bad = at::isfinite(values).logical_not();
    if (variance) bad = bad.logical_or(values < 0);
    if (!bad.any().item<bool>()) return;
    throw Error(ErrorKind::kData, fmt::format("{}: {} holds {}, expected {}", file_.path(), name,
                                              values.masked_select(bad)[0].item<double>(),
                                              variance ? "variances from 0 on" : "finite values"));
  }

  // Shapes that differ for a reason.
  bool adapt(const std::string& name, const std::string& path, const std::vector<std::int64_t>& shape,
             at::Tensor& destination) {
    if (ends_with(name, "pos_embedding") && shape.size() == 3 && shape[2] == destination.size(2)) {
      const auto grid = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(destination.size(1) - 1))));
      destination.copy_(models::resize_position_embedding(file_.read(path).to(at::kFloat), grid));
      result_.notes.push_back(
          fmt::format("{} interpolated: {} -> {}", name, shape_text(shape), shape_text(destination.sizes())));
      return true;
    }
    const bool grey = destination.dim() == 4 && shape.size() == 4 && destination.size(1) == 1 && shape[1] == 3 &&
                      destination.size(0) == shape[0] && destination.size(2) == shape[2] &&
                      destination.size(3) == shape[3];
    if (!grey) return false;
    destination.copy_(file_.read(path).to(at::kFloat).sum(1, /*keepdim=*/true));
    result_.notes.push_back(name + ": the weights of three channels are summed for one");
    return true;
  }

  void describe() {
    const auto all = network_.named_parameters().size() + network_.named_buffers().size();
    result_.notes.insert(result_.notes.begin(),
                         fmt::format("loaded {}/{} tensors of the network from {}{}", loaded_, all, file_.path(),
                                     io::is_checkpoint(file_) ? ", the means of a run" : ""));
    result_.head = head_.name;
    const bool is_new = std::any_of(result_.untrained.begin(), result_.untrained.end(),
                                    [&](const std::string& name) { return of_head(name); });
    result_.head_use = is_new ? "new" : head_.rows.empty() ? "kept" : "reordered";
    if (!head_.note.empty()) result_.notes.push_back(head_.note);
    if (!skipped_.empty()) result_.notes.push_back("skipped " + fmt::format("{}", fmt::join(skipped_, ", ")));
    if (!missing_.empty())
      result_.warnings.push_back("not in the file, left as they were: " + join_first(missing_, kNamed));
    const std::size_t unused = stored_.size() - used_;
    if (unused > 0)
      result_.warnings.push_back(fmt::format("{} tensors of the file have no place in the network", unused));
  }

  std::string first_names() const {
    std::vector<std::string> names;
    for (const auto& [name, path] : stored_) names.push_back(name);
    return join_first(names, kNamed);
  }

  models::Network& network_;
  const io::WeightFile& file_;
  HeadPlan head_;
  std::map<std::string, std::string> stored_;  // name in the network, path in the file
  std::size_t loaded_ = 0, used_ = 0;
  std::vector<std::string> skipped_, missing_;
  Pretrained result_;
};

}  // namespace

Pretrained load_pretrained(models::Network& network, const RunOptions& options, const data::Dataset& dataset) {
  const PretrainedOptions& wanted = options.pretrained;
  const KnownWeights* known = find_known_weights(wanted.weights);
  if (known != nullptr && known->model != options.model.name)
    throw Error(ErrorKind::kUsage, "model.weights: " + known->name + " is for model " + known->model + ", got model " +
                                       options.model.name);
  const std::string path = find_weights_file(wanted.weights, options.data.source.root);
  const std::string sha256 = sha256_file(path);
  if (known != nullptr && !begins_with(sha256, known->sha256))
    throw Error(ErrorKind::kData, path + ": is not the file that " + known->name + " means, its SHA-256 begins with " +
                                      sha256.substr(0, known->sha256.size()) + ", expected " + known->sha256);
  const io::WeightFile file = io::WeightFile::open(path);
  const bool own = io::is_checkpoint(file);
  if (own) io::verify_checkpoint(path, {"mean.", "buffer."});
  const std::optional<RunDirectory> run = own ? run_of_checkpoint(path) : std::nullopt;
  const std::optional<InputForm> source = inputs_of(run);
  Loading loading(network, file, plan_head(network, options, known, source, dataset));
  Pretrained result = loading.run();
  for (const std::string& warning : {unfinished_warning(run), source ? column_warning(*source, dataset) : "",
                                     source ? picture_warning(*source, options, dataset) : ""})
    if (!warning.empty()) result.warnings.push_back(warning);
  if (dataset.task == data::Task::kClassification || options.likelihood.noise != "learned") result.log_noise.reset();
  if (result.log_noise)
    result.notes.push_back(
        fmt::format("the noise begins where the run left it, at a standard deviation of {:.4g} in "
                    "units of the standardised target",
                    std::exp(*result.log_noise)));
  if (own && !loading.missing().empty()) not_learned(path, loading.missing());
  refuse_missing_statistics(path, options, loading.missing());
  if (wanted.strict && !loading.missing().empty())
    throw Error(ErrorKind::kData, fmt::format("{}: {} tensors of the network are not in the file, the first is {} "
                                              "(model.strict)",
                                              path, loading.missing().size(), loading.missing().front()));
  result.path = path;
  result.sha256 = sha256;
  return result;
}

}  // namespace scorevi::run
