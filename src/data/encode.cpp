#include "scorevi/data/encode.h"

#include <algorithm>
#include <map>
#include <optional>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "csv_cell.h"
#include "scorevi/core/error.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/suggest.h"
#include "target_column.h"

namespace scorevi::data {
namespace {

// A column of the file and the inputs that come from it.
struct Source {
  std::string label;
  std::int64_t number = -1;                        // input of a numeric column
  std::map<std::string, std::int64_t> categories;  // input of each text
  std::size_t column = 0;                          // in the file
};

bool has_column(const io::CsvTable& table, const std::string& label) {
  return std::find(table.header().begin(), table.header().end(), label) != table.header().end();
}

// Where "label=text" is cut: labels and texts may hold '=' themselves, so the header decides where there is one.
std::size_t cut_of(const std::string& name, const io::CsvTable& table) {
  if (table.has_header() && has_column(table, name)) return std::string::npos;
  for (std::size_t at = name.find('='); at != std::string::npos; at = name.find('=', at + 1))
    if (!table.has_header() || has_column(table, name.substr(0, at))) return at;
  return name.find('=');  // the header has neither: the part that is likely a column's name is told missing
}

std::vector<Source> sources_of(const io::CsvTable& table, const std::vector<std::string>& names) {
  std::vector<Source> sources;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t cut = cut_of(names[i], table);
    const std::string label = names[i].substr(0, cut);
    if (sources.empty() || sources.back().label != label) sources.push_back({label, -1, {}, 0});
    if (cut == std::string::npos)
      sources.back().number = static_cast<std::int64_t>(i);
    else
      sources.back().categories[names[i].substr(cut + 1)] = static_cast<std::int64_t>(i);
  }
  return sources;
}

// "column 3" of a file without a header is its third column.
std::optional<std::size_t> number_of(const std::string& label) {
  if (label.rfind("column ", 0) != 0) return std::nullopt;
  const std::optional<std::int64_t> number = parse_int(label.substr(7));
  return number && *number >= 1 ? std::optional<std::size_t>(static_cast<std::size_t>(*number - 1)) : std::nullopt;
}

void locate(const io::CsvTable& table, std::vector<Source>& sources) {
  const bool without_target = table.columns() == sources.size();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Source& source = sources[i];
    if (table.has_header() && has_column(table, source.label)) {
      source.column = table.column(source.label);
      continue;
    }
    const std::optional<std::size_t> number = number_of(source.label);
    const bool by_position = !table.has_header() && (number || without_target);
    source.column = without_target ? i : number.value_or(0);
    if (!by_position || source.column >= table.columns())
      throw Error(ErrorKind::kData,
                  fmt::format("{}: no column \"{}\", which the network was trained on{}; got {}", table.name(),
                              source.label, did_you_mean(source.label, table.header()),
                              table.has_header() ? "the header " + join(table.header())
                                                 : fmt::format("{} columns without a header", table.columns())));
  }
}

constexpr std::size_t kNamedTexts = 10;

std::int64_t category_at(const io::CsvTable& table, std::size_t row, const Source& source) {
  const std::string text(table.trimmed(row, source.column));
  const auto found = source.categories.find(text);
  if (found != source.categories.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, input] : source.categories) known.push_back("\"" + name + "\"");
  throw Error(ErrorKind::kData, fmt::format("{}: \"{}\" did not occur in training, expected one of {}",
                                            table.where(row, source.column), text, join_first(known, kNamedTexts)));
}

}  // namespace

std::vector<std::string> column_names(const std::vector<std::string>& feature_names) {
  std::vector<std::string> names = feature_names;
  for (const std::string& name : feature_names)
    for (std::size_t at = name.find('='); at != std::string::npos; at = name.find('=', at + 1))
      names.push_back(name.substr(0, at));
  return names;
}

at::Tensor encode_table(const io::CsvTable& table, const std::vector<std::string>& feature_names) {
  std::vector<Source> sources = sources_of(table, feature_names);
  locate(table, sources);
  const auto rows = static_cast<std::int64_t>(table.rows());
  at::Tensor inputs = at::zeros({rows, static_cast<std::int64_t>(feature_names.size())}, at::kFloat);
  auto cells = inputs.accessor<float, 2>();
  for (std::int64_t r = 0; r < rows; ++r)
    for (const Source& source : sources) {
      const auto row = static_cast<std::size_t>(r);
      if (source.number >= 0)
        cells[r][source.number] = float_at(table, row, source.column);
      else
        cells[r][category_at(table, row, source)] = 1;
    }
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
