// Inputs as small pictures for pages.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "scorevi/data/dataset.h"
#include "scorevi/metrics/png.h"

namespace scorevi::run {

// One input as an 8-bit picture, [H, W] or [3, H, W], its short side at most 112 pixels for pictures of files;
// undefined when inputs are no images.
at::Tensor thumbnail(const data::Dataset& dataset, int64_t row);

// The same for a page.
metrics::Picture page_picture(const at::Tensor& picture);

}  // namespace scorevi::run
