#include <string>

#include "guard.h"
#include "scorevi/core/check.h"
#include "scorevi/io/safetensors.h"
#include "targets.h"

// What is read can be written and read again, with the same names and bytes.
int fuzz_safetensors(const std::uint8_t* data, std::size_t size) {
  using namespace scorevi;
  return fuzz::refuse_or_read([&] {
    const auto reader = io::SafetensorsReader::from_bytes(fuzz::view(data, size), "fuzz");
    io::NamedTensors tensors;
    std::size_t bytes = 0;
    for (const std::string& name : reader.names()) {
      tensors.emplace_back(name, reader.read(name));
      bytes += tensors.back().second.nbytes();
    }
    SCOREVI_CHECK_OP(bytes, <=, size);
    std::string again;
    io::stream_safetensors(tensors, reader.metadata(), [&](const void* part, std::size_t count) {
      again.append(static_cast<const char*>(part), count);
    });
    const auto second = io::SafetensorsReader::from_bytes(again, "again");
    SCOREVI_CHECK(second.names() == reader.names() && second.metadata() == reader.metadata());
    for (const std::string& name : reader.names()) {
      SCOREVI_CHECK(second.sha256(name) == reader.sha256(name));
    }
  });
}
