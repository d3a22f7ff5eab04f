#include "csv_file.h"

#include <algorithm>
#include <map>
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

// Where no number tells data from names, the first row may have been either.
void warn_of_header(const io::CsvTable& csv, const DataOptions& options) {
  if (options.header != "auto" || csv.has_header()) return;
  constexpr std::size_t kRows = 10;
  for (std::size_t r = 0; r < std::min(csv.rows(), kRows); ++r) {
    for (std::size_t c = 0; c < csv.columns(); ++c) {
      if (csv.resembles_number(r, c)) return;
    }
  }
  log().warn(
      "{}: no numbers in the first rows, so row 1 is read as data; set data.header: yes where it holds the names of "
      "the columns, no where not",
      options.path);
}

}  // namespace

io::CsvTable read_csv_file(const DataOptions& options, std::vector<std::string> known_names) {
  const bool names_known = !known_names.empty();
  io::CsvTable csv = io::read_csv(options.path, csv_options(options, std::move(known_names)));
  if (!names_known) warn_of_header(csv, options);
  return csv;
}

}  // namespace scorevi::data
