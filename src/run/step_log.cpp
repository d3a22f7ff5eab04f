#include "step_log.h"

#include <cmath>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "scorevi/core/error.h"

namespace scorevi::run {

StepLog::StepLog(const std::string& path, bool go_on)
    : path_(path), file_(path, go_on ? std::ios::app : std::ios::trunc) {
  if (!file_) throw Error(ErrorKind::kRuntime, path + ": cannot write the step log");
}

void StepLog::write(int64_t step, int64_t epoch, double lr, double nll, const inference::StepStats& stats) {
  nlohmann::ordered_json line;
  line["step"] = step;
  line["epoch"] = epoch;
  const auto put = [&line](const char* key, double value) {
    if (std::isfinite(value)) line[key] = value;
  };
  put("lr", lr);
  put("loss", stats.loss);
  put("nll", nll);
  put("kl", stats.kl);
  put("matching", stats.matching);
  put("proximal", stats.proximal);
  put("alpha", stats.alpha);
  put("grad_norm", stats.gradient_norm);
  put("sigma_min", stats.sigma_min);
  put("sigma_mean", stats.sigma_mean);
  put("sigma_max", stats.sigma_max);
  file_ << line.dump() + "\n" << std::flush;
  if (!file_) throw Error(ErrorKind::kRuntime, path_ + ": cannot write the step log; is the disk full?");
}

int64_t file_bytes(const std::string& path) {
  std::error_code code;
  const auto size = std::filesystem::file_size(path, code);
  return code ? 0 : static_cast<int64_t>(size);
}

void truncate_file(const std::string& path, int64_t bytes) {
  if (file_bytes(path) <= bytes) return;
  std::error_code code;
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes), code);
  if (code)
    throw Error(ErrorKind::kRuntime,
                path + ": cannot cut the file to " + std::to_string(bytes) + " bytes: " + code.message());
}

void keep_lines(const std::string& path, int64_t lines) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  int64_t bytes = 0;
  for (int64_t i = 0; i < lines && std::getline(file, line); ++i) bytes += static_cast<int64_t>(line.size()) + 1;
  truncate_file(path, bytes);
}

}  // namespace scorevi::run
