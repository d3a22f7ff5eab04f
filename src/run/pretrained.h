// Weights of others as the beginning of a network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scorevi/data/dataset.h"
#include "scorevi/models/network.h"
#include "scorevi/run/options.h"

namespace scorevi::run {

struct Pretrained {
  std::string path, sha256;
  std::int64_t tensors = 0;            // in the file
  std::vector<std::string> untrained;  // parameters that the file has no values for
  std::string head;                    // name of the last layer
  std::string head_use = "kept";       // kept | reordered | new: what became of it
  std::optional<double> log_noise;     // where learned noise begins, of a run that learned it
  std::vector<std::string> notes;      // what was loaded and skipped, one line each
  std::vector<std::string> warnings;   // what was left as it was
};

// Copies the tensors of the file into parameters and buffers of the same name; of a checkpoint of scorevi the means and
// the buffers, and a parameter outside the head that its run did not learn is an Error(kData). What differs in shape is
// an Error(kData), except: the head is left as it is; a position embedding of another grid is interpolated; a first
// convolution for three channels is summed for one. Error(kData) also when nothing fits, for values that are not
// finite, and with model.strict when a parameter or statistic outside the head is missing. The rows of a head belong to
// classes. Where the file lies in the folder of its run, which names them, they are put into the order of the classes
// of `dataset`; of other classes, or where model.head_start is zero or random, the head is new.
Pretrained load_pretrained(models::Network& network, const RunOptions& options, const data::Dataset& dataset);

}  // namespace scorevi::run
