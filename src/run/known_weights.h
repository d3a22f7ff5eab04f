// Weight files by name, and where they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scorevi::run {

// An entry of models/weights.yaml; `url` is empty where no address leads to the file itself.
// `classes`: the data set whose classes the head has, where it is one of ours; "" = others.
// `resize`: pixels of the short side that they were published with, where it is not the network's own; 0 = as that.
struct KnownWeights {
  std::string name, model, file, folder, sha256, source, url, classes;
  int64_t resize = 0;
};
const std::vector<KnownWeights>& known_weights();
// Null for other names.
const KnownWeights* find_known_weights(const std::string& name);

// The file that model.weights names; of a run's folder its best checkpoint, else its last. Error(kData) where it is
// missing, with the way to get it.
std::string find_weights_file(const std::string& weights, const std::string& data_root);

}  // namespace scorevi::run
