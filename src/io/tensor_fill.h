// From stored elements to tensors: what all weight formats share. Private to io.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace scorevi::io {

// A tensor of a file, as it is stored. `load` gives its elements [first, first + count) in row-major order.
struct TensorInFile {
  const std::string& file;
  const std::string& name;
  at::ScalarType dtype;
  const std::vector<std::int64_t>& shape;
  std::function<void(std::uint64_t first, std::uint64_t count, void* out)> load;

  [[noreturn]] void fail(const std::string& what) const;  // Error kData: "file: tensor "name" <what>"
};

// A new contiguous CPU tensor. Error kData also where a BOOL byte is neither 0 nor 1.
at::Tensor new_tensor(const TensorInFile& tensor);

// Fills `destination` of the same shape, on any device: floating-point values are converted, other dtypes must be
// equal (Error kData otherwise). A contiguous destination costs at most 16 MiB besides itself.
void fill_tensor(const TensorInFile& tensor, at::Tensor& destination);

// SHA-256 of the elements as they are stored.
std::string sha256_of_tensor(const TensorInFile& tensor);

}  // namespace scorevi::io
