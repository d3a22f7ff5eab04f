// What a loader and its streams share. Private to data.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "scorevi/data/loader.h"

namespace scorevi::data {

struct Loader::State {
  Dataset dataset;
  std::vector<std::int64_t> rows;
  Normalisation normalisation;
  LoaderOptions options;
  std::optional<PixelScale> pixel_scale;  // of pictures

  std::int64_t size() const { return static_cast<std::int64_t>(rows.size()); }
  std::int64_t batches() const { return (size() + options.batch_size - 1) / options.batch_size; }
  std::vector<std::int64_t> order(std::int64_t epoch) const;
  // Batch `number` of the given order; an undefined result once `stop` is true.
  Batch make(std::int64_t epoch, std::int64_t number, const std::vector<std::int64_t>& order,
             const std::atomic<bool>& stop) const;

 private:
  void fill_picture(std::int64_t epoch, std::int64_t row, float* out) const;
  // The inputs of one row, `width` floats.
  void fill_row(std::int64_t epoch, std::int64_t row, std::int64_t width, float* out) const;
  void fill_target(std::int64_t row, std::int64_t position, const at::Tensor& targets) const;
};

}  // namespace scorevi::data
