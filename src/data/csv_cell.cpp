#include "csv_cell.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/log.h"

namespace scorevi::data {
namespace {

// 1,234 and 12,345, but not 0,125 and 1,25: a number with one comma that may separate thousands.
bool may_be_thousands(std::string_view number) {
  if (number.front() == '-' || number.front() == '+') number.remove_prefix(1);
  const std::size_t comma = number.find(',');
  return comma >= 1 && comma <= 3 && number.front() != '0' && number.size() == comma + 4 &&
         number.find_first_not_of("0123456789", comma + 1) == std::string_view::npos;
}

}  // namespace

float float_at(const io::CsvTable& table, std::size_t row, std::size_t column, const std::string& advice) {
  const std::optional<double> value = table.number(row, column);
  const std::string got = fmt::format("{}: got \"{}\", expected", table.where(row, column), table.trimmed(row, column));
  if (!value) {
    const bool written = table.resembles_number(row, column);
    throw Error(ErrorKind::kData,
                got + " a number" + (written ? ", with a decimal point and no separators of thousands" : advice));
  }
  const auto narrow = static_cast<float>(*value);
  if (!std::isfinite(narrow)) throw Error(ErrorKind::kData, got + " a finite number within +-3.4e38 (32 bits)");
  return narrow;
}

void CellProblems::add(std::size_t row, std::size_t column, const std::string& message) {
  if (!messages_.emplace(std::pair(row, column), message).second) return;
  ++count_;
  if (messages_.size() > kShown) messages_.erase(std::prev(messages_.end()));
}

void CellProblems::throw_if_any() const {
  if (count_ == 0) return;
  std::string text;
  for (const auto& [place, message] : messages_) text += (text.empty() ? "" : "\n") + message;
  if (count_ > messages_.size()) text += fmt::format("\nand {} more cells", count_ - messages_.size());
  throw Error(ErrorKind::kData, text);
}

std::optional<float> float_or_problem(const io::CsvTable& table, std::size_t row, std::size_t column,
                                      CellProblems& problems, const std::string& advice) {
  try {
    return float_at(table, row, column, advice);
  } catch (const Error& error) {
    problems.add(row, column, error.what());
    return std::nullopt;
  }
}

bool is_missing(std::string_view cell) {
  static const std::set<std::string_view> kNames = {"", "?", "NA", "N/A", "n/a", "nan", "NaN", "null", "NULL"};
  return kNames.count(cell) > 0;
}

std::vector<std::size_t> used_rows(const io::CsvTable& table, const std::vector<std::size_t>& columns,
                                   bool drop_missing, CellProblems& problems) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const auto gap = std::find_if(columns.begin(), columns.end(),
                                  [&](std::size_t column) { return is_missing(table.trimmed(r, column)); });
    if (gap != columns.end() && drop_missing) continue;
    rows.push_back(r);
    if (gap != columns.end())
      problems.add(r, *gap,
                   table.where(r, *gap) + ": a missing value; fill it, or drop such rows with data.missing: drop");
  }
  if (rows.empty()) throw Error(ErrorKind::kData, table.where(0, 0) + ": every row has a missing value");
  return rows;
}

void check_commas(const io::CsvTable& table, const std::vector<std::size_t>& rows, std::size_t column,
                  CellProblems& problems) {
  if (table.delimiter() == ',') return;
  std::optional<std::size_t> comma, point;  // the first rows with one
  bool thousands = true;
  for (const std::size_t row : rows) {
    if (!table.number(row, column)) continue;
    const std::string_view cell = table.trimmed(row, column);
    const bool has_comma = cell.find(',') != std::string_view::npos;
    if (has_comma && !comma) comma = row;
    if (cell.find('.') != std::string_view::npos && !point) point = row;
    if (has_comma && !may_be_thousands(cell)) thousands = false;
  }
  if (!comma) return;
  const std::string first = fmt::format("{}: got \"{}\"", table.where(*comma, column), table.trimmed(*comma, column));
  if (point)
    problems.add(*comma, column,
                 fmt::format("{} and on line {} \"{}\", expected one decimal sign in a column and no separators of "
                             "thousands",
                             first, table.line(*point), table.trimmed(*point, column)));
  else if (thousands)
    log().warn("{}, read as {}: a decimal comma, as every comma of this column; remove separators of thousands", first,
               *table.number(*comma, column));
}

}  // namespace scorevi::data
