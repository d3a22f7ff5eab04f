#include "target_column.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/text.h"

namespace scorevi::data {
namespace {

constexpr std::size_t kManyClasses = 100;

bool is_target_name(const std::string& name) {
  static const std::set<std::string_view> kNames = {"label", "labels", "class", "target", "y"};
  return kNames.count(lower_case(name)) > 0;
}

// The column of that name in whatever case; columns() where there is none.
std::size_t find_column(const io::CsvTable& table, std::string_view lower_name) {
  const auto found = std::find_if(table.header().begin(), table.header().end(),
                                  [&](const std::string& name) { return lower_case(name) == lower_name; });
  return static_cast<std::size_t>(found - table.header().begin());
}

std::optional<std::size_t> named_target(const io::CsvTable& table) {
  std::vector<std::size_t> found;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < table.header().size(); ++c) {
    if (!is_target_name(table.header()[c])) continue;
    found.push_back(c);
    names.push_back(table.header()[c]);
  }
  if (found.empty()) return std::nullopt;
  if (found.back() + 1 == table.columns()) return found.back();
  const bool lone_y = found.size() == 1 && lower_case(names.front()) == "y";
  const std::size_t x = find_column(table, "x");
  if (lone_y && x < found.front()) return std::nullopt;  // x, y: coordinates
  if (found.size() == 1 && !(lone_y && x < table.columns())) return found.front();
  names.push_back(table.header().back());
  throw Error(ErrorKind::kData, fmt::format("{}: the target could be in any of the columns {}; set data.target to one",
                                            table.name(), join(names)));
}

// The different values of a column, counted up to one more than kManyClasses; 0 where one is neither a text nor a whole
// number, or not below `classes`.
std::size_t count_classes(const io::CsvTable& table, std::size_t column, std::int64_t classes) {
  std::set<std::string_view> values;
  for (std::size_t r = 0; r < table.rows() && values.size() <= kManyClasses; ++r) {
    const std::string_view cell = table.trimmed(r, column);
    if (!values.insert(cell).second) continue;
    const std::optional<std::int64_t> whole = parse_int(cell);
    if (!whole && (classes > 0 || table.resembles_number(r, column))) return 0;
    if (classes > 0 && (*whole < 0 || *whole >= classes)) return 0;
  }
  return values.size();
}

// A label in the first column must not pass for an input because nobody named it.
void refuse_label_in_front(const io::CsvTable& table) {
  const std::size_t first = count_classes(table, 0, 0);
  const std::size_t last = count_classes(table, table.columns() - 1, 0);
  const bool first_may_be = first >= 2 && first <= kManyClasses;
  const bool last_is_better = last >= 2 && last <= first;
  if (!first_may_be || last_is_better) return;
  throw Error(ErrorKind::kData,
              fmt::format("{}: the classes could be in the first column ({} different values) or in the last; set "
                          "data.target: 0 or data.target: -1, or the name of another column",
                          table.name(), first));
}

}  // namespace

std::size_t target_column(const io::CsvTable& table, const DataOptions& options) {
  if (options.target != "auto") return table.column(options.target);
  if (const std::optional<std::size_t> named = named_target(table)) return *named;
  if (options.task == "classification" && table.columns() > 2) refuse_label_in_front(table);
  return table.columns() - 1;
}

std::vector<std::size_t> used_columns(const io::CsvTable& table, const DataOptions& options, std::size_t target) {
  std::set<std::size_t> ignored;
  for (const std::string& name : options.ignore) {
    if (table.column(name) == target)
      throw Error(ErrorKind::kData, fmt::format("{}: data.ignore names the target, got \"{}\"", table.name(), name));
    ignored.insert(table.column(name));
  }
  std::vector<std::size_t> used;
  for (std::size_t c = 0; c < table.columns(); ++c)
    if (ignored.count(c) == 0) used.push_back(c);
  if (used.size() < 2)
    throw Error(ErrorKind::kData, fmt::format("{}: {} columns, {} of them ignored, expected features and a target",
                                              table.name(), table.columns(), ignored.size()));
  return used;
}

std::size_t label_among_pixels(const io::CsvTable& table, std::int64_t classes) {
  if (const std::optional<std::size_t> named = named_target(table)) return *named;
  const std::size_t end = table.columns() - 1;
  const std::size_t first = count_classes(table, 0, classes);
  const std::size_t last = count_classes(table, end, classes);
  if (first != last) return first > last ? 0 : end;
  throw Error(
      ErrorKind::kData,
      fmt::format("{}: {} columns, one more than a picture has pixels, and the label could be in the first or in "
                  "the last; leave it out, or call its column label in a header",
                  table.name(), table.columns()));
}

}  // namespace scorevi::data
