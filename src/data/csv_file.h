// The file behind a csv data set. Private to data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "scorevi/data/dataset.h"
#include "scorevi/data/options.h"
#include "scorevi/io/csv.h"

namespace scorevi::data {

// Reads options.path with the delimiter and header that the options ask for; a row that may be a header and is not read
// as one is told in the log. `known_names`: see io::CsvOptions.
io::CsvTable read_csv_file(const DataOptions& options, std::vector<std::string> known_names = {});

// The rows of the table, from 0, as Dataset::files tells them.
TableFile file_rows(const io::CsvTable& table, const std::vector<std::size_t>& rows);

}  // namespace scorevi::data
