// Arrays of whole numbers in MATLAB files of level 5 (.mat, as `save` writes them up to version 7), read with matio.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scorevi::io {

inline constexpr std::int64_t kMaxMatBytes = std::int64_t{16} << 20;   // of a file
inline constexpr std::int64_t kMaxMatNumbers = std::int64_t{1} << 20;  // of an array

// The numbers of the array `variable`, column by column. The file may hold other arrays of numbers, packed or not.
// matio allocates what a file claims; here every claim is checked before matio sees it, so that memory stays below
// three times the file's bytes plus 32 bytes for each number of the largest array.
// Error kData: the file is missing, larger than kMaxMatBytes, no little-endian file of level 5, truncated or damaged;
// it holds something else than real arrays with two dimensions and at most kMaxMatNumbers numbers; the variable is
// missing (the message lists what there is) or holds a number that is not whole.
std::vector<std::int64_t> read_mat_integers(const std::string& path, const std::string& variable);

}  // namespace scorevi::io
