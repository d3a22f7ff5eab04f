// The elements of a stored tensor in row-major order, whatever its strides. Private to io.
#pragma once

#include <cstdint>
#include <string>

#include "torch_file.h"

namespace scorevi::io {

// Holds, for a tensor that is not contiguous, the piece of its storage that it uses. `tensor` must outlive it.
class TensorBytes {
 public:
  explicit TensorBytes(const StoredTensor& tensor);

  // Elements [first, first + count) to `out`. Precondition: they are there. Error kData where the file cannot be read
  // any more.
  void load(std::uint64_t first, std::uint64_t count, void* out) const;

 private:
  const StoredTensor& tensor_;
  std::uint64_t element_;
  bool contiguous_;
  std::string piece_;  // from the first element of the tensor on
};

}  // namespace scorevi::io
