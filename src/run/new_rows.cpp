#include "new_rows.h"

#include <algorithm>
#include <filesystem>

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "file_kind.h"
#include "inputs_file.h"
#include "picture_form.h"
#include "scorevi/core/cores.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/data/encode.h"
#include "scorevi/data/picture_list.h"
#include "scorevi/data/pictures.h"
#include "scorevi/data/rows.h"
#include "scorevi/io/csv.h"
#include "scorevi/io/idx.h"

namespace scorevi::run {
namespace {

[[noreturn]] void refuse_kind(const std::string& path, FileKind kind, const std::string& expected,
                              const InputForm& form) {
  throw Error(ErrorKind::kData, path + ": is " + kind_text(kind) + ", expected " + expected +
                                    ": the run was trained on data set " + form.data.dataset.name);
}

at::Tensor read_rows(const std::string& path, const InputForm& form) {
  const bool images = form.shape.size() == 3;
  const FileKind kind = kind_of_file(path);
  if (kind == FileKind::kIdx && images) return data::encode_images(io::read_idx(path), form.shape, path).to(at::kFloat);
  if (kind != FileKind::kTable && kind != FileKind::kOther)
    refuse_kind(path, kind, images ? "an idx file, or a CSV table of pixels" : "a CSV table", form);
  io::CsvOptions options;
  const data::Dataset& trained = form.data.dataset;
  options.known_names = data::column_names(trained.feature_names);
  const io::CsvTable table = io::read_csv(path, options);
  return images ? data::encode_pixels(table, form.shape, form.data.outputs())
                : data::encode_table(table, trained.feature_names, trained.columns.count);
}

void read_tables(const std::vector<std::string>& inputs, const InputForm& form, NewRows& rows) {
  std::vector<at::Tensor> parts;
  for (const std::string& path : inputs) {
    parts.push_back(read_rows(path, form));
    for (int64_t row = 0; row < parts.back().size(0); ++row) rows.origins.push_back({path, row + 1});
  }
  rows.data.dataset.inputs = at::cat(parts);
}

void read_pictures(const std::vector<std::string>& inputs, const InputForm& form, NewRows& rows) {
  std::vector<std::string> paths;
  for (const std::string& input : inputs) {
    const FileKind kind = kind_of_file(input);
    if (kind != FileKind::kFolder && kind != FileKind::kPicture && std::filesystem::exists(input))
      refuse_kind(input, kind, "pictures or folders of them", form);
    const std::vector<std::string> found = data::find_pictures(input);
    paths.insert(paths.end(), found.begin(), found.end());
  }
  data::PictureFileOptions options;
  if (form.exif_orientation) options.exif = io::ExifMode::kApply;
  data::PictureFileOptions look = options;
  look.quiet = true;  // told when the pictures are used
  const data::PictureFiles files(paths, look);
  const std::vector<data::Pictures::Bad> bad =
      files.bad_rows(data::rows_between(0, files.size()), data::PictureForm{}, core_count());
  for (const data::Pictures::Bad& picture : bad) log().warn("{}; left out", picture.reason);
  if (bad.size() == paths.size())
    throw Error(ErrorKind::kData, fmt::format("none of the {} new pictures can be read", paths.size()));
  for (auto row = bad.rbegin(); row != bad.rend(); ++row) paths.erase(paths.begin() + row->row);
  if (!bad.empty())
    log().warn("{} of {} pictures cannot be read and are left out", bad.size(), bad.size() + paths.size());
  for (const std::string& path : paths) rows.origins.push_back({path, 1});
  data::Dataset& dataset = rows.data.dataset;
  dataset.form = for_any_size(dataset.form);
  dataset.pictures = std::make_shared<data::PictureFiles>(std::move(paths), options);
}

}  // namespace

NewRows read_new_rows(const std::vector<std::string>& inputs, const RunDirectory& directory) {
  InputForm form = load_inputs(directory);
  NewRows rows;
  rows.data = form.data;
  if (form.pictures)
    read_pictures(inputs, form, rows);
  else
    read_tables(inputs, form, rows);
  const auto count = static_cast<int64_t>(rows.origins.size());
  std::vector<int64_t> shape = rows.data.dataset.targets.sizes().vec();
  shape[0] = count;
  rows.data.dataset.targets = at::zeros(shape, rows.data.dataset.targets.options());
  rows.data.split.train = data::rows_between(0, count);
  return rows;
}

}  // namespace scorevi::run
