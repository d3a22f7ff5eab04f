// The data sets there are.
#pragma once

#include "scorevi/core/factory.h"
#include "scorevi/data/dataset.h"
#include "scorevi/data/options.h"

namespace scorevi::data {

using MakeDataset = Dataset (*)(const DataOptions&);

// Names in the order they are listed to users.
const Factory<MakeDataset>& datasets();

// Whether the rows of the set depend on DataOptions::seed.
bool is_generated(const std::string& name);

// Whether it is a set of pictures that a user collected: image_folder, image_list.
bool is_own_pictures(const std::string& name);

// Reads or generates the data set `options.name`. Error kUsage: unknown name or option value;
// Error kData: files that are missing or damaged.
Dataset load_dataset(const DataOptions& options);

}  // namespace scorevi::data
