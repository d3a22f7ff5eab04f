#include "picture_checks.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "scorevi/core/cores.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"

namespace scorevi::run {
namespace {

bool end_a_run(const data::DataOptions& source, const data::PictureForm& form) {
  return source.on_bad_image == "error" || form.resize == 0;
}

// Grey pictures stand in for bad ones, but not for all of a part.
void refuse_bad_part(const std::vector<data::Pictures::Bad>& bad, const data::Dataset& dataset, const char* part,
                     const std::vector<int64_t>& rows) {
  const auto is_bad = [&bad](int64_t row) {
    return std::any_of(bad.begin(), bad.end(),
                       [row](const data::Pictures::Bad& picture) { return picture.row == row; });
  };
  if (!rows.empty() && std::all_of(rows.begin(), rows.end(), is_bad))
    throw Error(ErrorKind::kData, fmt::format("{}: none of the {} {} pictures can be read, the first is {}",
                                              dataset.name, rows.size(), part, dataset.pictures->name(rows.front())));
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
  const bool left_out_before = source.on_bad_image == "skip" && dataset.form.resize > 0;
  if (!dataset.pictures || dataset.pictures->in_memory() || left_out_before) return;
  std::vector<int64_t> rows = data.split.validation;
  rows.insert(rows.end(), data.split.test.begin(), data.split.test.end());
  if (rows.empty()) return;
  log().info("{}: decoding the {} validation and test pictures once", dataset.name, rows.size());
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<data::Pictures::Bad> bad = dataset.pictures->bad_rows(rows, dataset.form, core_count());
  refuse_bad_pictures(bad, source, dataset.form);
  refuse_bad_part(bad, dataset, "validation", data.split.validation);
  refuse_bad_part(bad, dataset, "test", data.split.test);
  log().info("{}: {} of them can be used ({:.1f} s)", dataset.name, rows.size() - bad.size(),
             std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
}

void refuse_all_grey(const data::Dataset& dataset, const std::vector<int64_t>& rows) {
  if (!dataset.pictures) return;
  std::set<int64_t> grey;
  for (const data::Pictures::Odd& odd : dataset.pictures->odd_rows())
    if (odd.grey) grey.insert(odd.row);
  const auto count = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](int64_t row) { return grey.count(row) > 0; }));
  if (count == rows.size())
    throw Error(ErrorKind::kData,
                fmt::format("{}: none of the {} pictures to be evaluated can be read", dataset.name, rows.size()));
  if (count > 0)
    log().warn("{}: {} of {} evaluated pictures cannot be read, and are judged as grey ones", dataset.name, count,
               rows.size());
}

}  // namespace scorevi::run
