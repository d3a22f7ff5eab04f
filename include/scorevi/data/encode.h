// New rows in the form a data set had when a network was trained on it: what prediction needs.
#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/data/dataset.h"
#include "scorevi/io/csv.h"

namespace scorevi::data {

// What the columns behind `feature_names` may be called, for io::CsvOptions::known_names: the name, and what stands
// before a '='.
std::vector<std::string> column_names(const std::vector<std::string>& feature_names);

// Reads the columns behind `feature_names` (Dataset::feature_names of a csv set): a name is a numeric column, or
// "column=text" for the 0/1 column of a text. Files with a header are read by name, other columns are ignored; files
// without one by position, with the target column or without it. Returns [N, F] float32.
// Error kData with file, line and column: a missing column, a cell that is no number, a text never seen in training.
at::Tensor encode_table(const io::CsvTable& table, const std::vector<std::string>& feature_names);

// Pictures [N, H, W] uint8 as [N, 1, H, W]; Error kData where they are not of `shape` [1, H, W].
at::Tensor encode_images(const at::Tensor& images, const std::vector<std::int64_t>& shape, const std::string& path);

// Pictures as table rows, one pixel value per column in row-major order (a column more, the label, is ignored):
// [N, 1, H, W] float32 for `shape` [1, H, W]. Error kData for another number of columns or a cell that is no number.
at::Tensor encode_pixels(const io::CsvTable& table, const std::vector<std::int64_t>& shape);

}  // namespace scorevi::data
