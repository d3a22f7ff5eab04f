#include "scorevi/core/suggest.h"

#include <algorithm>
#include <array>

#include "scorevi/core/text.h"

namespace scorevi {
namespace {

// Longer texts are no typing mistakes of a name, and cost |a| |b|.
constexpr std::size_t kMaxLength = 64;

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::array<std::vector<int>, 3> rows;  // before last, last, current
  for (auto& row : rows) row.resize(width);
  for (std::size_t j = 0; j < width; ++j) rows[2][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
    auto& [before, last, current] = rows;
    current[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < width; ++j) {
      const int replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({replace, last[j] + 1, current[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
  }
  return rows[2][width - 1];
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > kMaxLength) return "";
  const std::string wanted = lower_case(name);
  const std::string* best = nullptr;
  int best_distance = (name.size() < 3 ? 0 : static_cast<int>(name.size()) / 3) + 1;
  std::vector<const std::string*> completions;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kMaxLength) continue;
    const std::string known = lower_case(candidate);
    const int distance = edit_distance(wanted, known);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
    if (name.size() >= 3 && known.compare(0, wanted.size(), wanted) == 0) completions.push_back(&candidate);
  }
  if (best == nullptr && completions.size() == 1) best = completions.front();
  return best == nullptr ? "" : " (did you mean \"" + *best + "\"?)";
}

std::string join(const std::vector<std::string>& items, std::string_view separator) {
  std::string result;
  for (const std::string& item : items) {
    if (&item != &items.front()) result += separator;
    result += item;
  }
  return result;
}

std::string join_first(const std::vector<std::string>& items, std::size_t most) {
  if (items.size() <= most) return join(items);
  return join({items.begin(), items.begin() + static_cast<std::ptrdiff_t>(most)}) + ", ...";
}

}  // namespace scorevi
