#include <string>

#include "guard.h"
#include "scorevi/core/check.h"
#include "scorevi/io/weight_file.h"
#include "targets.h"

// What is read from any format can be written as .pth and read again, with the same paths, dtypes, shapes and bytes.
int fuzz_weight_file(const std::uint8_t* data, std::size_t size) {
  using namespace scorevi;
  return fuzz::refuse_or_read([&] {
    const auto file = io::WeightFile::from_bytes(fuzz::view(data, size), "fuzz");
    io::NamedTensors tensors;
    for (const io::WeightInfo& tensor : file.tensors()) tensors.emplace_back(tensor.path, file.read(tensor.path));
    if (tensors.empty()) return;
    std::string again;
    io::stream_pth(tensors,
                   [&](const void* part, std::size_t count) { again.append(static_cast<const char*>(part), count); });
    const auto second = io::WeightFile::from_bytes(again, "again");
    SCOREVI_CHECK_OP(second.tensors().size(), ==, tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const io::WeightInfo& tensor = file.tensors()[i];
      SCOREVI_CHECK(second.tensors()[i].path == tensor.path && second.tensors()[i].shape == tensor.shape);
      SCOREVI_CHECK(second.tensors()[i].dtype == tensor.dtype);
      SCOREVI_CHECK(second.sha256(tensor.path) == file.sha256(tensor.path));
    }
  });
}
