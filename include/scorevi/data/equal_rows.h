// Rows that stand in two places: of a test that is no test.
#pragma once

#include <cstdint>
#include <vector>

#include "scorevi/data/dataset.h"

namespace scorevi::data {

struct RowsOf {
  const Dataset& dataset;
  const std::vector<std::int64_t>& rows;
};

enum class CompareRows { kInputs, kInputsAndTargets };

// How many of `rows` are among `known`, byte by byte: inputs, or the pixels of pictures in memory. Inputs of another
// shape or type are never equal. Rows are compared by 64-bit hashes: with 10^6 rows on either side one that is equal by
// chance has a probability below 1e-7. Memory: 8 bytes and a list entry per known row.
// Precondition: no picture files (Pictures::in_memory).
std::int64_t count_known(const RowsOf& rows, const RowsOf& known, CompareRows compare);

}  // namespace scorevi::data
