// Which column of a table holds what is to be predicted, and which are its inputs. Private to data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scorevi/data/options.h"
#include "scorevi/io/csv.h"

namespace scorevi::data {

// The column that options.target means: a name, a number from 0 (-1 is the last), or auto: the column called label,
// labels, class, target or y (but no y after an x) in whatever case, else the last. Error kData: there is no such
// column, several have such a name, a y stands before an x, or auto finds that the first column could hold the classes
// as well as the last.
std::size_t target_column(const io::CsvTable& table, const DataOptions& options);

// The columns that options.ignore leaves, `target` among them, ascending. Error kData: it names the target, a column
// that is not there, or all inputs.
std::vector<std::size_t> used_columns(const io::CsvTable& table, const DataOptions& options, std::size_t target);

// The column with the labels in a table of one more column than a picture has pixels: by its name, else the one of the
// first and the last that holds nothing but whole numbers below `classes`; of two such columns the one with more
// different values. Error kData where neither or both could be it.
std::size_t label_among_pixels(const io::CsvTable& table, std::int64_t classes);

}  // namespace scorevi::data
