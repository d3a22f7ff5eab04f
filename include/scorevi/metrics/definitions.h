// What each reported number means: one table for console, JSON, Markdown and HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scorevi::metrics {

struct MetricDefinition {
  std::string_view key;         // in report.json and CSV
  std::string_view name;        // for people
  std::string_view unit;        // "fraction", "nats", ...
  std::string_view definition;  // one sentence
  int better;                   // +1 higher, -1 lower, 0 neither
};

const std::vector<MetricDefinition>& metric_definitions();

// The entry of a key, or nullptr.
const MetricDefinition* find_metric(std::string_view key);

}  // namespace scorevi::metrics
