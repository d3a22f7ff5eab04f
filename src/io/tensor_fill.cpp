#include "tensor_fill.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scorevi/core/error.h"
#include "scorevi/core/sha256.h"

namespace scorevi::io {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{16} << 20;

void load_checked(const TensorInFile& tensor, std::uint64_t first, std::uint64_t count, void* out) {
  tensor.load(first, count, out);
  if (tensor.dtype != at::kBool) return;
  const auto* bytes = static_cast<const std::uint8_t*>(out);
  if (std::any_of(bytes, bytes + count, [](std::uint8_t value) { return value > 1; })) {
    tensor.fail("holds a BOOL byte that is neither 0 nor 1");
  }
}

std::uint64_t elements_of(const TensorInFile& tensor) {
  std::uint64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

}  // namespace

void TensorInFile::fail(const std::string& what) const {
  throw Error(ErrorKind::kData, fmt::format("{}: tensor \"{}\" {}", file, name, what));
}

at::Tensor new_tensor(const TensorInFile& tensor) {
  at::Tensor out = at::empty(tensor.shape, tensor.dtype);
  load_checked(tensor, 0, static_cast<std::uint64_t>(out.numel()), out.mutable_data_ptr());
  return out;
}

void fill_tensor(const TensorInFile& tensor, at::Tensor& destination) {
  if (destination.sizes() != at::IntArrayRef(tensor.shape)) {
    tensor.fail(fmt::format("has shape [{}], expected [{}]", fmt::join(tensor.shape, ", "),
                            fmt::join(destination.sizes().vec(), ", ")));
  }
  const bool same = destination.scalar_type() == tensor.dtype;
  const bool floats = c10::isFloatingType(tensor.dtype) && destination.is_floating_point();
  if (!same && !floats) {
    tensor.fail(fmt::format("has dtype {}, expected {}", c10::toString(tensor.dtype),
                            c10::toString(destination.scalar_type())));
  }
  at::Tensor target = destination.detach();
  const auto count = static_cast<std::uint64_t>(target.numel());
  if (same && target.is_cpu() && target.is_contiguous()) {
    load_checked(tensor, 0, count, target.mutable_data_ptr());
  } else if (target.is_contiguous()) {
    target = target.view({-1});
    const std::uint64_t step = kChunkBytes / c10::elementSize(tensor.dtype);
    at::Tensor chunk = at::empty({static_cast<std::int64_t>(std::min(step, count))}, tensor.dtype);
    for (std::uint64_t first = 0; first < count; first += step) {
      const auto part = static_cast<std::int64_t>(std::min(step, count - first));
      load_checked(tensor, first, static_cast<std::uint64_t>(part), chunk.mutable_data_ptr());
      target.narrow(0, static_cast<std::int64_t>(first), part).copy_(chunk.narrow(0, 0, part));
    }
  } else {
    target.copy_(new_tensor(tensor));
  }
}

std::string sha256_of_tensor(const TensorInFile& tensor) {
  Sha256 digest;
  const std::uint64_t element = c10::elementSize(tensor.dtype);
  const std::uint64_t count = elements_of(tensor);
  const std::uint64_t step = kChunkBytes / element;
  std::string chunk(std::min(step, count) * element, '\0');
  for (std::uint64_t first = 0; first < count; first += step) {
    const std::uint64_t part = std::min(step, count - first);
    tensor.load(first, part, chunk.data());
    digest.update(chunk.data(), part * element);
  }
  return digest.hex();
}

}  // namespace scorevi::io
