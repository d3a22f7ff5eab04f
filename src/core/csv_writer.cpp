#include "scorevi/core/csv_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <utility>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/utf8.h"

namespace scorevi {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  const int reason = errno;
  throw Error(ErrorKind::kRuntime, path + ": " + what + ": " + errno_text(reason));
}

std::string header_line(const std::vector<std::string>& columns) {
  CsvRow row;
  for (const std::string& column : columns) row.add(column);
  return row.text();
}

}  // namespace

std::string csv_quote(std::string_view field) {
  const bool outer_space =
      !field.empty() && (field.front() == ' ' || field.back() == ' ' || field.front() == '\t' || field.back() == '\t');
  if (!outer_space && field.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(field);
  std::string quoted = "\"";
  for (char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void CsvRow::append(std::string_view field) {
  if (count_++ > 0) text_ += ',';
  text_ += field;
}

CsvRow& CsvRow::add(double value) {
  append(format_double(value));
  return *this;
}

CsvRow& CsvRow::add(std::string_view text) {
  append(csv_quote(as_utf8(text)));
  return *this;
}

CsvRow& CsvRow::add_empty() {
  append("");
  return *this;
}

CsvWriter::CsvWriter(const std::string& path, const std::vector<std::string>& columns, Mode mode)
    : path_(path), columns_(static_cast<int>(columns.size())) {
  const std::string header = header_line(columns);
  const int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  descriptor_ = ::open(path.c_str(), mode == Mode::kCreate ? flags | O_TRUNC : flags, 0666);
  if (descriptor_ < 0) fail(path_, "cannot be opened");
  try {
    if (mode == Mode::kAppend && ::lseek(descriptor_, 0, SEEK_END) > 0)
      continue_file(header);
    else
      write_line(header);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

CsvWriter::~CsvWriter() { ::close(descriptor_); }

void CsvWriter::continue_file(const std::string& header) {
  const std::string text = read_file(path_, std::numeric_limits<std::int64_t>::max() / 2);
  const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 = 0: no whole line
  if (whole == 0) {
    if (::ftruncate(descriptor_, 0) != 0) fail(path_, "cannot be shortened");
    return write_line(header);
  }
  std::string found = text.substr(0, text.find('\n'));
  if (!found.empty() && found.back() == '\r') found.pop_back();
  if (found != header)
    throw Error(ErrorKind::kData, path_ + ":1: other columns, got \"" + found + "\", expected \"" + header + "\"");
  if (whole < text.size() && ::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0)
    fail(path_, "cannot be shortened");
}

void CsvWriter::write(const CsvRow& row) {
  SCOREVI_CHECK_OP(row.size(), ==, columns_);
  write_line(row.text());
}

void CsvWriter::write_line(std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, "cannot be written");
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace scorevi
