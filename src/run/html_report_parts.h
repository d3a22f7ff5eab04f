// Sections of the HTML report; each adds nothing where there is no data for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scorevi/metrics/html.h"
#include "scorevi/run/html_report.h"

namespace scorevi::run {

// Columns of metrics.csv by name; empty fields are NaN. Empty without the file.
using Curves = std::map<std::string, std::vector<double>>;
Curves read_curves(const RunDirectory& directory);

// True when the column exists and holds a finite number.
bool has_values(const Curves& curves, const std::string& column);

void add_training(metrics::HtmlPage& page, const Curves& curves);
void add_sigma(metrics::HtmlPage& page, const Curves& curves, const EvaluationReport& report);
void add_calibration(metrics::HtmlPage& page, const EvaluationReport& report);
void add_values(metrics::HtmlPage& page, const EvaluationReport& report);
void add_mistakes(metrics::HtmlPage& page, const EvaluationReport& report);

}  // namespace scorevi::run
