#include "known_weights.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scorevi/config/document.h"
#include "scorevi/core/error.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/data_root.h"
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

}  // namespace

const std::vector<KnownWeights>& known_weights() {
  static const std::vector<KnownWeights> table = [] {
    const config::Document document = config::Document::from_text(kWeightsYaml, "models/weights.yaml");
    const config::Node& root = document.root();
    std::vector<KnownWeights> all;
    for (std::size_t i = 0; i < root.items.size(); ++i) {
      const config::Node& entry = root.items[i];
      all.push_back({root.keys[i].text, field(entry, "model"), field(entry, "file"), field(entry, "folder"),
                     field(entry, "sha256"), field(entry, "source"), field(entry, "url"), field(entry, "classes"),
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

}  // namespace scorevi::run
