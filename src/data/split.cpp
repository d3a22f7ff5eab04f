#include "scorevi/data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/core/error.h"
#include "scorevi/data/rows.h"

namespace scorevi::data {
namespace {

using Rows = std::vector<std::int64_t>;

[[noreturn]] void bad_option(const std::string& what) { throw Error(ErrorKind::kUsage, "data." + what); }

// Seats for each class by largest remainder; ties go to the lower class. Sums to `count`.
Rows quotas(const Rows& class_sizes, std::int64_t count) {
  const auto total = std::accumulate(class_sizes.begin(), class_sizes.end(), std::int64_t{0});
  Rows seats;
  Rows remainder;
  std::int64_t given = 0;
  for (const std::int64_t size : class_sizes) {
    seats.push_back(count * size / total);
    remainder.push_back(count * size % total);
    given += seats.back();
  }
  std::vector<std::size_t> order(class_sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  for (std::size_t i = 0; given < count; ++i, ++given) ++seats[order[i]];
  return seats;
}

// Takes rows from the front of a random order, by class where stratified.
class Taker {
 public:
  Taker(const Dataset& dataset, bool stratified) : dataset_(dataset), stratified_(stratified) {}

  // Removes `count` rows from `pool` and returns them; both keep their order.
  Rows take(Rows& pool, std::int64_t count) const {
    if (count == 0) return {};
    Rows seats = {count};
    if (stratified_) {
      Rows sizes(static_cast<std::size_t>(dataset_.classes()), 0);
      for (const std::int64_t row : pool) ++sizes[class_of(row)];
      seats = quotas(sizes, count);
    }
    Rows taken;
    Rows left;
    for (const std::int64_t row : pool) {
      std::int64_t& seat = seats[stratified_ ? class_of(row) : 0];
      (seat > 0 ? taken : left).push_back(row);
      seat = std::max<std::int64_t>(seat - 1, 0);
    }
    pool = std::move(left);
    return taken;
  }

 private:
  std::size_t class_of(std::int64_t row) const {
    return static_cast<std::size_t>(dataset_.targets.const_data_ptr<std::int64_t>()[row]);
  }

  const Dataset& dataset_;
  bool stratified_;
};

void check_fraction(const char* name, double value) {
  if (!(value >= 0.0 && value < 1.0)) {
    bad_option(fmt::format("{}: got {}, expected at least 0 and below 1", name, value));
  }
}

std::int64_t part_of(double fraction, std::int64_t rows) {
  return static_cast<std::int64_t>(std::floor(fraction * static_cast<double>(rows)));
}

// The test rows: the official ones, else some of the first `count` rows. `pool` becomes the others of these in random
// order.
Rows take_test(const Dataset& dataset, const SplitOptions& options, const Taker& taker, std::int64_t count,
               Rows& pool) {
  pool = CounterRng(options.seed, Purpose::kSplit).permutation(count);
  const bool official = dataset.official_train >= 0 && dataset.official_train < dataset.size();
  return official ? rows_between(dataset.official_train, dataset.size())
                  : taker.take(pool, part_of(options.test_frac, count));
}

// The official parts as they are.
Split official_split(const Dataset& dataset, const SplitOptions& options, const Taker& taker) {
  if (dataset.official_validation == 0)
    bad_option("validation: official, but " + dataset.name + " has no official validation part");
  if (options.train_size != 0) bad_option("validation: official needs data.train_size 0, the whole training part");
  Split split;
  const std::int64_t first = dataset.official_train - dataset.official_validation;
  split.test = take_test(dataset, options, taker, first, split.train);
  split.validation = rows_between(first, dataset.official_train);
  return split;
}

// The test part, then a part of the others for training and validation; `pool` becomes the rest.
Split drawn_split(const Dataset& dataset, const SplitOptions& options, const Taker& taker, Rows& pool) {
  Split split;
  const std::int64_t count = dataset.official_train < 0 ? dataset.size() : dataset.official_train;
  split.test = take_test(dataset, options, taker, count, pool);
  const auto available = static_cast<std::int64_t>(pool.size());
  if (options.train_size < 0 || options.train_size > available) {
    bad_option(
        fmt::format("train_size: got {}, expected 0 (all) to {}, the rows of {} that are not "
                    "for testing",
                    options.train_size, available, dataset.name));
  }
  const std::int64_t wanted = options.train_size == 0 ? available : options.train_size;
  split.train = taker.take(pool, wanted);
  split.validation = taker.take(split.train, part_of(options.validation_frac, wanted));
  return split;
}

}  // namespace

Split make_split(const Dataset& dataset, const SplitOptions& options) {
  check_fraction("validation_frac", options.validation_frac);
  check_fraction("test_frac", options.test_frac);
  if (options.stratified && dataset.task != Task::kClassification) {
    bad_option("stratified: true needs classes, but the task is regression");
  }
  const Taker taker(dataset, options.stratified);
  Rows pool;
  Split split = options.official_validation ? official_split(dataset, options, taker)
                                            : drawn_split(dataset, options, taker, pool);
  if (split.train.empty() && dataset.official_train != 0) {
    bad_option(fmt::format("test_frac: no training row is left of {}", dataset.size()));
  }
  for (Rows* part : {&split.train, &split.validation, &split.test}) {
    std::sort(part->begin(), part->end());
  }
  check_split(split, dataset.size(), dataset.name);
  SCOREVI_CHECK_OP(split.train.size() + split.validation.size() + split.test.size() + pool.size(), ==,
                   static_cast<std::size_t>(dataset.size()));
  return split;
}

const std::vector<std::int64_t>& rows_of(const Split& split, std::string_view part) {
  if (part == "train") return split.train;
  if (part == "validation") return split.validation;
  SCOREVI_CHECK(part == "test");
  return split.test;
}

void check_split(const Split& split, std::int64_t rows, const std::string& where) {
  std::vector<bool> seen(static_cast<std::size_t>(rows), false);
  for (const Rows* part : {&split.train, &split.validation, &split.test}) {
    for (const std::int64_t row : *part) {
      if (row < 0 || row >= rows) {
        throw Error(ErrorKind::kData, fmt::format("{}: split holds row {}, expected 0 to {}", where, row, rows - 1));
      }
      if (seen[static_cast<std::size_t>(row)]) {
        throw Error(ErrorKind::kData, fmt::format("{}: split holds row {} twice", where, row));
      }
      seen[static_cast<std::size_t>(row)] = true;
    }
  }
}

}  // namespace scorevi::data
