#include "test_file.h"

#include <set>
#include <string_view>
#include <utility>

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/data/encode.h"

namespace scorevi::data {
namespace {

// The bytes of one row of a contiguous tensor.
std::string_view bytes_of(const at::Tensor& values, std::int64_t row) {
  const auto size = static_cast<std::size_t>(values.stride(0)) * values.element_size();
  return {static_cast<const char*>(values.const_data_ptr()) + static_cast<std::size_t>(row) * size, size};
}

std::pair<std::string_view, std::string_view> row_of(const Dataset& dataset, std::int64_t row) {
  return {bytes_of(dataset.inputs, row), bytes_of(dataset.targets, row)};
}

// How many rows of `test` are rows of `train` too, input and target.
std::int64_t count_known(const Dataset& test, const Dataset& train) {
  std::set<std::pair<std::string_view, std::string_view>> known;
  for (std::int64_t row = 0; row < train.size(); ++row) known.insert(row_of(train, row));
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < test.size(); ++row) count += known.count(row_of(test, row)) > 0 ? 1 : 0;
  return count;
}

}  // namespace

void append_test_file(const DataOptions& options, Dataset& dataset) {
  DataOptions source = options;
  source.path = options.test_path;
  const Dataset test = read_labelled(source, dataset);
  if (at::equal(test.inputs, dataset.inputs) && at::equal(test.targets, dataset.targets))
    throw Error(ErrorKind::kData,
                fmt::format("data.test_path: {} holds the rows of data.path, {}, expected rows that are not trained on",
                            options.test_path, options.path));
  if (const std::int64_t known = count_known(test, dataset); known > 0)
    log().warn("data.test_path: {} of {} test rows in {} are among the training rows of {}, cell by cell", known,
               test.size(), options.test_path, options.path);
  dataset.official_train = dataset.size();
  dataset.description += ", tested on " + test.description;
  dataset.inputs = at::cat({dataset.inputs, test.inputs});
  dataset.targets = at::cat({dataset.targets, test.targets});
  dataset.files.insert(dataset.files.end(), test.files.begin(), test.files.end());
}

}  // namespace scorevi::data
