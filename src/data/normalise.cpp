#include "scorevi/data/normalise.h"

#include <cmath>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "sources.h"

namespace scorevi::data {
namespace {

// Mean and standard deviation of each group of `repeat` neighbouring values of a row, in two
// passes.
template <class Value>
Affine standardise(const Value* values, std::int64_t width, std::int64_t repeat,
                   const std::vector<std::int64_t>& rows) {
  const auto groups = static_cast<std::size_t>(width / repeat);
  const double count = static_cast<double>(rows.size()) * static_cast<double>(repeat);
  std::vector<double> mean(groups, 0.0);
  std::vector<double> square(groups, 0.0);
  const auto each = [&](auto&& add) {
    for (const std::int64_t row : rows) {
      const Value* value = values + row * width;
      for (std::size_t g = 0; g < groups; ++g) {
        for (std::int64_t k = 0; k < repeat; ++k) add(g, static_cast<double>(*value++));
      }
    }
  };
  each([&](std::size_t g, double value) { mean[g] += value; });
  for (double& m : mean) m /= count;
  each([&](std::size_t g, double value) { square[g] += (value - mean[g]) * (value - mean[g]); });
  Affine affine;
  affine.repeat = repeat;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto std = static_cast<float>(std::sqrt(square[g] / count));
    affine.mean.push_back(static_cast<float>(mean[g]));
    affine.std.push_back(std > 0.0f ? std : 1.0f);
  }
  return affine;
}

template <class Value>
void apply_to(const Affine& affine, const Value* values, std::int64_t count, float* out) {
  if (affine.std.empty()) {
    for (std::int64_t k = 0; k < count; ++k) out[k] = static_cast<float>(values[k]);
    return;
  }
  SCOREVI_CHECK_OP(affine.mean.size(), ==, affine.std.size());
  SCOREVI_CHECK_OP(static_cast<std::int64_t>(affine.std.size()) * affine.repeat, ==, count);
  for (std::size_t g = 0; g < affine.std.size(); ++g) {
    const float mean = affine.mean[g];
    const float std = affine.std[g];
    for (std::int64_t k = 0; k < affine.repeat; ++k) {
      *out++ = (static_cast<float>(*values++) - mean) / std;
    }
  }
}

}  // namespace

Normalisation fit_normalisation(const Dataset& dataset, const std::vector<std::int64_t>& train,
                                const std::string& inputs, bool standardise_targets) {
  check_choice("scaling", inputs, {"none", "scale", "standardise"});
  const bool scale = inputs == "scale";
  const bool fit = inputs == "standardise";
  if (train.empty() && (fit || standardise_targets)) {
    throw Error(ErrorKind::kUsage, "data.scaling: no training rows to fit means and standard deviations on");
  }
  for (const std::int64_t row : train) SCOREVI_CHECK(row >= 0 && row < dataset.size());
  Normalisation result;
  if (dataset.pictures) return result;  // the form of the pictures scales them
  const std::int64_t width = dataset.inputs.numel() / dataset.size();
  if (scale) {
    result.inputs = {{0.0f}, {static_cast<float>(dataset.input_scale)}, width};
  } else if (fit) {
    const std::int64_t repeat = dataset.is_image() ? dataset.inputs.size(2) * dataset.inputs.size(3) : 1;
    result.inputs = dataset.inputs.scalar_type() == at::kByte
                        ? standardise(dataset.inputs.const_data_ptr<std::uint8_t>(), width, repeat, train)
                        : standardise(dataset.inputs.const_data_ptr<float>(), width, repeat, train);
  }
  if (standardise_targets && dataset.task == Task::kRegression) {
    result.targets = standardise(dataset.targets.const_data_ptr<float>(), dataset.targets.size(1), 1, train);
  }
  return result;
}

void apply(const Affine& affine, const std::uint8_t* values, std::int64_t count, float* out) {
  apply_to(affine, values, count, out);
}

void apply(const Affine& affine, const float* values, std::int64_t count, float* out) {
  apply_to(affine, values, count, out);
}

}  // namespace scorevi::data
