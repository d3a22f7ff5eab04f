#include "tensor_bytes.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace scorevi::io {
namespace {

// True also for an empty tensor: its strides mean nothing.
bool is_contiguous(const StoredTensor& tensor) {
  if (std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0) return true;
  std::int64_t expected = 1;
  for (std::size_t d = tensor.shape.size(); d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected) return false;
    expected *= tensor.shape[d];
  }
  return true;
}

// Copies `count` elements in row-major order, the first of them at `index`.
template <std::size_t kElement>
void gather(const StoredTensor& tensor, const std::string& piece, std::vector<std::int64_t> index, std::uint64_t count,
            char* out) {
  std::uint64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (tensor.shape[d] != 1) at += static_cast<std::uint64_t>(index[d] * tensor.strides[d]);
  }
  for (; count > 0; --count, out += kElement) {
    std::memcpy(out, piece.data() + at * kElement, kElement);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (tensor.shape[d] == 1) continue;
      at += static_cast<std::uint64_t>(tensor.strides[d]);
      if (++index[d] < tensor.shape[d]) break;
      at -= static_cast<std::uint64_t>(tensor.strides[d] * tensor.shape[d]);
      index[d] = 0;
    }
  }
}

}  // namespace

TensorBytes::TensorBytes(const StoredTensor& tensor)
    : tensor_(tensor), element_(element_bytes(tensor.type)), contiguous_(is_contiguous(tensor)) {
  if (contiguous_) return;
  std::uint64_t elements = 1;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] != 1) elements += static_cast<std::uint64_t>((tensor.shape[d] - 1) * tensor.strides[d]);
  }
  piece_.resize(elements * element_);
  tensor.storage.read(static_cast<std::uint64_t>(tensor.offset) * element_, piece_.size(), piece_.data());
}

void TensorBytes::load(std::uint64_t first, std::uint64_t count, void* out) const {
  if (contiguous_) {
    tensor_.storage.read((static_cast<std::uint64_t>(tensor_.offset) + first) * element_, count * element_, out);
    return;
  }
  std::vector<std::int64_t> index(tensor_.shape.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    const auto size = static_cast<std::uint64_t>(tensor_.shape[d]);
    index[d] = static_cast<std::int64_t>(first % size);
    first /= size;
  }
  char* to = static_cast<char*>(out);
  switch (element_) {
    case 1:
      return gather<1>(tensor_, piece_, std::move(index), count, to);
    case 2:
      return gather<2>(tensor_, piece_, std::move(index), count, to);
    case 4:
      return gather<4>(tensor_, piece_, std::move(index), count, to);
    default:
      return gather<8>(tensor_, piece_, std::move(index), count, to);
  }
}

}  // namespace scorevi::io
