// Which rows are for training, validation and testing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scorevi/data/dataset.h"

namespace scorevi::data {

struct SplitOptions {
  std::uint64_t seed = 0;
  std::int64_t train_size = 0;       // rows for training and validation together; 0: all there are
  double validation_frac = 0.0;      // of these rows, rounded down
  bool official_validation = false;  // the official validation part instead, where there is one; train_size is 0 then
  double test_frac = 0.5;            // of the set, or of its training part; where there is no official test part
  bool stratified = false;           // keep the class proportions (classification)
};

// Row numbers, ascending in each part. The parts are disjoint; rows in none of them (a small
// train_size) are not used.
struct Split {
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> validation;
  std::vector<std::int64_t> test;
};

// A function of the data set's size (and labels, where stratified) and the options alone. The test
// part does not depend on train_size or validation_frac. It is the official one where there is one; of a set that has
// official training rows only it is a part of these, rounded down.
// Not stratified, a smaller train_size takes a subset of the rows of a larger one.
// Error kUsage: fractions outside [0, 1), more rows asked for than there are, no training row left,
// or stratified regression. A set that has its test part only gives empty train and validation.
Split make_split(const Dataset& dataset, const SplitOptions& options);

// Of a part: train | validation | test.
const std::vector<std::int64_t>& rows_of(const Split& split, std::string_view part);

// Error kData where a row is out of range for `rows` rows, or in two parts, or twice in one.
void check_split(const Split& split, std::int64_t rows, const std::string& where);

// {"format": 1, "rows": N, "train": [...], "validation": [...], "test": [...]}
std::string split_to_json(const Split& split, std::int64_t rows);
// Error kData: not that format, made for another number of rows, or not a split.
Split split_from_json(std::string_view json, std::int64_t rows, const std::string& where);

// The same in a file, written atomically.
void save_split(const std::string& path, const Split& split, std::int64_t rows);
Split load_split(const std::string& path, std::int64_t rows);

}  // namespace scorevi::data
