#include "scorevi/data/encode.h"

#include <algorithm>
#include <numeric>

#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "csv_cell.h"
#include "input_columns.h"
#include "scorevi/core/error.h"
#include "target_column.h"

namespace scorevi::data {

std::vector<std::string> column_names(const std::vector<std::string>& feature_names) {
  std::vector<std::string> names = feature_names;
  for (const std::string& name : feature_names)
    for (std::size_t at = name.find('='); at != std::string::npos; at = name.find('=', at + 1))
      names.push_back(name.substr(0, at));
  return names;
}

at::Tensor encode_table(const io::CsvTable& table, const std::vector<std::string>& feature_names,
                        std::int64_t trained_columns) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), 0);
  CellProblems problems;
  at::Tensor inputs =
      encode_rows(table, rows, input_columns(table, feature_names, trained_columns), feature_names.size(), problems);
  problems.throw_if_any();
  return inputs;
}

at::Tensor encode_images(const at::Tensor& images, const std::vector<std::int64_t>& shape, const std::string& path) {
  if (shape.size() != 3 || shape[0] != 1)
    throw Error(ErrorKind::kData,
                fmt::format("{}: holds pictures of one channel, expected inputs of shape {}", path, shape));
  if (images.dim() != 3 || images.size(1) != shape[1] || images.size(2) != shape[2])
    throw Error(
        ErrorKind::kData,
        fmt::format("{}: holds {} numbers per row in {} dimension(s), expected pictures of {} rows and {} columns",
                    path, images.numel() / std::max<std::int64_t>(1, images.size(0)), images.dim() - 1, shape[1],
                    shape[2]));
  return images.unsqueeze(1);
}

at::Tensor encode_pixels(const io::CsvTable& table, const std::vector<std::int64_t>& shape, std::int64_t classes) {
  const std::int64_t pixels = shape[1] * shape[2];
  const auto columns = static_cast<std::int64_t>(table.columns());
  if (shape[0] != 1 || (columns != pixels && columns != pixels + 1))
    throw Error(ErrorKind::kData, fmt::format("{}: {} columns, expected the {} pixels of a picture (and a label)",
                                              table.where(0, 0), columns, pixels));
  const std::size_t label = columns == pixels ? table.columns() : label_among_pixels(table, classes);
  const auto rows = static_cast<std::int64_t>(table.rows());
  at::Tensor inputs = at::empty({rows, shape[0], shape[1], shape[2]}, at::kFloat);
  float* out = inputs.mutable_data_ptr<float>();
  for (std::size_t r = 0; r < table.rows(); ++r)
    for (std::size_t c = 0; c < table.columns(); ++c)
      if (c != label) *out++ = float_at(table, r, c);
  return inputs;
}

}  // namespace scorevi::data
