// How the network of a run sees pictures.
#pragma once

#include "scorevi/data/augment.h"
#include "scorevi/data/dataset.h"
#include "scorevi/run/options.h"

namespace scorevi::run {

// Sets dataset.form from data.image and from what the network's published weights expect. Colour pictures in memory
// become data::Pictures where a vision network sees them, or data.image says how. Error(kUsage) where the keys do not
// go together, or are given for data that the network sees as numbers.
void set_picture_form(const RunOptions& options, data::Dataset& dataset);

// For pictures of any size: those that were taken as they are have their short side brought to the network's size.
data::PictureForm for_any_size(data::PictureForm form);

// The changes of training pictures; nothing for other data and with data.augment.name none.
std::optional<data::AugmentOptions> augmentation(const RunOptions& options, const data::Dataset& dataset);

}  // namespace scorevi::run
