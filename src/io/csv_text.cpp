#include "csv_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

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

}  // namespace scorevi::io
