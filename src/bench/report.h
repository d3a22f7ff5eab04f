// Tables and pictures of a bench.
#pragma once

#include <string>
#include <vector>

#include "options.h"
#include "summary.h"

namespace scorevi::bench {

// Markdown, a table for each target.
std::string tables_markdown(const BenchOptions& options, const std::vector<TargetSummary>& targets);

// Writes table.md, results.csv, curves.csv, report.html and figures/*.svg.
void write_report(const BenchOptions& options, const std::string& resolved, const std::vector<TargetSummary>& targets,
                  const std::string& folder);

struct Figure {
  std::string file;  // within figures/
  std::string svg;
  std::string caption;
};

// Error and divergence against evaluations, contours in two dimensions, heat maps of a robustness study.
std::vector<Figure> figures_of(const BenchOptions& options, const TargetSummary& target);

}  // namespace scorevi::bench
