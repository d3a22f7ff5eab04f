// Pictures that a user collected: nobody has checked the parts of such a set yet.
#pragma once

#include "data_parts.h"

namespace scorevi::run {

// Warns of pictures that are in two parts, or in two classes, byte for byte, with the first of them. Reads the files
// whose size another one has, no others.
void tell_shared_pictures(const DataParts& parts);

}  // namespace scorevi::run
