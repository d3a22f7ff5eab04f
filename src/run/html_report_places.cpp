// Tables of single rows of the data.
#include <algorithm>

#include "html_report_parts.h"

namespace scorevi::run {

void PlacedTable::add(const data::RowPlace& place, std::vector<metrics::TableCell> cells) {
  places_.push_back(place);
  cells_.push_back(std::move(cells));
}

metrics::DataTable PlacedTable::table() const {
  const bool files =
      std::any_of(places_.begin(), places_.end(), [](const data::RowPlace& place) { return !place.file.empty(); });
  metrics::DataTable table;
  if (files) table.columns.push_back({"file", false});
  table.columns.push_back({"row"});
  table.columns.insert(table.columns.end(), columns_.begin(), columns_.end());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    std::vector<metrics::TableCell>& row = table.rows.emplace_back();
    if (files) row.emplace_back(places_[i].file);
    row.emplace_back(std::to_string(places_[i].row));
    row.insert(row.end(), cells_[i].begin(), cells_[i].end());
  }
  return table;
}

}  // namespace scorevi::run
