// Soft targets: label smoothing, and mixtures of the pictures of a batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace scorevi::data {

// 0 switches a change off. With both mixup and cutmix a batch gets either, with equal probability.
struct MixOptions {
  // s of Szegedy et al., "Rethinking the Inception architecture", CVPR 2016: a target is (1 - s) onehot + s / C.
  double label_smoothing = 0;
  // alpha of lambda ~ Beta(alpha, alpha), at most 4. Zhang et al., "mixup", ICLR 2018.
  double mixup = 0;
  // The same. Yun et al., "CutMix", ICCV 2019.
  double cutmix = 0;

  bool any() const { return label_smoothing > 0 || mixup > 0 || cutmix > 0; }
};

// Throws Error(kUsage) that names the first entry out of range.
void validate(const MixOptions& options);

// Changes a batch as a function of (seed, epoch, batch). Row i is mixed with row i - 1, the first with the last; one
// lambda for all rows:
//   mixup:  x_i <- lambda x_i + (1 - lambda) x_(i-1)
//   cutmix: a box of the share 1 - lambda of the area, cut at the border, is taken from x_(i-1); lambda becomes the
//           share that is left.
// `inputs` [B, C, H, W] float32, contiguous, changed in place; `targets` [B] int64. Returns [B, classes] float32,
//   lambda y_i + (1 - lambda) y_(i-1) of the smoothed targets.
at::Tensor mix(const MixOptions& options, std::uint64_t seed, std::int64_t epoch, std::int64_t batch,
               const at::Tensor& inputs, const at::Tensor& targets, std::int64_t classes);

}  // namespace scorevi::data
