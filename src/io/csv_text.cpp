#include "csv_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "scorevi/core/numbers.h"

namespace scorevi::io {
namespace {

constexpr std::array<char, 3> kCandidates = {'\t', ';', ','};
constexpr std::size_t kRowsToLookAt = 10;
constexpr std::size_t kBytesToLookAt = std::size_t{1} << 20;

using Counts = std::array<std::size_t, kCandidates.size()>;

// How often each candidate occurs outside quotes in each of the first rows.
std::vector<Counts> count_candidates(std::string_view text) {
  std::vector<Counts> rows;
  Counts counts{};
  bool quoted = false;
  bool empty = true;
  for (const char c : text.substr(0, kBytesToLookAt)) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '\n' || c == '\r')) {
      if (!empty) rows.push_back(counts);
      if (rows.size() == kRowsToLookAt) return rows;
      counts = {};
      empty = true;
      continue;
    }
    empty = false;
    for (std::size_t i = 0; i < kCandidates.size(); ++i) {
      if (!quoted && c == kCandidates[i]) ++counts[i];
    }
  }
  if (!empty) rows.push_back(counts);
  return rows;
}

// Digits in groups: up to three, then threes, and any number in the last.
bool is_grouped(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  std::size_t digits = 0, groups = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      ++digits;
      continue;
    }
    if (std::string_view(".,' ").find(c) == std::string_view::npos) return false;
    if (digits == 0 || digits > 3 || (groups > 0 && digits != 3)) return false;
    ++groups;
    digits = 0;
  }
  return digits > 0;
}

}  // namespace

char guess_delimiter(std::string_view text) {
  const std::vector<Counts> rows = count_candidates(text);
  if (rows.empty()) return ',';
  const Counts& first = rows.front();
  for (std::size_t i = 0; i < kCandidates.size(); ++i) {
    const bool even =
        std::all_of(rows.begin(), rows.end(), [&](const Counts& counts) { return counts[i] == first[i]; });
    if (even && first[i] > 0) return kCandidates[i];
  }
  const auto most = std::max_element(first.begin(), first.end());
  return *most > 0 ? kCandidates[static_cast<std::size_t>(most - first.begin())] : ',';
}

bool resembles_number(std::string_view text) {
  std::string point(text);
  if (const std::size_t comma = text.find(','); comma != std::string_view::npos) point[comma] = '.';
  return parse_double(point).has_value() || is_grouped(text);
}

}  // namespace scorevi::io
