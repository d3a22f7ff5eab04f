// The results of a sweep as table, CSV and report.
#include <filesystem>
#include <optional>

#include "scorevi/core/atomic_file.h"
#include "scorevi/run/sweep.h"

namespace scorevi::run {

ResultTable sweep_results(const SweepOptions& options, const std::string& folder) {
  ResultTable table;
  table.title = options.name;
  table.axes = sweep_axes(options);
  table.metrics = options.metrics;
  table.baseline = options.baseline;
  for (const SweepMember& member : expand_sweep(options)) {
    const std::string path = folder + "/" + member.id;
    std::optional<RunDirectory> directory;
    if (std::filesystem::exists(path + "/" + files::kRun)) directory = RunDirectory::open(path);
    if (!directory || !directory->has_result()) {
      table.notes.push_back(no_result_note(member.id, path));
      continue;
    }
    ResultRow row = read_result(*directory, options.metrics);
    row.variant = member.variant;
    row.seed = member.seed;
    row.axes = member.axes;
    table.rows.push_back(std::move(row));
  }
  return table;
}

void write_sweep_results(const SweepOptions& options, const ResultTable& table, const std::string& folder) {
  write_file_atomic(folder + "/table.md", markdown_table(table));
  write_results_csv(table, folder + "/results.csv");
  write_table_report(table, folder + "/report.html", {options.axis, folder + "/figures"});
}

}  // namespace scorevi::run
