#include "pretrained.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "inputs_file.h"
#include "scorevi/config/document.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/text.h"
#include "scorevi/data/data_root.h"
#include "scorevi/io/checkpoint.h"
#include "scorevi/io/weight_file.h"
#include "scorevi/models/registry.h"
#include "scorevi/posterior/likelihood.h"
#include "scorevi/run/run_directory.h"
#include "stored_run.h"
#include "weights_yaml.h"

namespace scorevi::run {
namespace {

namespace fs = std::filesystem;

std::string field(const config::Node& entry, const std::string& key) {
  const config::Node* node = entry.find(key);
  return node == nullptr ? "" : node->text;
}

[[noreturn]] void missing_file(const KnownWeights& known, const std::vector<std::string>& searched) {
  throw Error(ErrorKind::kData,
              fmt::format("model.weights: {} is not here, expected {} in one of\n  {}\nget it with: "
                          "scripts/download_data.sh weights {} (from {}), or set SCOREVI_DATA to where it is",
                          known.name, known.file, fmt::join(searched, "\n  "), known.name,
                          known.url.empty() ? known.source : known.url));
}

std::string checkpoint_of(const RunDirectory& run) {
  for (const char* file : {files::kBest, files::kLast})
    if (run.has(file)) return run.file(file);
  throw Error(ErrorKind::kData, "model.weights: " + run.path() + " is a run without a checkpoint yet");
}

// Of a checkpoint, which would leave parameters at random.
[[noreturn]] void not_learned(const std::string& path, const std::vector<std::string>& missing) {
  throw Error(ErrorKind::kData,
              fmt::format("{}: holds the learned parameters of a run, {} of this network are not among them, the "
                          "first is {}; expected the same model, with all its parameters in posterior.match",
                          path, missing.size(), missing.front()));
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
  std::vector<int64_t> rows;  // of the file, one for each class here; empty: as they are
  std::string note;           // "" where the file's head is taken as it is
};

// Those of `names` that are not among `others`, as a text.
std::string missing_in(const std::vector<std::string>& others, const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 5;
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
  constexpr std::size_t kNamed = 5;
  return fmt::format("the run's columns are {}, here they are {}: its weights are for other inputs",
                     join_first(from, kNamed), join_first(to, kNamed));
}

HeadPlan plan_head(const models::Network& network, const RunOptions& options, const std::optional<InputForm>& source,
                   const data::Dataset& dataset) {
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

 private:
  bool of_head(const std::string& name) const { return begins_with(name, head_.name + "."); }
  bool may_be_other(const std::string& name) const { return head_.by_name && of_head(name); }

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
      result_.warnings.push_back(
          fmt::format("not in the file, left as they were: {}{}", fmt::join(first(missing_), ", "),
                      missing_.size() > 5 ? fmt::format(" and {} more", missing_.size() - 5) : ""));
    const std::size_t unused = stored_.size() - used_;
    if (unused > 0)
      result_.warnings.push_back(fmt::format("{} tensors of the file have no place in the network", unused));
  }

  static std::vector<std::string> first(const std::vector<std::string>& names) {
    return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, names.size()))};
  }

  std::string first_names() const {
    std::vector<std::string> names;
    for (const auto& [name, path] : stored_) names.push_back(name);
    return fmt::format("{}", fmt::join(first(names), ", "));
  }

 public:
  const std::vector<std::string>& missing() const { return missing_; }

 private:
  models::Network& network_;
  const io::WeightFile& file_;
  HeadPlan head_;
  std::map<std::string, std::string> stored_;  // name in the network, path in the file
  std::size_t loaded_ = 0, used_ = 0;
  std::vector<std::string> skipped_, missing_;
  Pretrained result_;
};

}  // namespace

const std::vector<KnownWeights>& known_weights() {
  static const std::vector<KnownWeights> table = [] {
    const config::Document document = config::Document::from_text(kWeightsYaml, "models/weights.yaml");
    const config::Node& root = document.root();
    std::vector<KnownWeights> all;
    for (std::size_t i = 0; i < root.items.size(); ++i) {
      const config::Node& entry = root.items[i];
      all.push_back({root.keys[i].text, field(entry, "model"), field(entry, "file"), field(entry, "folder"),
                     field(entry, "sha256"), field(entry, "source"), field(entry, "url"),
                     parse_int(field(entry, "resize")).value_or(0)});
    }
    return all;
  }();
  return table;
}

const KnownWeights* find_known_weights(const std::string& name) {
  for (const KnownWeights& known : known_weights())
    if (known.name == name) return &known;
  return nullptr;
}

std::string find_weights_file(const std::string& weights, const std::string& data_root) {
  const KnownWeights* known = find_known_weights(weights);
  if (known == nullptr) {
    if (fs::is_regular_file(weights)) return weights;
    if (fs::exists(fs::path(weights) / files::kRun)) return checkpoint_of(RunDirectory::open(weights));
    if (fs::exists(weights))
      throw Error(ErrorKind::kData,
                  "model.weights: " + weights + " is no regular file, expected a weight file or the folder of a run");
    std::vector<std::string> names;
    for (const KnownWeights& entry : known_weights()) names.push_back(entry.name);
    throw Error(ErrorKind::kData, "model.weights: no such file and no known name, got \"" + weights +
                                      "\", expected a file, the folder of a run or one of " + join(names) +
                                      did_you_mean(weights, names));
  }
  // data.root may be the folder of somebody's pictures: the usual places are searched as well.
  std::vector<std::string> roots = data::data_roots("");
  if (!data_root.empty()) roots.insert(roots.begin(), data_root);
  std::vector<std::string> searched;
  for (const std::string& root : roots)
    for (const std::string& folder : {root + "/weights", root + "/" + known->folder, root}) {
      if (fs::is_regular_file(folder + "/" + known->file)) return folder + "/" + known->file;
      if (std::find(searched.begin(), searched.end(), folder) == searched.end()) searched.push_back(folder);
    }
  missing_file(*known, searched);
}

Pretrained load_pretrained(models::Network& network, const RunOptions& options, const data::Dataset& dataset) {
  const PretrainedOptions& wanted = options.pretrained;
  const KnownWeights* known = find_known_weights(wanted.weights);
  if (known != nullptr && known->model != options.model.name)
    throw Error(ErrorKind::kUsage, "model.weights: " + known->name + " is for model " + known->model + ", got model " +
                                       options.model.name);
  const std::string path = find_weights_file(wanted.weights, options.data.source.root);
  const std::string sha256 = sha256_file(path);
  if (known != nullptr && sha256.rfind(known->sha256, 0) != 0)
    throw Error(ErrorKind::kData, path + ": is not the file that " + known->name + " means, its SHA-256 begins with " +
                                      sha256.substr(0, known->sha256.size()) + ", expected " + known->sha256);
  const io::WeightFile file = io::WeightFile::open(path);
  const bool own = io::is_checkpoint(file);
  if (own) io::verify_checkpoint(path, {"mean.", "buffer."});
  const std::optional<RunDirectory> run = own ? run_of_checkpoint(path) : std::nullopt;
  const std::optional<InputForm> source = inputs_of(run);
  Loading loading(network, file, plan_head(network, options, source, dataset));
  Pretrained result = loading.run();
  for (const std::string& warning : {unfinished_warning(run), source ? column_warning(*source, dataset) : ""})
    if (!warning.empty()) result.warnings.push_back(warning);
  if (dataset.task == data::Task::kClassification || options.likelihood.noise != "learned") result.log_noise.reset();
  if (result.log_noise)
    result.notes.push_back(
        fmt::format("the noise begins where the run left it, at a standard deviation of {:.4g} in "
                    "units of the standardised target",
                    std::exp(*result.log_noise)));
  if (own && !loading.missing().empty()) not_learned(path, loading.missing());
  if (wanted.strict && !loading.missing().empty())
    throw Error(ErrorKind::kData, fmt::format("{}: {} tensors of the network are not in the file, the first is {} "
                                              "(model.strict)",
                                              path, loading.missing().size(), loading.missing().front()));
  result.path = path;
  result.sha256 = sha256;
  return result;
}

}  // namespace scorevi::run
