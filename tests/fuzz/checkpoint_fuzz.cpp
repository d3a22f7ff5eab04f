#include "guard.h"
#include "scorevi/core/check.h"
#include "scorevi/io/checkpoint.h"
#include "targets.h"

int fuzz_checkpoint(const std::uint8_t* data, std::size_t size) {
  using namespace scorevi;
  return fuzz::refuse_or_read([&] {
    const params::StateDict state = io::parse_checkpoint(fuzz::view(data, size), "fuzz");
    for (const auto& [key, value] : state.metadata) SCOREVI_CHECK(key.rfind("scorevi.", 0) != 0);
    for (const auto& [name, tensor] : state.tensors) SCOREVI_CHECK(tensor.defined());
  });
}
