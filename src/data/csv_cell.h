// Numbers in the cells of a table. Private to data.
#pragma once

#include <cstddef>
#include <string>

#include "scorevi/io/csv.h"

namespace scorevi::data {

// The cell as a finite float. Error kData with its place where it is no number or out of range; `advice` ends the
// message about a text.
float float_at(const io::CsvTable& table, std::size_t row, std::size_t column, const std::string& advice = "");

}  // namespace scorevi::data
