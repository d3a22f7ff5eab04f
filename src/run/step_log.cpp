#include "step_log.h"

#include <cmath>

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

}  // namespace scorevi::run
