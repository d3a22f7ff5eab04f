// The numbers of a finished run, read back from its files.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/terminal.h"
#include "scorevi/run/table.h"

namespace scorevi::run {
namespace {

constexpr double kNaN = metrics::ClassificationResult::kNaN;
constexpr std::int64_t kMaxReportBytes = 64 << 20;

double number(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : kNaN;
}

metrics::Interval interval_of(const nlohmann::json& all, const std::string& metric) {
  metrics::Interval result;
  const auto found = all.find(metric);
  if (found != all.end() && found->is_object()) {
    result.value = number(*found, "value");
    result.low = number(*found, "low");
    result.high = number(*found, "high");
  } else if (metric == "error" && all.contains("accuracy")) {
    const metrics::Interval accuracy = interval_of(all, "accuracy");
    result.value = 1 - accuracy.value;
    result.low = 1 - accuracy.high;
    result.high = 1 - accuracy.low;
  }
  return result;
}

}  // namespace

ResultRow read_result(const RunDirectory& directory, const std::vector<std::string>& metrics) {
  const std::string path = directory.file(files::kReport);
  if (!directory.has(files::kReport))
    throw Error(ErrorKind::kData, directory.path() + ": holds no " + std::string(files::kReport) +
                                      ", expected a finished run; go on with --resume " + directory.path());
  ResultRow row;
  row.path = directory.path();
  try {
    const nlohmann::json report = nlohmann::json::parse(read_file(path, kMaxReportBytes));
    for (const std::string& metric : metrics) row.values.push_back(interval_of(report.at("metrics"), metric));
    row.split = report.value("split", "");
    row.n = report.value("n", std::int64_t{0});
    row.samples = report.value("samples", std::int64_t{0});
    row.variant = report.value("method", "");
    if (report.contains("bins")) row.ece_bins = static_cast<std::int64_t>(report.at("bins").size());
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::kData, path + ": not a report of scorevi: " + error.what());
  }
  const nlohmann::json info = directory.info();
  row.evaluations = number(info, "evaluations");
  row.seconds = number(info, "train_s");
  return row;
}

std::string no_result_note(const std::string& name, const std::string& folder) {
  const std::string start = "No result of " + name + ": ";
  if (!std::filesystem::exists(folder + "/" + files::kRun)) return start + "it has not started.";
  const nlohmann::json info = RunDirectory::open(folder).info();
  const std::string status = info.value("status", "unknown state"), reason = info.value("reason", "");
  if (status == status_name(RunStatus::kFinished))
    return start + "finished, and holds no " + files::kReport + "; evaluate it with: scorevi evaluate " +
           shell_word(folder) + ".";
  return start + status + (reason.empty() ? "" : ", " + reason) + ".";
}

}  // namespace scorevi::run
