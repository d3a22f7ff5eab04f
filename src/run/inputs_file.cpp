#include "inputs_file.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/zeros.h>
#include <nlohmann/json.hpp>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"

namespace scorevi::run {
namespace {

using nlohmann::json;

json affine_json(const data::Affine& affine) {
  return {{"mean", affine.mean}, {"std", affine.std}, {"repeat", affine.repeat}};
}

data::Affine affine_from(const json& object) {
  data::Affine affine;
  affine.mean = object.at("mean").get<std::vector<float>>();
  affine.std = object.at("std").get<std::vector<float>>();
  affine.repeat = object.at("repeat").get<int64_t>();
  return affine;
}

json picture_json(const data::Dataset& dataset, bool exif_orientation) {
  if (!dataset.pictures) return nullptr;
  const data::PictureForm& form = dataset.form;
  return {{"size", form.size},
          {"resize", form.resize},
          {"exif_orientation", exif_orientation},
          {"interpolation", form.filter == data::ResizeFilter::kBicubic ? "bicubic" : "bilinear"},
          {"mean", form.mean},
          {"std", form.std}};
}

data::PictureForm picture_form_from(const json& object) {
  data::PictureForm form;
  form.size = object.at("size").get<int64_t>();
  form.resize = object.at("resize").get<int64_t>();
  if (object.at("interpolation") == "bicubic") form.filter = data::ResizeFilter::kBicubic;
  form.mean = object.at("mean").get<std::array<double, 3>>();
  form.std = object.at("std").get<std::array<double, 3>>();
  return form;
}

// Whether it gives each of `width` values a finite mean and a positive standard deviation, or is empty.
bool fits(const data::Affine& affine, int64_t width) {
  const auto entries = static_cast<int64_t>(affine.std.size());
  if (affine.mean.size() != affine.std.size() || affine.repeat < 1) return false;
  if (entries > 0 && (width % entries != 0 || width / entries != affine.repeat)) return false;
  return std::all_of(affine.mean.begin(), affine.mean.end(), [](float mean) { return std::isfinite(mean); }) &&
         std::all_of(affine.std.begin(), affine.std.end(), [](float std) { return std::isfinite(std) && std > 0; });
}

// Values of one input; 0 where the shape is none.
int64_t width_of(const std::vector<int64_t>& shape) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t width = shape.size() == 1 || shape.size() == 3 ? 1 : 0;
  for (const int64_t size : shape) width = size >= 1 && size <= kMost && width <= kMost / size ? width * size : 0;
  return width;
}

bool fits(const data::PictureForm& form) {
  const auto positive = [](double std) { return std::isfinite(std) && std > 0; };
  return form.size >= 1 && form.resize >= 0 && std::all_of(form.std.begin(), form.std.end(), positive);
}

// What does not go together in a file that can be read; "" where all does.
std::string damage(const InputForm& form, int64_t outputs) {
  const data::Dataset& dataset = form.data.dataset;
  const int64_t width = width_of(form.shape);
  if (width == 0) return "input_shape";
  const auto names = static_cast<int64_t>(dataset.feature_names.size());
  if (names != 0 && names != width) return "feature_names";
  if (outputs < 1) return "outputs";
  if (dataset.classes() != (form.data.classification() ? outputs : 0)) return "class_names";
  if (form.pictures && !fits(dataset.form)) return "pictures";
  if (!fits(form.data.normalisation.inputs, width)) return "inputs";
  if (!fits(form.data.normalisation.targets, outputs)) return "targets";
  return "";
}

}  // namespace

void save_inputs(const RunDirectory& directory, const Experiment& experiment) {
  const DataParts& data = experiment.data;
  const json object = {{"data", data.dataset.name},
                       {"task", data.classification() ? "classification" : "regression"},
                       {"outputs", data.outputs()},
                       {"class_names", data.dataset.class_names},
                       {"feature_names", data.dataset.feature_names},
                       {"target", data.dataset.columns.target},
                       {"columns", data.dataset.columns.count},
                       {"input_shape", data.dataset.input_shape()},
                       {"input_scale", data.dataset.input_scale},
                       {"pictures", picture_json(data.dataset, experiment.options.data.source.exif_orientation)},
                       {"inputs", affine_json(data.normalisation.inputs)},
                       {"targets", affine_json(data.normalisation.targets)}};
  write_file_atomic(directory.file(files::kInputs), object.dump(1) + "\n");
}

InputForm load_inputs(const RunDirectory& directory) {
  const std::string path = directory.file(files::kInputs);
  try {
    const json object = json::parse(read_file(path, 64 << 20));
    InputForm form;
    data::Dataset& dataset = form.data.dataset;
    dataset.name = object.at("data").get<std::string>();
    dataset.task = object.at("task") == "classification" ? data::Task::kClassification : data::Task::kRegression;
    dataset.class_names = object.at("class_names").get<std::vector<std::string>>();
    dataset.feature_names = object.at("feature_names").get<std::vector<std::string>>();
    dataset.columns = {object.value("target", ""), object.value("columns", int64_t{0})};  // not in older runs
    dataset.input_scale = object.at("input_scale").get<double>();
    form.data.normalisation = {affine_from(object.at("inputs")), affine_from(object.at("targets"))};
    form.shape = object.at("input_shape").get<std::vector<int64_t>>();
    form.pictures = !object.at("pictures").is_null();
    if (form.pictures) {
      dataset.form = picture_form_from(object.at("pictures"));
      form.exif_orientation = object.at("pictures").at("exif_orientation").get<bool>();
    }
    const auto outputs = object.at("outputs").get<int64_t>();
    if (const std::string part = damage(form, outputs); !part.empty())
      throw Error(ErrorKind::kData,
                  path + ": damaged: \"" + part + "\" does not fit the rest, expected the file as the run wrote it");
    dataset.targets = form.data.classification() ? at::zeros({0}, at::kLong) : at::zeros({0, outputs}, at::kFloat);
    return form;
  } catch (const json::exception& e) {
    throw Error(ErrorKind::kData, path + ": damaged: " + e.what());
  }
}

}  // namespace scorevi::run
