// New rows in the form a data set had when a network was trained on it: what prediction needs.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/data/dataset.h"
#include "scorevi/data/options.h"
#include "scorevi/io/csv.h"

namespace scorevi::data {

// What the columns behind `feature_names` may be called, for io::CsvOptions::known_names: the name, and what stands
// before a '='.
std::vector<std::string> column_names(const std::vector<std::string>& feature_names);

// Reads the columns behind `feature_names` (Dataset::feature_names of a csv set): a name is a numeric column, or
// "column=text" for the 0/1 column of a text. Files with a header are read by name, other columns are ignored; files
// without one by position: they have the `trained_columns` of the trained table (0: unknown, as many as are needed), or
// the inputs alone. Returns [N, F] float32.
// Error kData with file, line and column: a missing column, a cell that is no number, a text never seen in training.
at::Tensor encode_table(const io::CsvTable& table, const std::vector<std::string>& feature_names,
                        std::int64_t trained_columns = 0);

// Pictures [N, H, W] uint8 as [N, 1, H, W]; Error kData where they are not of `shape` [1, H, W].
at::Tensor encode_images(const at::Tensor& images, const std::vector<std::int64_t>& shape, const std::string& path);

// Pictures as table rows, one pixel value per column in row-major order: [N, 1, H, W] float32 for `shape` [1, H, W].
// One column more is the label and is ignored: the column called label, class, target or y, else the first or the last,
// whichever holds whole numbers below `classes`. Error kData for another number of columns, a label that could be in
// either, or a cell that is no number.
at::Tensor encode_pixels(const io::CsvTable& table, const std::vector<std::int64_t>& shape, std::int64_t classes);

// A table with targets as `trained`, a set of make_csv, has them: inputs by encode_table, classes by name. The target
// is the column called trained.columns.target, by position where there is no header; where that is unknown,
// options.target. `options` are those of the trained set with another path. Error kData as encode_table, where the
// target is not there or is an input, and for a class that `trained` does not have.
Dataset read_labelled(const DataOptions& options, const Dataset& trained);

}  // namespace scorevi::data
