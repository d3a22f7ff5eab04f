#include "scorevi/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "csv_text.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/suggest.h"
#include "scorevi/io/gzip.h"
#include "scorevi/io/text.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kRowsAfterHeader = 10;  // looked at to recognise a header

}  // namespace

// One pass over the text; rows are appended to the table as they end.
class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& name, const CsvOptions& options)
      : text_(text), options_(options) {
    table_.name_ = name;
    table_.delimiter_ = options.delimiter == '\0' ? guess_delimiter(text) : options.delimiter;
  }

  CsvTable run() {
    while (at_ < text_.size()) {
      if (skip_line_end()) continue;
      parse_row();
    }
    if (table_.rows() == 0) fail(line_, "the file is empty, expected at least one row");
    if (wants_header()) take_header();
    if (table_.rows() == 0) fail(line_, "the file has a header and no rows of data");
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(ErrorKind::kData, fmt::format("{}:{}: {}", table_.name_, line, what));
  }

  // LF, CRLF or CR.
  bool skip_line_end() {
    if (text_[at_] != '\n' && text_[at_] != '\r') return false;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
    return true;
  }

  void parse_row() {
    const std::size_t first_line = line_;
    std::size_t cells = 0;
    while (true) {
      if (++cells > options_.max_columns) {
        fail(first_line, fmt::format("more than {} columns", options_.max_columns));
      }
      if (at_ < text_.size() && text_[at_] == '"') {
        quoted_cell();
      } else {
        plain_cell();
      }
      table_.cell_end_.push_back(static_cast<std::uint32_t>(table_.text_.size()));
      if (at_ == text_.size() || skip_line_end()) break;
      ++at_;  // the delimiter
    }
    if (table_.columns_ == 0) table_.columns_ = cells;
    if (cells != table_.columns_) {
      fail(first_line, fmt::format("found {} columns, expected {} as in the first row", cells, table_.columns_));
    }
    table_.row_line_.push_back(static_cast<std::uint32_t>(first_line));
  }

  void plain_cell() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != table_.delimiter_ && text_[at_] != '\n' && text_[at_] != '\r') {
      if (text_[at_] == '"') {
        fail(line_, "a quote inside an unquoted cell; quote the whole cell and double the quote");
      }
      ++at_;
    }
    table_.text_.append(text_.substr(begin, at_ - begin));
  }

  void quoted_cell() {
    const std::size_t first_line = line_;
    ++at_;
    while (true) {
      if (at_ == text_.size()) fail(first_line, "a quote is opened here and never closed");
      const char c = text_[at_++];
      if (c == '"') {
        if (at_ == text_.size() || text_[at_] != '"') break;
        ++at_;
      }
      if (c == '\n') ++line_;
      table_.text_.push_back(c);
    }
    if (at_ < text_.size() && text_[at_] != table_.delimiter_ && text_[at_] != '\n' && text_[at_] != '\r') {
      fail(line_, "text after a closing quote, expected the delimiter or the end of the line");
    }
  }

  bool wants_header() const {
    if (options_.header != CsvHeader::kAuto) return options_.header == CsvHeader::kYes;
    if (has_number(0)) return false;
    const auto& known = options_.known_names;
    for (std::size_t c = 0; c < table_.columns_; ++c) {
      if (std::find(known.begin(), known.end(), table_.trimmed(0, c)) != known.end()) return true;
    }
    const std::size_t last = std::min(table_.rows(), kRowsAfterHeader + 1);
    for (std::size_t r = 1; r < last; ++r) {
      if (has_number(r)) return true;
    }
    return table_.rows() == 1;
  }

  bool has_number(std::size_t row) const {
    for (std::size_t c = 0; c < table_.columns_; ++c) {
      if (table_.resembles_number(row, c)) return true;
    }
    return false;
  }

  void take_header() {
    std::set<std::string_view> seen;
    for (std::size_t c = 0; c < table_.columns_; ++c) {
      const std::string_view cell = table_.trimmed(0, c);
      if (!cell.empty() && !seen.insert(cell).second) {
        fail(table_.line(0), fmt::format("two columns are named \"{}\"", cell));
      }
    }
    for (std::size_t c = 0; c < table_.columns_; ++c) {
      std::string name(table_.trimmed(0, c));
      if (name.empty()) {
        name = fmt::format("column {}", c + 1);
        while (seen.count(name) > 0) name += '_';
      }
      table_.header_.push_back(std::move(name));
    }
    const std::uint32_t cut = table_.cell_end_[table_.columns_ - 1];
    table_.text_.erase(0, cut);
    auto& ends = table_.cell_end_;
    ends.erase(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(table_.columns_));
    for (std::uint32_t& end : ends) end -= cut;
    table_.row_line_.erase(table_.row_line_.begin());
  }

  std::string_view text_;
  CsvOptions options_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  CsvTable table_;
};

std::string_view CsvTable::cell(std::size_t row, std::size_t column) const {
  const std::size_t index = row * columns_ + column;
  SCOREVI_CHECK_OP(column, <, columns_);
  SCOREVI_CHECK_OP(index, <, cell_end_.size());
  const std::uint32_t begin = index == 0 ? 0 : cell_end_[index - 1];
  return std::string_view(text_).substr(begin, cell_end_[index] - begin);
}

std::string_view CsvTable::trimmed(std::size_t row, std::size_t column) const {
  const std::string_view text = cell(row, column);
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string_view text = trimmed(row, column);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || delimiter_ == ',' || text.find('.') != std::string_view::npos)
    return parse_double(text);
  std::string point(text);
  point[comma] = '.';
  return parse_double(point);
}

bool CsvTable::resembles_number(std::size_t row, std::size_t column) const {
  return io::resembles_number(trimmed(row, column));
}

std::size_t CsvTable::column(const std::string& name_or_index) const {
  const auto found = std::find(header_.begin(), header_.end(), name_or_index);
  if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
  const std::optional<std::int64_t> index = parse_int(name_or_index);
  const auto count = static_cast<std::int64_t>(columns_);
  if (index && *index >= -count && *index < count) {
    return static_cast<std::size_t>(*index < 0 ? *index + count : *index);
  }
  const std::string range = fmt::format("a number from 0 to {} (or -1 for the last)", count - 1);
  throw Error(ErrorKind::kData, fmt::format("{}: no column \"{}\", expected {}{}", name_, name_or_index,
                                            has_header() ? "one of " + join(header_) + " or " + range : range,
                                            did_you_mean(name_or_index, header_)));
}

std::string CsvTable::where(std::size_t row, std::size_t column) const {
  const std::string label = has_header() ? fmt::format(" ({})", header_[column]) : "";
  return fmt::format("{}:{}, column {}{}", name_, line(row), column + 1, label);
}

CsvTable parse_csv(std::string_view bytes, const std::string& name, const CsvOptions& options) {
  SCOREVI_CHECK_OP(options.max_bytes, <=, std::numeric_limits<std::uint32_t>::max());
  if (bytes.size() > options.max_bytes) {
    throw Error(ErrorKind::kData,
                fmt::format("{}: {} bytes, expected at most {}", name, bytes.size(), options.max_bytes));
  }
  return CsvParser(checked_utf8(bytes, name), name, options).run();
}

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  return parse_csv(read_raw_or_gzip(path, options.max_bytes), path, options);
}

}  // namespace scorevi::io
