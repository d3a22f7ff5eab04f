// The columns of a table behind the inputs of a trained network. Private to data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "csv_cell.h"
#include "scorevi/io/csv.h"

namespace scorevi::data {

struct InputColumn {
  std::string label;
  std::int64_t number = -1;                        // input of a numeric column
  std::map<std::string, std::int64_t> categories;  // input of each text
  std::string known;                               // the first texts, for messages
  std::size_t column = 0;                          // in the file
};

// Where `feature_names` are in the table, as encode_table says. Error kData: a missing column, or a file without a
// header in which positions say nothing.
std::vector<InputColumn> input_columns(const io::CsvTable& table, const std::vector<std::string>& feature_names,
                                       std::int64_t trained_columns);

// "column 3" of a file without a header is its third column, 2.
std::optional<std::size_t> number_of_column(const std::string& label);

// [rows, features] float32. Cells that are no numbers, or texts never seen in training, are problems.
at::Tensor encode_rows(const io::CsvTable& table, const std::vector<std::size_t>& rows,
                       const std::vector<InputColumn>& columns, std::size_t features, CellProblems& problems);

}  // namespace scorevi::data
