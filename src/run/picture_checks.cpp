#include "picture_checks.h"

#include <chrono>

#include <fmt/format.h>

#include "scorevi/core/cores.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"

namespace scorevi::run {
namespace {

bool end_a_run(const data::DataOptions& source, const data::PictureForm& form) {
  return source.on_bad_image == "error" || form.resize == 0;
}

}  // namespace

void refuse_bad_pictures(const std::vector<data::Pictures::Bad>& bad, const data::DataOptions& source,
                         const data::PictureForm& form) {
  if (bad.empty() || !end_a_run(source, form)) return;
  if (form.resize == 0)
    throw Error(ErrorKind::kData, fmt::format("data.image.resize: 0 takes pictures as they are, and {} cannot be used, "
                                              "the first is {}",
                                              bad.size(), bad.front().reason));
  throw Error(ErrorKind::kData, fmt::format("data.on_bad_image: {} pictures cannot be decoded, the first is {}; use "
                                            "skip or substitute, or remove them",
                                            bad.size(), bad.front().reason));
}

void check_evaluated_pictures(const DataParts& data, const data::DataOptions& source) {
  const data::Dataset& dataset = data.dataset;
  if (!dataset.pictures || dataset.pictures->in_memory() || !end_a_run(source, dataset.form)) return;
  std::vector<int64_t> rows = data.split.validation;
  rows.insert(rows.end(), data.split.test.begin(), data.split.test.end());
  if (rows.empty()) return;
  log().info("{}: decoding the {} validation and test pictures once", dataset.name, rows.size());
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<data::Pictures::Bad> bad = dataset.pictures->bad_rows(rows, dataset.form, core_count());
  refuse_bad_pictures(bad, source, dataset.form);
  log().info("{}: all of them can be used ({:.1f} s)", dataset.name,
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

}  // namespace scorevi::run
