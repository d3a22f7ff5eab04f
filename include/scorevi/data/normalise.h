// Scaling of inputs and targets, fitted on the training rows and applied to every row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/data/dataset.h"

namespace scorevi::data {

// Value k of a row becomes (value - mean[k / repeat]) / std[k / repeat]. Empty: values stay.
struct Affine {
  std::vector<float> mean;
  std::vector<float> std;
  std::int64_t repeat = 1;  // values that share one entry: height * width for images
};

struct Normalisation {
  Affine inputs;
  Affine targets;  // regression; predictions are std * output + mean in the units of the data
};

// Fits on `train` (row numbers) alone.
//   inputs: "none" | "scale" (value / input_scale) | "standardise" (mean 0 and standard deviation 1, per channel of
//           images, per feature of tables)
//   standardise_targets: the same for regression targets, per output
// Standard deviations divide by N. A constant feature gets std 1. Error kUsage: an unknown name, or
// no training row. Pictures are scaled by their form: nothing is fitted on them. Sums are in double in row order, so
// the result is the same on every machine.
Normalisation fit_normalisation(const Dataset& dataset, const std::vector<std::int64_t>& train,
                                const std::string& inputs = "standardise", bool standardise_targets = false);

// Writes `count` values of one row, normalised, to `out`.
void apply(const Affine& affine, const std::uint8_t* values, std::int64_t count, float* out);
void apply(const Affine& affine, const float* values, std::int64_t count, float* out);

}  // namespace scorevi::data
