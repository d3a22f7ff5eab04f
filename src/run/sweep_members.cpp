// The members of a sweep.
#include <algorithm>
#include <set>

#include "scorevi/run/sweep.h"

namespace scorevi::run {
namespace {

constexpr std::size_t kLongestValue = 40;

// Readable and safe in a file name.
std::string file_text(const std::string& value) {
  std::string result;
  for (const unsigned char c : value) {
    const bool safe = c < 0x80 && (std::isalnum(c) || c == '.' || c == '_' || c == '+' || c == '-');
    if (safe)
      result += static_cast<char>(c);
    else if (!result.empty() && result.back() != '-')
      result += '-';
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.substr(0, kLongestValue);
}

struct Assignment {
  const SweepAxis* axis;
  std::size_t value;
};

// Every combination of the axes, the first one slowest.
std::vector<std::vector<Assignment>> combinations(const std::vector<SweepAxis>& axes) {
  std::vector<std::vector<Assignment>> result(1);
  for (const SweepAxis& axis : axes) {
    std::vector<std::vector<Assignment>> longer;
    for (const auto& head : result)
      for (std::size_t value = 0; value < axis.values.size(); ++value) {
        longer.push_back(head);
        longer.back().push_back({&axis, value});
      }
    result = std::move(longer);
  }
  return result;
}

SweepMember make_member(const SweepOptions& options, const SweepVariant& variant, const std::vector<Assignment>& axes,
                        const SweepValue& seed) {
  SweepMember member;
  member.variant = variant.name;
  member.seed = seed.text;
  member.id = variant.name;
  const auto add = [&member](const std::vector<SweepOverride>& overrides) {
    member.overrides.insert(member.overrides.end(), overrides.begin(), overrides.end());
  };
  add(options.common);
  add(variant.overrides);
  for (const auto& [axis, index] : axes) {
    const SweepValue& value = axis->values[index];
    member.axes.push_back(value.text);
    member.overrides.push_back({axis->key + "=" + value.text, value.place});
    add(value.extras);
    member.id += "__" + file_text(axis->key) + "=" + file_text(value.text);
  }
  if (!seed.text.empty()) {
    member.overrides.push_back({"seed=" + seed.text, seed.place});
    member.id += "__seed=" + file_text(seed.text);
  }
  add(options.overrides);
  return member;
}

}  // namespace

std::vector<std::string> sweep_axes(const SweepOptions& options) {
  std::vector<std::string> keys;
  for (const SweepAxis& axis : options.grid)
    if (axis.key != "seed") keys.push_back(axis.key);
  return keys;
}

std::vector<SweepMember> expand_sweep(const SweepOptions& options) {
  std::vector<SweepAxis> axes;
  std::vector<SweepValue> seeds(1);
  for (const SweepAxis& axis : options.grid) {
    if (axis.key == "seed")
      seeds = axis.values;
    else
      axes.push_back(axis);
  }
  std::vector<SweepMember> members;
  std::set<std::string> ids;
  for (const auto& combination : combinations(axes))
    for (const SweepVariant& variant : options.variants)
      for (const SweepValue& seed : seeds) {
        SweepMember member = make_member(options, variant, combination, seed);
        // Values that differ only in characters that a file name cannot show.
        const std::string id = member.id;
        for (int copy = 2; !ids.insert(member.id).second; ++copy) member.id = id + "__" + std::to_string(copy);
        members.push_back(std::move(member));
      }
  return members;
}

}  // namespace scorevi::run
