#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/text.h"
#include "scorevi/io/weight_file.h"

namespace scorevi::io {
namespace {

// Keys under which training scripts store a network, the likeliest first.
constexpr std::array<std::string_view, 10> kWeightKeys = {
    "state_dict", "model_state_dict", "model_state", "model",  "network",
    "net",        "module",           "weights",     "params", "backbone"};

// Prefixes of wrappers around the network.
constexpr std::array<std::string_view, 4> kWrappers = {"module.", "_orig_mod.", "model.", "net."};

constexpr int kMaxKeys = 3;  // one in the other

// The tensors below a dictionary: `folder` is "" or ends with '/'.
std::vector<std::string_view> paths_below(const WeightFile& file, std::string_view folder) {
  std::vector<std::string_view> paths;
  for (const WeightInfo& tensor : file.tensors()) {
    if (begins_with(tensor.path, folder)) paths.push_back(tensor.path);
  }
  return paths;
}

// Goes down one usual key, if it leads to tensors.
bool descend(const WeightFile& file, std::string& folder) {
  for (const std::string_view key : kWeightKeys) {
    const std::string below = folder + std::string(key) + "/";
    if (paths_below(file, below).empty()) continue;
    folder = below;
    return true;
  }
  return false;
}

// The first keys below a folder that lead to tensors, and whether some tensor lies in the folder itself.
struct Inside {
  std::set<std::string> folders;
  bool tensors = false;
};

Inside look_inside(const WeightFile& file, const std::string& folder) {
  Inside inside;
  for (const std::string_view path : paths_below(file, folder)) {
    const std::string_view name = path.substr(folder.size());
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) {
      inside.tensors = true;
    } else {
      inside.folders.emplace(name.substr(0, slash));
    }
  }
  return inside;
}

std::string find_folder(const WeightFile& file) {
  std::string folder;
  for (int depth = 0; depth < kMaxKeys && descend(file, folder); ++depth) continue;
  const Inside inside = look_inside(file, folder);
  if (inside.tensors) return folder;
  if (inside.folders.size() == 1) return folder + *inside.folders.begin() + "/";
  const std::vector<std::string> found(inside.folders.begin(), inside.folders.end());
  throw Error(ErrorKind::kData,
              fmt::format("{}: the network's weights are not found, got {}, expected tensors at the top level or below "
                          "one of {}",
                          file.path(), found.empty() ? "no tensor" : "tensors below " + join(found),
                          fmt::join(kWeightKeys, ", ")));
}

std::string common_wrappers(const std::vector<std::string>& names) {
  std::string strip;
  const auto strip_one = [&] {
    return std::any_of(kWrappers.begin(), kWrappers.end(), [&](std::string_view wrapper) {
      const std::string longer = strip + std::string(wrapper);
      const bool all = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return name.size() > longer.size() && begins_with(name, longer);
      });
      if (all) strip = longer;
      return all;
    });
  };
  while (strip_one()) continue;
  return strip;
}

}  // namespace

WeightsLocation find_weights(const WeightFile& file) {
  const std::string folder = find_folder(file);
  std::vector<std::string> names;
  std::vector<std::string> paths;
  for (const std::string_view path : paths_below(file, folder)) {
    if (path.find('/', folder.size()) != std::string_view::npos) continue;
    names.emplace_back(path.substr(folder.size()));
    paths.emplace_back(path);
  }
  WeightsLocation location{folder.substr(0, folder.empty() ? 0 : folder.size() - 1), common_wrappers(names), {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    location.names.emplace_back(names[i].substr(location.strip.size()), paths[i]);
  }
  return location;
}

}  // namespace scorevi::io
