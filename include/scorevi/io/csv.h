// A strict reader of comma-separated text (RFC 4180): quotes, embedded line ends and delimiters,
// LF, CRLF or CR line ends, a UTF-8 byte order mark, comma, semicolon or tab.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scorevi::io {

enum class CsvHeader {
  // A header where no cell of row 1 resembles a number, and some cell of the next ten rows does or there is no other
  // row; also where row 1 holds one of CsvOptions::known_names.
  kAuto,
  kYes,
  kNo,
};

struct CsvOptions {
  char delimiter = '\0';  // '\0': tab, semicolon or comma, whichever splits the first rows evenly
  CsvHeader header = CsvHeader::kAuto;
  std::vector<std::string> known_names = {};     // of columns that the file is expected to have
  std::size_t max_bytes = std::size_t{1} << 30;  // after decompression; at most 4 GiB - 1
  std::size_t max_columns = 1 << 16;
};

// A rectangular table of text cells, 4 bytes per cell besides the text. Rows and columns count
// from 0 in the interface and from 1 in messages.
class CsvTable {
 public:
  std::size_t rows() const { return row_line_.size(); }
  std::size_t columns() const { return columns_; }
  char delimiter() const { return delimiter_; }
  // Of the file, as it stands in messages.
  const std::string& name() const { return name_; }
  // The cell without its quotes. Precondition: row < rows(), column < columns().
  std::string_view cell(std::size_t row, std::size_t column) const;
  // The cell without blanks around it.
  std::string_view trimmed(std::size_t row, std::size_t column) const;
  // The trimmed cell as a number (core/numbers.h), nothing for a text. Where the delimiter is no comma, 1,5 is 1.5.
  std::optional<double> number(std::size_t row, std::size_t column) const;
  // A number, or written like one in a way that number() does not read: 12,5 in a file of commas, 1.234,5, 1'000.
  bool resembles_number(std::size_t row, std::size_t column) const;
  // The line of the file on which a row begins, from 1.
  std::size_t line(std::size_t row) const { return row_line_[row]; }
  bool has_header() const { return !header_.empty(); }
  // The header's cells without blanks around them; empty where the file has none.
  const std::vector<std::string>& header() const { return header_; }
  // The column of that name, or of that number from 0 where no name matches ("-1" is the last).
  // Error kData with the names there are.
  std::size_t column(const std::string& name_or_index) const;
  // "file:line, column 3 (age)", for messages.
  std::string where(std::size_t row, std::size_t column) const;

 private:
  friend class CsvParser;
  std::string name_;
  std::string text_;                     // cells, one after the other, unquoted
  std::vector<std::uint32_t> cell_end_;  // end of each cell in text_, row-major
  std::vector<std::uint32_t> row_line_;
  std::vector<std::string> header_;
  std::size_t columns_ = 0;
  char delimiter_ = ',';
};

// Parses text in memory; `name` stands in messages. Empty lines are skipped. Error kData, with
// name:line: an empty file, a row with another number of cells than the first, a stray or open
// quote, a NUL byte, text that is not UTF-8, a header with one name twice, a limit exceeded.
CsvTable parse_csv(std::string_view bytes, const std::string& name, const CsvOptions& options = {});

// The same for a raw or gzip file, told apart by content.
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

}  // namespace scorevi::io
