// Pictures that would end a run, found before it begins.
#pragma once

#include <vector>

#include "data_parts.h"

namespace scorevi::run {

// Error(kData) for what Pictures::bad_rows found where such pictures end a run: with data.on_bad_image: error, and of
// another size than pictures that are taken as they are.
void refuse_bad_pictures(const std::vector<data::Pictures::Bad>& bad, const data::DataOptions& source,
                         const data::PictureForm& form);

// Decodes validation and test pictures once, for they are first needed after an epoch or at the end of a run:
// Error(kData) for bad ones that end a run, and where a part has no other. A bad one among the training pictures ends
// the first epoch. Throws Interrupted when a signal is pending.
void check_evaluated_pictures(const DataParts& data, const data::DataOptions& source);

// After a prediction of `rows`: Error(kData) where grey pictures stood in for all of them, a warning where for some.
void refuse_all_grey(const data::Dataset& dataset, const std::vector<int64_t>& rows);

}  // namespace scorevi::run
