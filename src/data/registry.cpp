#include "scorevi/data/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "sources.h"

namespace scorevi::data {

const Factory<MakeDataset>& datasets() {
  static const Factory<MakeDataset> kTable(
      "data set", {
                      {"digits", "1797 handwritten digits, 8 x 8 (bundled)", make_digits},
                      {"mnist", "70000 handwritten digits, 28 x 28, idx files", make_mnist},
                      {"fashion_mnist", "70000 pictures of clothes, 28 x 28, idx files", make_fashion_mnist},
                      {"kmnist", "70000 cursive Japanese characters, 28 x 28, idx files", make_kmnist},
                      {"cifar10", "60000 colour pictures, 32 x 32, 10 classes, binary files", make_cifar10},
                      {"cifar100", "60000 colour pictures, 32 x 32, 100 classes, binary files", make_cifar100},
                      {"dtd", "5640 pictures of 47 textures, 10 partitions", make_dtd},
                      {"oxford_pets", "7349 pictures of 37 breeds of cats and dogs", make_oxford_pets},
                      {"flowers102", "8189 pictures of 102 flowers", make_flowers102},
                      {"fgvc_aircraft", "10000 pictures of 100 aircraft variants", make_fgvc_aircraft},
                      {"image_folder", "your own pictures in one folder per class", make_image_folder},
                      {"image_list", "your own pictures, named with their labels in text files", make_image_list},
                      {"csv", "your own table in a file: classification or regression", make_csv},
                      {"two_moons", "two interleaved half circles, 2 features, 2 classes", make_two_moons},
                      {"blobs", "Gaussian clouds on a circle, 2 features, any number of classes", make_blobs},
                      {"sine_gap", "a noisy sine without data in the middle, 1 feature, regression", make_sine_gap},
                      {"cubic", "y = x^3 with noise of standard deviation 3, 1 feature, regression", make_cubic},
                  });
  return kTable;
}

bool is_generated(const std::string& name) {
  return name == "two_moons" || name == "blobs" || name == "sine_gap" || name == "cubic";
}

bool is_own_pictures(const std::string& name) { return name == "image_folder" || name == "image_list"; }

Dataset load_dataset(const DataOptions& options) {
  Dataset dataset = datasets().make(options.name, options);
  check_dataset(dataset);
  return dataset;
}

void check_choice(const std::string& option, const std::string& value, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  throw Error(ErrorKind::kUsage, fmt::format("data.{}: got \"{}\", expected one of {}{}", option, value, join(choices),
                                             did_you_mean(value, choices)));
}

}  // namespace scorevi::data
