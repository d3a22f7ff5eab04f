// Pictures that a user collected: nobody has checked the parts of such a set yet.
#pragma once

#include "experiment.h"

namespace scorevi::run {

// image_folder and image_list.
bool are_own_pictures(const data::Dataset& dataset);

// Warns of test pictures that are training pictures as well, byte for byte, with the first of them. Reads the files
// whose size both parts have, no others.
void tell_shared_pictures(const DataParts& parts);

}  // namespace scorevi::run
