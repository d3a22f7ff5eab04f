// Mini-batches of generated data.
#pragma once

#include <cstdint>
#include <vector>

namespace scorevi::targets {

// Cuts a new random order of the rows for every pass into consecutive batches; the last one of a pass may be smaller.
class RowBatches {
 public:
  // Batches of round(frac * rows) rows, at least one; 0 < frac <= 1.
  RowBatches(int64_t rows, double frac);

  // Whether a batch is less than all rows.
  bool partial() const { return size_ < rows_; }
  // The rows of a step: a function of (seed, step). O(rows) in the first step of a pass, O(batch) otherwise.
  std::vector<int64_t> rows_of(uint64_t seed, int64_t step);

 private:
  int64_t rows_, size_;
  uint64_t seed_ = 0;
  int64_t pass_ = -1;
  std::vector<int64_t> order_;  // of (seed_, pass_)
};

}  // namespace scorevi::targets
