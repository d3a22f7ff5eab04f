#include "own_pictures.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "picture_contents.h"
#include "scorevi/core/log.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/terminal.h"
#include "scorevi/data/registry.h"

namespace scorevi::run {
namespace {

enum Part : std::size_t { kTrain, kValidation, kTest, kParts };
using Groups = std::vector<std::vector<int64_t>>;

constexpr std::size_t kNamedPairs = 3;

// What must not be in two parts, and what it does.
struct Overlap {
  Part of, with;
  const char* what;
  const char* harm;
};
constexpr Overlap kOverlaps[] = {
    {kTest, kTrain, "test pictures are training pictures too", "the test makes the network look better than it is"},
    {kTest, kValidation, "test pictures are validation pictures too",
     "the network was chosen by them, and the test makes it look better than it is"},
    {kValidation, kTrain, "validation pictures are training pictures too",
     "the validation makes the network look better than it is, and may choose the wrong weights"}};

// Rows of the same size; files that are empty or not there are told by whoever needs them.
std::map<int64_t, std::vector<int64_t>> rows_by_size(const data::Pictures& pictures, const std::vector<int64_t>& rows) {
  std::map<int64_t, std::vector<int64_t>> result;
  for (const int64_t row : rows) result[bytes_of(pictures, row)].push_back(row);
  result.erase(0);
  return result;
}

// Of `rows`, those whose files are equal byte for byte: two or more in each group.
Groups equal_files(const data::Pictures& pictures, const std::vector<int64_t>& rows) {
  Groups groups;
  for (const auto& [bytes, of_size] : rows_by_size(pictures, rows)) {
    if (of_size.size() < 2) continue;
    std::map<std::string, std::vector<int64_t>> by_content;
    for (const int64_t row : of_size) by_content[content_of(pictures, row)].push_back(row);
    by_content.erase("");
    for (const auto& [content, equal] : by_content)
      if (equal.size() > 1) groups.push_back(equal);
  }
  return groups;
}

// "train/a.jpg = test/b.jpg" for each row that counts(row, partner); the partner is the first row of its group that
// `may_be` one.
template <class MayBe, class Counts>
std::vector<std::string> pairs_in(const data::Pictures& pictures, const Groups& groups, const MayBe& may_be,
                                  const Counts& counts) {
  std::vector<std::string> pairs;
  for (const std::vector<int64_t>& group : groups) {
    const auto partner = std::find_if(group.begin(), group.end(), may_be);
    if (partner == group.end()) continue;
    for (const int64_t row : group)
      if (counts(row, *partner))
        pairs.push_back(printable(pictures.name(*partner)) + " = " + printable(pictures.name(row)));
  }
  return pairs;
}

}  // namespace

void tell_shared_pictures(const DataParts& parts) {
  if (!data::is_own_pictures(parts.dataset.name)) return;
  const data::Pictures& pictures = *parts.dataset.pictures;
  const std::vector<int64_t>* const rows_of[kParts] = {&parts.split.train, &parts.split.validation, &parts.split.test};
  std::vector<int64_t> all;
  std::vector<Part> part_of(static_cast<std::size_t>(parts.dataset.size()), kParts);
  for (const Part part : {kTrain, kValidation, kTest})
    for (const int64_t row : *rows_of[part]) {
      all.push_back(row);
      part_of[static_cast<std::size_t>(row)] = part;
    }
  const Groups groups = equal_files(pictures, all);
  for (const Overlap& overlap : kOverlaps) {
    const auto is_in = [&](int64_t row, Part part) { return part_of[static_cast<std::size_t>(row)] == part; };
    const std::vector<std::string> shared = pairs_in(
        pictures, groups, [&](int64_t row) { return is_in(row, overlap.with); },
        [&](int64_t row, int64_t /*partner*/) { return is_in(row, overlap.of); });
    if (!shared.empty())
      log().warn("{}: {} of {} {}, byte for byte; {}: {}", parts.dataset.name, shared.size(),
                 rows_of[overlap.of]->size(), overlap.what, overlap.harm, join_first(shared, kNamedPairs));
  }
  const auto* label = parts.dataset.targets.const_data_ptr<int64_t>();
  const std::vector<std::string> torn = pairs_in(
      pictures, groups, [](int64_t /*row*/) { return true; },
      [label](int64_t row, int64_t partner) { return label[row] != label[partner]; });
  if (!torn.empty())
    log().warn("{}: {} pictures are there in another class too, byte for byte; one of the two is wrong: {}",
               parts.dataset.name, torn.size(), join_first(torn, kNamedPairs));
}

}  // namespace scorevi::run
