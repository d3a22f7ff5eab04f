#include "scorevi/data/equal_rows.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "scorevi/core/check.h"
#include "scorevi/io/image.h"

namespace scorevi::data {
namespace {

std::size_t hash_of(const void* bytes, std::size_t count) {
  return std::hash<std::string_view>{}({static_cast<const char*>(bytes), count});
}

// Of one row of a contiguous tensor.
std::size_t hash_of(const at::Tensor& values, std::int64_t row) {
  const auto size = static_cast<std::size_t>(values.stride(0)) * values.element_size();
  return hash_of(static_cast<const char*>(values.const_data_ptr()) + static_cast<std::size_t>(row) * size, size);
}

std::size_t row_hash(const Dataset& dataset, std::int64_t row, CompareRows compare) {
  std::size_t hash = 0;
  if (dataset.pictures) {
    const io::Image image = dataset.pictures->load(row);
    hash = hash_of(image.rgb.data(), image.rgb.size());
  } else {
    hash = hash_of(dataset.inputs, row);
  }
  constexpr std::size_t kOdd = 0x9E3779B97F4A7C15;  // spreads the bits of the inputs, so that parts cannot cancel
  return compare == CompareRows::kInputs ? hash : hash * kOdd + hash_of(dataset.targets, row);
}

bool same_kind(const Dataset& a, const Dataset& b) {
  if (a.pictures || b.pictures) return a.pictures && b.pictures;
  return a.inputs.scalar_type() == b.inputs.scalar_type() && a.input_shape() == b.input_shape();
}

}  // namespace

std::int64_t count_known(const RowsOf& rows, const RowsOf& known, CompareRows compare) {
  for (const Dataset* dataset : {&rows.dataset, &known.dataset})
    SCOREVI_CHECK(!dataset->pictures || dataset->pictures->in_memory());
  if (!same_kind(rows.dataset, known.dataset)) return 0;
  std::unordered_set<std::size_t> hashes;
  hashes.reserve(known.rows.size());
  for (const std::int64_t row : known.rows) hashes.insert(row_hash(known.dataset, row, compare));
  return std::count_if(rows.rows.begin(), rows.rows.end(),
                       [&](std::int64_t row) { return hashes.count(row_hash(rows.dataset, row, compare)) > 0; });
}

}  // namespace scorevi::data
