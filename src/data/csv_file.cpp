#include "csv_file.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "scorevi/core/log.h"
#include "sources.h"

namespace scorevi::data {
namespace {

io::CsvOptions csv_options(const DataOptions& options, std::vector<std::string> known_names) {
  static const std::map<std::string, char> kDelimiters = {
      {"auto", '\0'}, {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}};
  static const std::map<std::string, io::CsvHeader> kHeaders = {
      {"auto", io::CsvHeader::kAuto}, {"yes", io::CsvHeader::kYes}, {"no", io::CsvHeader::kNo}};
  check_choice("delimiter", options.delimiter, {"auto", "comma", "semicolon", "tab"});
  check_choice("header", options.header, {"auto", "yes", "no"});
  io::CsvOptions csv;
  csv.delimiter = kDelimiters.at(options.delimiter);
  csv.header = kHeaders.at(options.header);
  csv.known_names = std::move(known_names);
  return csv;
}

bool has_number(const io::CsvTable& csv, std::size_t rows) {
  for (std::size_t r = 0; r < std::min(csv.rows(), rows); ++r)
    for (std::size_t c = 0; c < csv.columns(); ++c)
      if (csv.resembles_number(r, c)) return true;
  return false;
}

// A text of row 1 that occurs nowhere else in its column; "" where there is none.
std::string_view lone_text(const io::CsvTable& csv) {
  for (std::size_t c = 0; c < csv.columns(); ++c) {
    const std::string_view text = csv.trimmed(0, c);
    if (text.empty() || csv.resembles_number(0, c)) continue;
    std::size_t r = 1;
    while (r < csv.rows() && csv.trimmed(r, c) != text) ++r;
    if (r == csv.rows()) return text;
  }
  return {};
}

// Row 1 that is read as data may hold names all the same: where no number tells the two apart, and where names are
// numbers (country, 2019, 2020).
void warn_of_header(const io::CsvTable& csv, const DataOptions& options) {
  if (options.header != "auto" || csv.has_header()) return;
  constexpr std::size_t kRows = 10;
  const std::string advice = "set data.header: yes where it holds the names of the columns, no where not";
  const std::string_view lone = lone_text(csv);
  if (!has_number(csv, kRows))
    log().warn("{}: no numbers in the first rows, so row 1 is read as data; {}", options.path, advice);
  else if (!lone.empty())
    log().warn("{}: row 1 holds a number and is read as data, but its \"{}\" stands nowhere else in its column; {}",
               options.path, lone, advice);
}

}  // namespace

io::CsvTable read_csv_file(const DataOptions& options, std::vector<std::string> known_names) {
  const bool names_known = !known_names.empty();
  io::CsvTable csv = io::read_csv(options.path, csv_options(options, std::move(known_names)));
  if (!names_known) warn_of_header(csv, options);
  return csv;
}

TableFile file_rows(const io::CsvTable& table, const std::vector<std::size_t>& rows) {
  TableFile file{table.name(), {}};
  for (const std::size_t row : rows) file.rows.push_back(static_cast<std::int64_t>(row) + 1);
  return file;
}

}  // namespace scorevi::data
