#include "pretrained.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include "scorevi/run/run_directory.h"
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

// Error(kData) for a damaged checkpoint, and one that would leave parameters at random.
void check_own(const std::string& path, const std::vector<std::string>& missing) {
  io::load_checkpoint(path, {"mean.", "buffer."});
  if (!missing.empty())
    throw Error(ErrorKind::kData,
                fmt::format("{}: holds the learned parameters of a run, {} of this network are not among them, the "
                            "first is {}; expected the same model, with all its parameters in posterior.match",
                            path, missing.size(), missing.front()));
}

std::string shape_text(at::IntArrayRef shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// One network and one file.
class Loading {
 public:
  Loading(models::Network& network, const io::WeightFile& file, std::string head)
      : network_(network), file_(file), head_(std::move(head)) {
    if (io::is_checkpoint(file)) {
      for (const io::WeightInfo& tensor : file.tensors())
        for (const std::string prefix : {"mean.", "buffer."})
          if (begins_with(tensor.path, prefix)) stored_[tensor.path.substr(prefix.size())] = tensor.path;
    } else {
      for (const auto& [name, path] : io::find_weights(file).names) stored_[name] = path;
    }
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
  bool of_head(const std::string& name) const { return !head_.empty() && name.rfind(head_ + ".", 0) == 0; }

  void load(const std::string& name, at::Tensor destination, bool parameter) {
    const auto found = stored_.find(name);
    if (found == stored_.end()) {
      if (parameter) result_.untrained.push_back(name);
      if (!of_head(name) && !ends_with(name, "num_batches_tracked")) missing_.push_back(name);
      return;
    }
    const std::vector<std::int64_t>& shape = file_.info(found->second).shape;
    ++used_;
    if (destination.sizes() == at::IntArrayRef(shape)) {
      file_.read_into(found->second, destination);
      ++loaded_;
      return;
    }
    if (adapt(name, found->second, shape, destination)) return;
    const std::string change = shape_text(shape) + " -> " + shape_text(destination.sizes());
    if (!of_head(name))
      throw Error(ErrorKind::kData,
                  fmt::format("{}: {} has shape {}, the network has {}; is model.name right?", file_.path(), name,
                              shape_text(shape), shape_text(destination.sizes())));
    skipped_.push_back(name + " (" + change + ")");
    result_.untrained.push_back(name);
  }

  // Shapes that differ for a reason.
  bool adapt(const std::string& name, const std::string& path, const std::vector<std::int64_t>& shape,
             at::Tensor& destination) {
    if (ends_with(name, "pos_embedding") && shape.size() == 3 && shape[2] == destination.size(2)) {
      const auto grid = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(destination.size(1) - 1))));
      destination.copy_(models::resize_position_embedding(file_.read(path).to(at::kFloat), grid));
      result_.notes.push_back(
          fmt::format("{} interpolated: {} -> {}", name, shape_text(shape), shape_text(destination.sizes())));
      ++loaded_;
      return true;
    }
    const bool grey = destination.dim() == 4 && shape.size() == 4 && destination.size(1) == 1 && shape[1] == 3 &&
                      destination.size(0) == shape[0] && destination.size(2) == shape[2] &&
                      destination.size(3) == shape[3];
    if (!grey) return false;
    destination.copy_(file_.read(path).to(at::kFloat).sum(1, /*keepdim=*/true));
    result_.notes.push_back(name + ": the weights of three channels are summed for one");
    ++loaded_;
    return true;
  }

  void describe() {
    const auto all = network_.named_parameters().size() + network_.named_buffers().size();
    result_.notes.insert(result_.notes.begin(),
                         fmt::format("loaded {}/{} tensors of the network from {}{}", loaded_, all, file_.path(),
                                     io::is_checkpoint(file_) ? ", the means of a run" : ""));
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
  std::string head_;
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

Pretrained load_pretrained(models::Network& network, const RunOptions& options) {
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
  const auto& vision = models::networks().find(options.model.name).make.vision;
  const io::WeightFile file = io::WeightFile::open(path);
  Loading loading(network, file, vision ? vision->head : "");
  Pretrained result = loading.run();
  if (io::is_checkpoint(file)) check_own(path, loading.missing());
  if (wanted.strict && !loading.missing().empty())
    throw Error(ErrorKind::kData, fmt::format("{}: {} tensors of the network are not in the file, the first is {} "
                                              "(model.strict)",
                                              path, loading.missing().size(), loading.missing().front()));
  result.path = path;
  result.sha256 = sha256;
  return result;
}

}  // namespace scorevi::run
