#include "run_info.h"

#include <fstream>

#include <ATen/Parallel.h>
#include <torch/torch.h>
#include <torch/version.h>

#include "scorevi/core/sha256.h"
#include "scorevi/kernels/exec.h"
#include "scorevi/run/commands.h"

namespace scorevi::run {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string cuda_text() {
  const std::string reason = kernels::cuda_unavailable_reason();
  return reason.empty() ? std::to_string(torch::cuda::device_count()) + " device(s)" : reason;
}

}  // namespace

nlohmann::json environment_info() {
  return {{"scorevi", version()},
          {"libtorch", TORCH_VERSION},
          {"compiler", __VERSION__},
          {"processor", processor_name()},
          {"cuda", cuda_text()}};
}

nlohmann::json experiment_info(const Experiment& experiment) {
  const DataParts& data = experiment.data;
  const std::vector<std::string> buffers = experiment.buffers();
  nlohmann::json weights = nullptr;
  if (!experiment.pretrained.path.empty())
    weights = {{"path", experiment.pretrained.path},
               {"sha256", experiment.pretrained.sha256},
               {"tensors", experiment.pretrained.tensors},
               {"head", experiment.pretrained.head_use}};
  return {{"weights", weights},
          {"method", experiment.options.method.name},
          {"seed", experiment.options.seed},
          {"device", experiment.device},
          {"threads", at::get_num_threads()},
          {"data",
           {{"name", data.dataset.name},
            {"rows", data.dataset.size()},
            {"sha256", data.fingerprint},
            {"train", data.split.train.size()},
            {"validation", data.split.validation.size()},
            {"test", data.split.test.size()}}},
          {"parameters", experiment.target->dim()},
          {"parameter_buffers", buffers},
          {"parameter_buffer_bytes", experiment.buffer_bytes()}};
}

std::string run_id(const Experiment& experiment, const std::string& resolved) {
  constexpr std::size_t kDigits = 16;
  Sha256 hash;
  hash.update(resolved);
  hash.update(experiment.data.fingerprint);
  const data::Split& split = experiment.data.split;
  for (const std::vector<int64_t>* rows : {&split.train, &split.validation, &split.test})
    hash.update(rows->data(), rows->size() * sizeof(int64_t));
  return experiment.options.name + "-" + hash.hex().substr(0, kDigits);
}

}  // namespace scorevi::run
