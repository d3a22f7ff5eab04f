// Sections of the HTML report; each adds nothing where there is no data for it.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scorevi/metrics/html.h"
#include "scorevi/run/html_report.h"

namespace scorevi::run {

// Columns of metrics.csv by name; empty fields are NaN. Empty without the file.
using Curves = std::map<std::string, std::vector<double>>;
Curves read_curves(const RunDirectory& directory);

// True when the column exists and holds a finite number.
bool has_values(const Curves& curves, const std::string& column);

// A table of single rows of the data. It begins with the number of each, after its file where it comes from one of
// several.
class PlacedTable {
 public:
  // Columns after the place.
  explicit PlacedTable(std::vector<metrics::TableColumn> columns) : columns_(std::move(columns)) {}
  void add(const data::RowPlace& place, std::vector<metrics::TableCell> cells);
  metrics::DataTable table() const;

 private:
  std::vector<metrics::TableColumn> columns_;
  std::vector<data::RowPlace> places_;
  std::vector<std::vector<metrics::TableCell>> cells_;
};

void add_training(metrics::HtmlPage& page, const Curves& curves);
void add_sigma(metrics::HtmlPage& page, const Curves& curves, const EvaluationReport& report);
void add_calibration(metrics::HtmlPage& page, const EvaluationReport& report);
void add_values(metrics::HtmlPage& page, const EvaluationReport& report);
void add_mistakes(metrics::HtmlPage& page, const EvaluationReport& report);

}  // namespace scorevi::run
