// Lists in text files, and names of pictures.
#include <fmt/format.h>

#include <algorithm>

#include "picture_parts.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/io/image.h"
#include "scorevi/io/text.h"

namespace scorevi::data {
namespace {

constexpr std::int64_t kMaxListBytes = std::int64_t{64} << 20;
constexpr const char* kBlanks = " \t\r";

}  // namespace

bool is_picture_name(std::string_view name) { return !io::format_of_name(name).empty(); }

std::vector<ListLine> parse_list(std::string_view bytes, const std::string& name) {
  std::string_view rest = io::checked_utf8(bytes, name);
  std::vector<ListLine> lines;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos || line[first] == '#') continue;
    lines.push_back({std::string(line.substr(first, line.find_last_not_of(kBlanks) + 1 - first)), number});
  }
  return lines;
}

std::vector<ListLine> read_list(const std::string& path) { return parse_list(read_file(path, kMaxListBytes), path); }

void bad_line(const std::string& path, const ListLine& line, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("{}:{}: {}", path, line.number, what));
}

}  // namespace scorevi::data
