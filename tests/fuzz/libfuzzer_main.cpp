// libFuzzer entry: the environment variable SCOREVI_FUZZ_TARGET names the reader.
#include <cstdlib>
#include <string>

#include "scorevi/core/factory.h"
#include "targets.h"

using RunTarget = int (*)(const std::uint8_t*, std::size_t);

static RunTarget chosen_target() {
  const char* name = std::getenv("SCOREVI_FUZZ_TARGET");
  const scorevi::Factory<RunTarget> table("fuzz target", {{"checkpoint", "", fuzz_checkpoint},
                                                          {"config", "", fuzz_config},
                                                          {"csv", "", fuzz_csv},
                                                          {"idx", "", fuzz_idx},
                                                          {"image", "", fuzz_image},
                                                          {"lists", "", fuzz_lists},
                                                          {"mat", "", fuzz_mat},
                                                          {"posterior", "", fuzz_posterior},
                                                          {"safetensors", "", fuzz_safetensors},
                                                          {"weight_file", "", fuzz_weight_file}});
  return table.find(name == nullptr ? "" : name).make;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const RunTarget run = chosen_target();
  return run(data, size);
}
