#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "scorevi/core/error.h"
#include "scorevi/models/vision.h"

namespace scorevi::models {

at::Tensor resize_position_embedding(const at::Tensor& embedding, int64_t grid) {
  const bool tokens = embedding.dim() == 3 && embedding.size(0) == 1 && embedding.size(1) >= 2;
  const int64_t patches = tokens ? embedding.size(1) - 1 : 0;
  const auto old_grid = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(patches))));
  if (!tokens || old_grid * old_grid != patches) {
    throw Error(ErrorKind::kData, fmt::format("position embedding: got shape [{}], expected [1, 1 + grid^2, width]",
                                              fmt::join(embedding.sizes(), ", ")));
  }
  if (grid < 1)
    throw Error(ErrorKind::kUsage, fmt::format("position embedding: new grid, got {}, expected >= 1", grid));
  if (grid == old_grid) return embedding;
  const int64_t width = embedding.size(2);
  const at::Tensor picture =
      embedding.slice(/*dim=*/1, /*start=*/1).transpose(1, 2).reshape({1, width, old_grid, old_grid});
  const at::Tensor resized = at::upsample_bicubic2d(picture, {grid, grid}, /*align_corners=*/true);
  return at::cat({embedding.slice(1, 0, 1), resized.flatten(2).transpose(1, 2)}, /*dim=*/1);
}

}  // namespace scorevi::models
