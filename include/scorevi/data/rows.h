// Row numbers of a data set.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace scorevi::data {

// begin, begin + 1, ..., end - 1. Precondition: begin <= end.
inline std::vector<std::int64_t> rows_between(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(end - begin));
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

}  // namespace scorevi::data
