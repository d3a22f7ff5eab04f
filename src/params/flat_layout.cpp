#include "scorevi/params/flat_layout.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::params {

FlatLayout FlatLayout::single(int64_t n) {
  FlatLayout layout;
  layout.append("theta", {n});
  return layout;
}

void FlatLayout::append(const std::string& name, std::vector<int64_t> shape) {
  int64_t numel = 1;
  for (const int64_t size : shape) {
    SCOREVI_CHECK_OP(size, >=, 0);
    numel *= size;
  }
  for (const FlatEntry& entry : entries_) {
    if (entry.name == name) throw InternalError("layout: parameter \"" + name + "\" appears twice");
  }
  entries_.push_back({name, std::move(shape), dim_, numel});
  dim_ += numel;
}

FlatLayout FlatLayout::matrix_rows() const {
  FlatLayout rows;
  for (const FlatEntry& entry : entries_) rows.append(entry.name, {entry.numel, dim_});
  return rows;
}

const FlatEntry& FlatLayout::entry_at(int64_t index) const {
  SCOREVI_CHECK_OP(index, >=, 0);
  SCOREVI_CHECK_OP(index, <, dim_);
  const auto next = std::upper_bound(entries_.begin(), entries_.end(), index,
                                     [](int64_t value, const FlatEntry& entry) { return value < entry.offset; });
  return *std::prev(next);
}

std::string FlatLayout::element_name(int64_t index) const {
  const FlatEntry& entry = entry_at(index);
  if (entry.shape.empty()) return entry.name;
  std::vector<int64_t> position(entry.shape.size());
  int64_t rest = index - entry.offset;
  for (size_t axis = position.size(); axis-- > 0;) {
    position[axis] = rest % entry.shape[axis];
    rest /= entry.shape[axis];
  }
  return fmt::format("{}[{}]", entry.name, fmt::join(position, ","));
}

at::Tensor FlatLayout::view(const at::Tensor& flat, const FlatEntry& entry) const {
  SCOREVI_CHECK_OP(flat.dim(), ==, 1);
  SCOREVI_CHECK_OP(flat.size(0), ==, dim_);
  return flat.narrow(0, entry.offset, entry.numel).view(entry.shape);
}

void FlatLayout::add_to(StateDict& state, const std::string& prefix, const at::Tensor& flat) const {
  for (const FlatEntry& entry : entries_) state.add(prefix + "." + entry.name, view(flat, entry));
}

void FlatLayout::read_from(const StateDict& state, const std::string& prefix, at::Tensor flat) const {
  for (const FlatEntry& entry : entries_) {  // all checks before the first write
    const std::string name = prefix + "." + entry.name;
    const at::Tensor& stored = state.tensor(name);
    if (stored.sizes() != at::IntArrayRef(entry.shape)) {
      throw Error(ErrorKind::kData, fmt::format("{}: shape does not fit, got [{}], expected [{}]", name,
                                                fmt::join(stored.sizes(), ", "), fmt::join(entry.shape, ", ")));
    }
    if (stored.scalar_type() != flat.scalar_type()) {
      throw Error(ErrorKind::kData,
                  fmt::format("{}: type does not fit, got {}, expected {}", name, c10::toString(stored.scalar_type()),
                              c10::toString(flat.scalar_type())));
    }
  }
  const c10::NoGradGuard no_grad;
  for (const FlatEntry& entry : entries_) view(flat, entry).copy_(state.tensor(prefix + "." + entry.name));
}

}  // namespace scorevi::params
