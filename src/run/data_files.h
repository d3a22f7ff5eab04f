// Which picture files a run was trained on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/data/dataset.h"
#include "scorevi/run/run_directory.h"

namespace scorevi::run {

// Of picture files: pictures.txt, and bad_pictures.csv where some are left out or damaged in part, which is told.
void save_data_files(const RunDirectory& directory, const data::Dataset& dataset);

// A picture as pictures.txt has it, without its class: "folder/name:bytes".
std::string picture_file(const data::Dataset& dataset, int64_t row);
// Those that the run has written, of each row; empty where it has no such file.
std::vector<std::string> picture_files(const RunDirectory& directory);

// Tells the number of odd pictures (Pictures::odd_text) among those that were read so far, and adds those that are left
// out, damaged in part or grey to `path`, a bad_pictures.csv that may be there already.
void tell_odd_pictures(const std::string& path, const data::Dataset& dataset);

// What is another than in pictures.txt, beginning with the first file: "a/x.jpg is gone". "" where the run has no such
// file, or nothing differs.
std::string changed_files(const RunDirectory& directory, const data::Dataset& dataset);

}  // namespace scorevi::run
