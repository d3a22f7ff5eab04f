// Tables in the form of a data set that was read before.
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "csv_cell.h"
#include "csv_file.h"
#include "input_columns.h"
#include "scorevi/core/error.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/encode.h"
#include "target_column.h"

namespace scorevi::data {
namespace {

// The cells of a column that are read.
struct Cells {
  const io::CsvTable& table;
  const std::vector<std::size_t>& rows;
  std::size_t column;
};

at::Tensor class_numbers(const Cells& cells, const std::vector<std::string>& names, CellProblems& problems) {
  std::map<std::string_view, std::int64_t> number;
  for (std::size_t c = 0; c < names.size(); ++c) number.emplace(names[c], static_cast<std::int64_t>(c));
  const std::string known = join_first(names, 10);
  at::Tensor targets = at::empty({static_cast<std::int64_t>(cells.rows.size())}, at::kLong);
  auto* out = targets.mutable_data_ptr<std::int64_t>();
  for (const std::size_t row : cells.rows) {
    const auto found = number.find(cells.table.trimmed(row, cells.column));
    const bool is_known = found != number.end();
    *out++ = is_known ? found->second : 0;
    if (!is_known)
      problems.add(row, cells.column,
                   fmt::format("{}: got \"{}\", expected one of the {} classes of training: {}",
                               cells.table.where(row, cells.column), cells.table.trimmed(row, cells.column),
                               names.size(), known));
  }
  return targets;
}

at::Tensor values(const Cells& cells, CellProblems& problems) {
  check_commas(cells.table, cells.rows, cells.column, problems);
  at::Tensor targets = at::empty({static_cast<std::int64_t>(cells.rows.size()), 1}, at::kFloat);
  auto* out = targets.mutable_data_ptr<float>();
  for (const std::size_t row : cells.rows)
    *out++ = float_or_problem(cells.table, row, cells.column, problems).value_or(0.0f);
  return targets;
}

// The column that training predicted: a number, or auto, means another one where columns stand in another order.
std::size_t target_of_training(const io::CsvTable& table, const std::string& name) {
  if (table.has_header()) {
    const auto found = std::find(table.header().begin(), table.header().end(), name);
    if (found != table.header().end()) return static_cast<std::size_t>(found - table.header().begin());
  } else if (const std::optional<std::size_t> number = number_of_column(name); number && *number < table.columns()) {
    return *number;
  }
  throw Error(ErrorKind::kData,
              fmt::format("{}: no column \"{}\", the target of training{}; got {}; rename the column, or tell evaluate "
                          "its name with -s data.target=NAME",
                          table.name(), name, did_you_mean(name, table.header()),
                          table.has_header() ? "the header " + join(table.header())
                                             : fmt::format("{} columns without a header", table.columns())));
}

void refuse_target_as_input(const io::CsvTable& table, std::size_t target, const std::vector<InputColumn>& inputs) {
  for (const InputColumn& input : inputs)
    if (input.column == target)
      throw Error(ErrorKind::kData, fmt::format("{} would be both the target and the input \"{}\" of the network, "
                                                "expected a table with the target beside the {} inputs",
                                                table.where(0, target), input.label, inputs.size()));
}

}  // namespace

Dataset read_labelled(const DataOptions& options, const Dataset& trained) {
  const std::string& name = trained.columns.target;
  std::vector<std::string> names = column_names(trained.feature_names);
  if (!name.empty()) names.push_back(name);
  const io::CsvTable table = read_csv_file(options, std::move(names));
  const std::vector<InputColumn> inputs = input_columns(table, trained.feature_names, trained.columns.count);
  const std::size_t target = name.empty() ? target_column(table, options) : target_of_training(table, name);
  refuse_target_as_input(table, target, inputs);
  std::vector<std::size_t> columns = {target};
  for (const InputColumn& input : inputs) columns.push_back(input.column);
  std::sort(columns.begin(), columns.end());
  CellProblems problems;
  const std::vector<std::size_t> rows = used_rows(table, columns, options.missing == "drop", problems);
  const Cells targets{table, rows, target};
  Dataset dataset;
  dataset.name = trained.name;
  dataset.description = options.path;
  if (rows.size() < table.rows())
    dataset.description += fmt::format(", {} rows with missing values dropped", table.rows() - rows.size());
  dataset.files = {file_rows(table, rows)};
  dataset.task = trained.task;
  dataset.class_names = trained.class_names;
  dataset.feature_names = trained.feature_names;
  dataset.input_scale = trained.input_scale;
  dataset.inputs = encode_rows(table, rows, inputs, trained.feature_names.size(), problems);
  dataset.targets = trained.task == Task::kClassification ? class_numbers(targets, trained.class_names, problems)
                                                          : values(targets, problems);
  problems.throw_if_any();
  return dataset;
}

}  // namespace scorevi::data
