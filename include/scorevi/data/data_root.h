// Where data files are looked for.
#pragma once

#include <string>
#include <vector>

namespace scorevi::data {

// The folder with the bundled data (it holds digits/): share/scorevi/data beside the program's bin
// folder where it is installed, else data/ of the source tree the program was built from.
std::string bundled_data_dir();

// The folders to search, first to last: `root` alone where it is given, else SCOREVI_DATA (where
// set), ./data, ./data/raw, bundled_data_dir().
std::vector<std::string> data_roots(const std::string& root);

// Finds `files` (each raw or with .gz) together in one of <root>/<folder> or <root>. Returns their
// paths in the order asked for. Error kData: names each folder searched and the files it lacks.
std::vector<std::string> find_data_files(const std::string& root, const std::string& folder,
                                         const std::vector<std::string>& files);

}  // namespace scorevi::data
