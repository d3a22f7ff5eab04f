// Cells of a table: numbers, gaps, and what is wrong with them. Private to data.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scorevi/io/csv.h"

namespace scorevi::data {

// The cell as a finite float. Error kData with its place where it is no number or out of range; `advice` ends the
// message about a text.
float float_at(const io::CsvTable& table, std::size_t row, std::size_t column, const std::string& advice = "");

// What is wrong with cells, told at once in the order of the file.
class CellProblems {
 public:
  // One message for each cell, the first.
  void add(std::size_t row, std::size_t column, const std::string& message);
  // Error kData with the first ten messages, one a line, and how many cells more.
  void throw_if_any() const;

 private:
  static constexpr std::size_t kShown = 10;
  std::map<std::pair<std::size_t, std::size_t>, std::string> messages_;  // the first ones
  std::size_t count_ = 0;
};

// float_at, or a problem and nothing.
std::optional<float> float_or_problem(const io::CsvTable& table, std::size_t row, std::size_t column,
                                      CellProblems& problems, const std::string& advice = "");

// An empty cell, ?, NA, NaN, null ...
bool is_missing(std::string_view cell);

// The rows that are read. With `drop_missing` those without a gap in `columns`, and Error kData where none is left;
// else all, and the first gap of each row is a problem.
std::vector<std::size_t> used_rows(const io::CsvTable& table, const std::vector<std::size_t>& columns,
                                   bool drop_missing, CellProblems& problems);

// Where the delimiter is no comma, a comma in a number is a decimal one. Cells with a comma beside cells with a point
// in one column are a problem; commas that all stand where separators of thousands stand are told in the log.
void check_commas(const io::CsvTable& table, const std::vector<std::size_t>& rows, std::size_t column,
                  CellProblems& problems);

}  // namespace scorevi::data
