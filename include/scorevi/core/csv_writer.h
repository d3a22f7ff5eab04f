// Writes CSV (RFC 4180 quoting, lines end in \n) so that a crash never leaves half a row behind.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace scorevi {

// One row, filled from left to right. Doubles are written in the shortest form that reads back
// exactly; not-a-number is always `nan`.
class CsvRow {
 public:
  CsvRow& add(double value);
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  CsvRow& add(Integer value) {
    append(std::to_string(value));
    return *this;
  }
  CsvRow& add(std::string_view text);  // bytes that are no UTF-8 as \xNN
  CsvRow& add(const char* text) { return add(std::string_view(text)); }
  CsvRow& add_empty();

  int size() const { return count_; }
  const std::string& text() const { return text_; }  // without the line end

 private:
  void append(std::string_view field);

  std::string text_;
  int count_ = 0;
};

// Quotes a field when it holds a comma, a quote, a line end, or spaces at an end.
std::string csv_quote(std::string_view field);

// A CSV file with fixed columns; every row reaches the file in one write.
class CsvWriter {
 public:
  enum class Mode {
    kCreate,  // start anew, replacing a file
    kAppend,  // go on: the header must match; a torn last row is cut off; a missing file is created
  };

  // Throws Error(kRuntime) when the file cannot be opened, Error(kData) for another header.
  CsvWriter(const std::string& path, const std::vector<std::string>& columns, Mode mode);
  ~CsvWriter();
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  // The row must have as many fields as there are columns.
  void write(const CsvRow& row);

 private:
  void continue_file(const std::string& header);
  void write_line(std::string line);

  std::string path_;
  int columns_;
  int descriptor_ = -1;
};

}  // namespace scorevi
