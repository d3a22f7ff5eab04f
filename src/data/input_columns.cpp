#include "input_columns.h"

#include <algorithm>

#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/suggest.h"

namespace scorevi::data {
namespace {

bool has_column(const io::CsvTable& table, const std::string& label) {
  return std::find(table.header().begin(), table.header().end(), label) != table.header().end();
}

// Where "label=text" is cut: labels and texts may hold '=' themselves, so the header decides where there is one.
std::size_t cut_of(const std::string& name, const io::CsvTable& table) {
  if (table.has_header() && has_column(table, name)) return std::string::npos;
  for (std::size_t at = name.find('='); at != std::string::npos; at = name.find('=', at + 1))
    if (!table.has_header() || has_column(table, name.substr(0, at))) return at;
  return name.find('=');  // the header has neither: the part that is likely a column's name is told missing
}

std::vector<InputColumn> named_columns(const io::CsvTable& table, const std::vector<std::string>& names) {
  std::vector<InputColumn> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t cut = cut_of(names[i], table);
    const std::string label = names[i].substr(0, cut);
    if (columns.empty() || columns.back().label != label) columns.push_back({label, -1, {}, "", 0});
    if (cut == std::string::npos)
      columns.back().number = static_cast<std::int64_t>(i);
    else
      columns.back().categories[names[i].substr(cut + 1)] = static_cast<std::int64_t>(i);
  }
  return columns;
}

// Columns that are left out before an input would move it.
void check_positions(const io::CsvTable& table, std::size_t inputs, std::int64_t trained_columns) {
  if (table.has_header() || trained_columns == 0 || table.columns() == inputs ||
      table.columns() == static_cast<std::size_t>(trained_columns))
    return;
  throw Error(ErrorKind::kData,
              fmt::format("{}: {} columns without a header, expected the {} of the table that the network was trained "
                          "on, or its {} inputs alone",
                          table.name(), table.columns(), trained_columns, inputs));
}

void locate(const io::CsvTable& table, std::vector<InputColumn>& columns) {
  const bool without_target = table.columns() == columns.size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    InputColumn& source = columns[i];
    if (table.has_header() && has_column(table, source.label)) {
      source.column = table.column(source.label);
      continue;
    }
    const std::optional<std::size_t> number = number_of_column(source.label);
    const bool by_position = !table.has_header() && (number || without_target);
    source.column = without_target ? i : number.value_or(0);
    if (!by_position || source.column >= table.columns())
      throw Error(ErrorKind::kData,
                  fmt::format("{}: no column \"{}\", which the network was trained on{}; got {}", table.name(),
                              source.label, did_you_mean(source.label, table.header()),
                              table.has_header() ? "the header " + join(table.header())
                                                 : fmt::format("{} columns without a header", table.columns())));
  }
}

constexpr std::size_t kNamedTexts = 10;

std::string known_texts(const InputColumn& column) {
  std::vector<std::string> known;
  for (const auto& [name, input] : column.categories) known.push_back("\"" + name + "\"");
  return join_first(known, kNamedTexts);
}

// One cell as inputs of its row.
void encode_cell(const io::CsvTable& table, std::size_t row, const InputColumn& column,
                 at::TensorAccessor<float, 1> out, CellProblems& problems) {
  if (column.number < 0) {
    const auto found = column.categories.find(std::string(table.trimmed(row, column.column)));
    if (found != column.categories.end())
      out[found->second] = 1;
    else
      problems.add(row, column.column,
                   fmt::format("{}: \"{}\" did not occur in training, expected one of {}",
                               table.where(row, column.column), table.trimmed(row, column.column), column.known));
    return;
  }
  out[column.number] = float_or_problem(table, row, column.column, problems).value_or(0.0f);
}

}  // namespace

std::optional<std::size_t> number_of_column(const std::string& label) {
  if (label.rfind("column ", 0) != 0) return std::nullopt;
  const std::optional<std::int64_t> number = parse_int(label.substr(7));
  return number && *number >= 1 ? std::optional<std::size_t>(static_cast<std::size_t>(*number - 1)) : std::nullopt;
}

std::vector<InputColumn> input_columns(const io::CsvTable& table, const std::vector<std::string>& feature_names,
                                       std::int64_t trained_columns) {
  std::vector<InputColumn> columns = named_columns(table, feature_names);
  check_positions(table, columns.size(), trained_columns);
  locate(table, columns);
  for (InputColumn& column : columns) column.known = known_texts(column);
  return columns;
}

at::Tensor encode_rows(const io::CsvTable& table, const std::vector<std::size_t>& rows,
                       const std::vector<InputColumn>& columns, std::size_t features, CellProblems& problems) {
  const auto count = static_cast<std::int64_t>(rows.size());
  at::Tensor inputs = at::zeros({count, static_cast<std::int64_t>(features)}, at::kFloat);
  auto cells = inputs.accessor<float, 2>();
  for (const InputColumn& column : columns) {
    if (column.number >= 0) check_commas(table, rows, column.column, problems);
    for (std::int64_t i = 0; i < count; ++i)
      encode_cell(table, rows[static_cast<std::size_t>(i)], column, cells[i], problems);
  }
  return inputs;
}

}  // namespace scorevi::data
