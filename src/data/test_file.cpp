#include "test_file.h"

#include <utility>
#include <vector>

#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/data/encode.h"
#include "scorevi/data/equal_rows.h"
#include "scorevi/data/rows.h"

namespace scorevi::data {
namespace {

std::int64_t count_trained(const Dataset& test, const Dataset& train) {
  const std::vector<std::int64_t> test_rows = rows_between(0, test.size()), train_rows = rows_between(0, train.size());
  return count_known({test, test_rows}, {train, train_rows}, CompareRows::kInputsAndTargets);
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
  if (const std::int64_t known = count_trained(test, dataset); known > 0)
    log().warn("data.test_path: {} of {} test rows in {} are among the training rows of {}, cell by cell", known,
               test.size(), options.test_path, options.path);
  dataset.official_train = dataset.size();
  dataset.description += ", tested on " + test.description;
  dataset.inputs = at::cat({dataset.inputs, test.inputs});
  dataset.targets = at::cat({dataset.targets, test.targets});
  dataset.files.insert(dataset.files.end(), test.files.begin(), test.files.end());
}

}  // namespace scorevi::data
