#include <algorithm>
#include <set>

#include "scorevi/core/error.h"
#include "scorevi/core/glob.h"
#include "scorevi/core/suggest.h"
#include "scorevi/params/flat_layout.h"

namespace scorevi::params {
namespace {

// The names themselves and "<module>.*" for every module they lie in.
std::vector<std::string> possible_patterns(const FlatLayout& layout) {
  std::set<std::string> patterns;
  for (const FlatEntry& entry : layout.entries()) {
    patterns.insert(entry.name);
    for (size_t dot = entry.name.find('.'); dot != std::string::npos; dot = entry.name.find('.', dot + 1))
      patterns.insert(entry.name.substr(0, dot) + ".*");
  }
  return {patterns.begin(), patterns.end()};
}

void check_pattern_is_used(const FlatLayout& layout, const std::string& pattern, const std::string& what) {
  for (const FlatEntry& entry : layout.entries())
    if (glob_match(pattern, entry.name)) return;
  const std::vector<std::string> known = possible_patterns(layout);
  std::string hint = did_you_mean(pattern, known);
  if (hint.empty() && !known.empty()) {
    const std::vector<std::string> some(known.begin(), known.begin() + std::min<size_t>(known.size(), 12));
    hint = "; for example " + join(some);
  }
  throw Error(ErrorKind::kUsage, what + ": fits no parameter, got \"" + pattern +
                                     "\", expected a pattern that fits at least one name" + hint);
}

int first_match(const std::vector<std::string>& patterns, const std::string& name) {
  for (size_t i = 0; i < patterns.size(); ++i)
    if (glob_match(patterns[i], name)) return static_cast<int>(i);
  return -1;
}

}  // namespace

std::vector<GroupRange> group_ranges(const FlatLayout& layout, const std::vector<std::string>& patterns,
                                     const std::string& what) {
  for (const std::string& pattern : patterns) check_pattern_is_used(layout, pattern, what);
  std::vector<GroupRange> ranges;
  for (const FlatEntry& entry : layout.entries()) {
    if (entry.numel == 0) continue;
    const int group = first_match(patterns, entry.name);
    const int64_t end = entry.offset + entry.numel;
    if (!ranges.empty() && ranges.back().group == group) {
      ranges.back().end = end;
    } else {
      GroupRange range;
      range.begin = entry.offset;
      range.end = end;
      range.group = group;
      ranges.push_back(range);
    }
  }
  return ranges;
}

}  // namespace scorevi::params
