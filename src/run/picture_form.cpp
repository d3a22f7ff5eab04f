#include "picture_form.h"

#include <cmath>

#include <fmt/format.h>

#include "describe.h"
#include "known_weights.h"
#include "scorevi/config/load.h"
#include "scorevi/core/error.h"
#include "scorevi/models/registry.h"

namespace scorevi::run {
namespace {

std::array<double, 3> channels_of(const char* key, const std::vector<double>& given, std::array<double, 3> otherwise) {
  if (given.empty()) return otherwise;
  if (given.size() != 3)
    throw Error(
        ErrorKind::kUsage,
        fmt::format("data.image.{}: got {} values, expected one for each of red, green, blue", key, given.size()));
  return {given[0], given[1], given[2]};
}

// As the published weights saw pictures; without a vision network, pictures in memory as they are.
data::PictureForm published_form(const RunOptions& options, const data::Dataset& dataset) {
  const auto& vision = models::networks().find(options.model.name).make.vision;
  data::PictureForm form;
  if (vision) {
    form.size = vision->image_size;
    form.resize = vision->resize_size;
    if (vision->interpolation == models::Interpolation::kBicubic) form.filter = data::ResizeFilter::kBicubic;
    form.mean = vision->mean;
    form.std = vision->std;
    const KnownWeights* known = find_known_weights(options.pretrained.weights);
    if (known != nullptr && known->resize > 0) form.resize = known->resize;
  } else if (!dataset.pictures) {
    form.size = dataset.inputs.size(2);
    form.resize = 0;
  }
  return form;
}

data::PictureForm form_of(const RunOptions& options, const data::Dataset& dataset) {
  const ImageSection& image = options.data.image;
  data::PictureForm form = published_form(options, dataset);
  if (image.size && *image.size != form.size) {  // the border keeps its share of the side
    form.resize = std::llround(static_cast<double>(*image.size * form.resize) / static_cast<double>(form.size));
    form.size = *image.size;
  }
  if (!dataset.pictures && form.size == dataset.inputs.size(2)) form.resize = 0;  // nothing to cut away
  if (image.resize) form.resize = *image.resize;
  if (form.resize > 0 && form.resize < form.size)
    throw Error(ErrorKind::kUsage, fmt::format("data.image.resize: got {}, expected 0 or at least data.image.size = {}",
                                               form.resize, form.size));
  if (image.interpolation == "bilinear") form.filter = data::ResizeFilter::kBilinear;
  if (image.interpolation == "bicubic") form.filter = data::ResizeFilter::kBicubic;
  form.mean = channels_of("mean", image.mean, form.mean);
  form.std = channels_of("std", image.std, form.std);
  return form;
}

// [N, 3, H, W] bytes as pictures that share them.
void share_as_pictures(data::Dataset& dataset) {
  const auto keep = std::make_shared<at::Tensor>(dataset.inputs);
  const std::shared_ptr<const std::uint8_t> values(keep, keep->const_data_ptr<std::uint8_t>());
  dataset.pictures = std::make_shared<data::PictureArray>(values, keep->size(0), keep->size(2), keep->size(3));
  dataset.inputs = at::Tensor();
}

template <class Section, class Describe>
bool is_changed(const Section& section, const Describe& describe_section) {
  return config::dump(section, describe_section) != config::dump(Section{}, describe_section);
}

// Keys that would do nothing.
void refuse_picture_keys(const RunOptions& options, const data::Dataset& dataset) {
  const auto refuse = [&](const std::string& key) {
    throw Error(ErrorKind::kUsage, "data." + key + ": is for pictures, but network " + options.model.name +
                                       " sees data set " + dataset.name + " as numbers; leave it out");
  };
  if (is_changed(options.data.image, describe_image)) refuse("image");
  if (options.data.augment.name != "none" && is_changed(options.data.augment, describe_augment)) refuse("augment");
  if (options.evaluate.views != "center")
    throw Error(ErrorKind::kUsage, "evaluate.views: got " + options.evaluate.views +
                                       ", but the data are no pictures of a vision network, expected center");
}

}  // namespace

void set_picture_form(const RunOptions& options, data::Dataset& dataset) {
  const ImageSection& image = options.data.image;
  const bool asked = image.size || image.resize || !image.mean.empty() || !image.std.empty();
  const bool vision = models::networks().find(options.model.name).make.vision.has_value();
  const bool colour = !dataset.pictures && dataset.is_image() && dataset.inputs.size(1) == 3;
  if (!dataset.pictures && !(colour && (vision || asked))) return refuse_picture_keys(options, dataset);
  dataset.form = form_of(options, dataset);
  if (!dataset.pictures) share_as_pictures(dataset);
}

data::PictureForm for_any_size(data::PictureForm form) {
  if (form.resize == 0) form.resize = form.size;
  return form;
}

std::optional<data::AugmentOptions> augmentation(const RunOptions& options, const data::Dataset& dataset) {
  const data::PictureForm& form = dataset.form;
  const AugmentSection& section = options.data.augment;
  if (section.name == "none" || !dataset.pictures) return std::nullopt;
  if (section.scale.size() != 2 || section.scale[0] > section.scale[1])
    throw Error(ErrorKind::kUsage, "data.augment.scale: expected two shares, the least and the most");
  data::AugmentOptions augment;
  augment.size = form.size;
  augment.resize = std::max(form.resize, form.size);
  augment.filter = form.filter;
  const bool of_files = !dataset.pictures->in_memory();
  augment.random_resized_crop = section.crop == "resized" || (section.crop == "auto" && of_files);
  if (section.crop == "shifted" || (section.crop == "auto" && !of_files)) augment.shift = section.shift;
  augment.scale_min = section.scale[0];
  augment.scale_max = section.scale[1];
  augment.flip = section.flip;
  augment.rotation = section.rotation;
  augment.jitter = {section.brightness, section.contrast, section.saturation, section.hue};
  augment.rand_augment = section.rand_augment;
  augment.rand_magnitude = section.rand_magnitude;
  augment.trivial_augment = section.trivial_augment;
  augment.erasing.probability = section.erasing;
  return augment;
}

}  // namespace scorevi::run
