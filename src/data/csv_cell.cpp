#include "csv_cell.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "scorevi/core/error.h"

namespace scorevi::data {

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

}  // namespace scorevi::data
