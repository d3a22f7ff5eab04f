#include "scorevi/data/dataset.h"

#include <ATen/ops/isfinite.h>
#include <fmt/format.h>

#include <algorithm>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::data {
namespace {

[[noreturn]] void bad(const Dataset& dataset, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("data set {}: {}", dataset.name, what));
}

void check_targets(const Dataset& dataset) {
  const at::Tensor& targets = dataset.targets;
  if (targets.dim() < 1 || targets.size(0) != dataset.size()) {
    bad(dataset, fmt::format("{} inputs and {} targets, expected as many", dataset.size(),
                             targets.dim() < 1 ? 0 : targets.size(0)));
  }
  if (dataset.task == Task::kRegression) {
    SCOREVI_CHECK(targets.dim() == 2 && targets.scalar_type() == at::kFloat);
    if (!at::isfinite(targets).all().item<bool>()) bad(dataset, "a target is not finite");
    return;
  }
  SCOREVI_CHECK(targets.dim() == 1 && targets.scalar_type() == at::kLong);
  if (dataset.classes() < 2) {
    const std::string name = dataset.classes() == 1 ? fmt::format(" ({})", dataset.class_names.front()) : "es";
    const std::string hint =
        dataset.pictures
            ? "; is the folder of the classes one level deeper, or are pictures neither JPEG, PNG, GIF nor BMP?"
            : "";
    bad(dataset, fmt::format("{} class{}, expected at least 2{}", dataset.classes(), name, hint));
  }
  const auto low = targets.min().item<std::int64_t>();
  const auto high = targets.max().item<std::int64_t>();
  if (low < 0 || high >= dataset.classes()) {
    bad(dataset, fmt::format("labels from {} to {}, expected 0 to {}", low, high, dataset.classes() - 1));
  }
}

}  // namespace

RowPlace Dataset::place_of(std::int64_t row) const {
  SCOREVI_CHECK_OP(row, <, size());
  auto left = static_cast<std::size_t>(row);
  for (const TableFile& file : files) {
    if (left < file.rows.size()) return {file.path, file.rows[left]};
    left -= file.rows.size();
  }
  return {"", row + 1};
}

std::vector<std::int64_t> Dataset::input_shape() const {
  if (pictures) return {3, form.size, form.size};
  return inputs.sizes().slice(1).vec();
}

std::vector<std::int64_t> Dataset::class_counts(const std::vector<std::int64_t>& rows) const {
  SCOREVI_CHECK(task == Task::kClassification);
  std::vector<std::int64_t> counts(class_names.size(), 0);
  const auto* label = targets.const_data_ptr<std::int64_t>();
  for (const std::int64_t row : rows) ++counts[static_cast<std::size_t>(label[row])];
  return counts;
}

void check_dataset(const Dataset& dataset) {
  SCOREVI_CHECK(dataset.targets.defined() && dataset.targets.is_cpu() && dataset.targets.is_contiguous());
  SCOREVI_CHECK_OP(dataset.official_train, <=, dataset.size());
  SCOREVI_CHECK_OP(dataset.official_validation, <=, std::max<std::int64_t>(dataset.official_train, 0));
  if (dataset.size() == 0) bad(dataset, "no rows");
  check_targets(dataset);
  if (dataset.pictures) return;
  const at::Tensor& inputs = dataset.inputs;
  SCOREVI_CHECK(inputs.defined() && inputs.is_cpu() && inputs.is_contiguous());
  SCOREVI_CHECK(inputs.dim() == 2 || inputs.dim() == 4);
  SCOREVI_CHECK(inputs.scalar_type() == at::kByte || inputs.scalar_type() == at::kFloat);
  if (inputs.numel() == 0) bad(dataset, "no input columns");
  if (inputs.scalar_type() == at::kFloat && !at::isfinite(inputs).all().item<bool>()) {
    bad(dataset, "an input is not finite");
  }
}

}  // namespace scorevi::data
