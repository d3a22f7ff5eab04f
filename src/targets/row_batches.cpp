#include "scorevi/targets/row_batches.h"

#include <algorithm>
#include <cmath>

#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"

namespace scorevi::targets {

RowBatches::RowBatches(int64_t rows, double frac)
    : rows_(rows), size_(std::max<int64_t>(1, std::llround(frac * static_cast<double>(rows)))) {
  SCOREVI_CHECK(frac > 0 && frac <= 1);
}

std::vector<int64_t> RowBatches::rows_of(uint64_t seed, int64_t step) {
  const int64_t batches = (rows_ + size_ - 1) / size_;
  const int64_t pass = step / batches;
  if (pass != pass_ || seed != seed_) {
    order_ = CounterRng(seed, Purpose::kShuffle, static_cast<uint32_t>(pass)).permutation(rows_);
    pass_ = pass;
    seed_ = seed;
  }
  const int64_t begin = step % batches * size_;
  return {order_.begin() + begin, order_.begin() + std::min(begin + size_, rows_)};
}

}  // namespace scorevi::targets
