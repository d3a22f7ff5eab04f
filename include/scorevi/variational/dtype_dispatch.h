// Runs templated code for the element type of a tensor.
#pragma once

#include <utility>

#include <ATen/core/Tensor.h>

#include "scorevi/core/check.h"

namespace scorevi::variational {

// Calls f(float{}) or f(double{}), whichever `like` holds. Other element types are our bug.
template <class F>
decltype(auto) for_dtype(const at::Tensor& like, F&& f) {
  SCOREVI_CHECK(like.scalar_type() == at::kFloat || like.scalar_type() == at::kDouble);
  if (like.scalar_type() == at::kFloat) return std::forward<F>(f)(float{});
  return std::forward<F>(f)(double{});
}

}  // namespace scorevi::variational
