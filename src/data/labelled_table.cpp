// Tables in the form of a data set that was read before.
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "csv_cell.h"
#include "csv_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/encode.h"
#include "target_column.h"

namespace scorevi::data {
namespace {

at::Tensor class_numbers(const io::CsvTable& table, std::size_t column, const std::vector<std::string>& names) {
  std::map<std::string_view, std::int64_t> number;
  for (std::size_t c = 0; c < names.size(); ++c) number.emplace(names[c], static_cast<std::int64_t>(c));
  at::Tensor targets = at::empty({static_cast<std::int64_t>(table.rows())}, at::kLong);
  auto* out = targets.mutable_data_ptr<std::int64_t>();
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const auto found = number.find(table.trimmed(r, column));
    if (found == number.end())
      throw Error(ErrorKind::kData,
                  fmt::format("{}: got \"{}\", expected one of the {} classes of training: {}", table.where(r, column),
                              table.trimmed(r, column), names.size(), join_first(names, 10)));
    *out++ = found->second;
  }
  return targets;
}

at::Tensor values(const io::CsvTable& table, std::size_t column) {
  at::Tensor targets = at::empty({static_cast<std::int64_t>(table.rows()), 1}, at::kFloat);
  auto* out = targets.mutable_data_ptr<float>();
  for (std::size_t r = 0; r < table.rows(); ++r) *out++ = float_at(table, r, column);
  return targets;
}

}  // namespace

Dataset read_labelled(const DataOptions& options, const Dataset& trained) {
  const io::CsvTable table = read_csv_file(options, column_names(trained.feature_names));
  const std::size_t target = target_column(table, options);
  Dataset dataset;
  dataset.name = trained.name;
  dataset.description = options.path;
  dataset.task = trained.task;
  dataset.class_names = trained.class_names;
  dataset.feature_names = trained.feature_names;
  dataset.input_scale = trained.input_scale;
  dataset.inputs = encode_table(table, trained.feature_names);
  dataset.targets =
      trained.task == Task::kClassification ? class_numbers(table, target, trained.class_names) : values(table, target);
  return dataset;
}

}  // namespace scorevi::data
