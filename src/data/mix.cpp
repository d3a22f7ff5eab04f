#include "scorevi/data/mix.h"

#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "augment_draws.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::data {
namespace {

constexpr double kMaxAlpha = 4.0;  // draw_beta() needs two tries at 1, about 70 at 4
constexpr std::uint64_t kFirstBetaWord = 16;

void check_range(const char* name, double value, double most) {
  if (value >= 0.0 && value <= most) return;
  throw Error(ErrorKind::kUsage, fmt::format("data.augment.{}: got {}, expected 0 to {}", name, value, most));
}

// Beta(alpha, alpha) by Joehnk's rejection: u^(1/alpha) / (u^(1/alpha) + v^(1/alpha)) where the sum is at most 1.
double draw_beta(const CounterRng& rng, double alpha) {
  for (std::uint64_t word = kFirstBetaWord;; word += 2) {
    const double log_x = std::log(rng.uniform(word)) / alpha;
    const double log_y = std::log(rng.uniform(word + 1)) / alpha;
    const double largest = std::max(log_x, log_y);
    const double log_sum = largest + std::log(std::exp(log_x - largest) + std::exp(log_y - largest));
    if (log_sum <= 0.0) return std::exp(log_x - log_sum);
  }
}

// Calls combine(row, row before, values) for all rows, the row before as it was.
template <class Combine>
void with_row_before(const at::Tensor& inputs, const Combine& combine) {
  const std::int64_t rows = inputs.size(0);
  const std::int64_t width = inputs.numel() / rows;
  float* values = inputs.mutable_data_ptr<float>();
  const std::vector<float> last(values + (rows - 1) * width, values + rows * width);
  for (std::int64_t row = rows - 1; row > 0; --row) combine(values + row * width, values + (row - 1) * width);
  combine(values, last.data());
}

void blend(const at::Tensor& inputs, double lambda) {
  const std::int64_t width = inputs.numel() / inputs.size(0);
  const auto keep = static_cast<float>(lambda);
  with_row_before(inputs, [&](float* row, const float* before) {
    for (std::int64_t i = 0; i < width; ++i) row[i] = keep * row[i] + (1.0F - keep) * before[i];
  });
}

// Returns the share of the area that is left.
double paste(const at::Tensor& inputs, double lambda, const CounterRng& rng) {
  const std::int64_t channels = inputs.size(1), height = inputs.size(2), width = inputs.size(3);
  const double half = 0.5 * std::sqrt(1.0 - lambda);
  const auto range = [&](std::int64_t side, std::uint64_t word) {
    const auto middle = static_cast<std::int64_t>(rng.uniform(word) * static_cast<double>(side));
    const auto reach = static_cast<std::int64_t>(half * static_cast<double>(side));
    return std::pair(std::max<std::int64_t>(0, middle - reach), std::min(side, middle + reach));
  };
  const auto [left, right] = range(width, 1);
  const auto [top, bottom] = range(height, 2);
  with_row_before(inputs, [&, left = left, right = right, top = top, bottom = bottom](float* row, const float* before) {
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t y = top; y < bottom; ++y) {
        const std::int64_t line = (c * height + y) * width;
        std::copy(before + line + left, before + line + right, row + line + left);
      }
  });
  return 1.0 - static_cast<double>((right - left) * (bottom - top)) / static_cast<double>(height * width);
}

}  // namespace

void validate(const MixOptions& options) {
  if (!(options.label_smoothing >= 0.0 && options.label_smoothing < 1.0))
    throw Error(ErrorKind::kUsage,
                fmt::format("data.augment.label_smoothing: got {}, expected 0 to below 1", options.label_smoothing));
  check_range("mixup", options.mixup, kMaxAlpha);
  check_range("cutmix", options.cutmix, kMaxAlpha);
}

at::Tensor mix(const MixOptions& options, std::uint64_t seed, std::int64_t epoch, std::int64_t batch,
               const at::Tensor& inputs, const at::Tensor& targets, std::int64_t classes) {
  SCOREVI_CHECK(inputs.dim() == 4 && inputs.is_contiguous() && inputs.scalar_type() == at::kFloat);
  const CounterRng rng(seed, Purpose::kMixing, counter_word(epoch), counter_word(batch));
  double lambda = 1.0;
  const bool cut = options.cutmix > 0 && (options.mixup == 0 || rng.uniform(0) < 0.5);
  if (cut) {
    lambda = paste(inputs, draw_beta(rng, options.cutmix), rng);
  } else if (options.mixup > 0) {
    lambda = draw_beta(rng, options.mixup);
    blend(inputs, lambda);
  }
  const std::int64_t rows = targets.size(0);
  const auto rest = static_cast<float>(options.label_smoothing / static_cast<double>(classes));
  const at::Tensor soft = at::full({rows, classes}, rest, at::kFloat);
  const std::int64_t* labels = targets.const_data_ptr<std::int64_t>();
  float* out = soft.mutable_data_ptr<float>();
  const double sure = 1.0 - options.label_smoothing;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t before = row == 0 ? rows - 1 : row - 1;
    out[row * classes + labels[row]] += static_cast<float>(sure * lambda);
    out[row * classes + labels[before]] += static_cast<float>(sure * (1.0 - lambda));
  }
  return soft;
}

}  // namespace scorevi::data
