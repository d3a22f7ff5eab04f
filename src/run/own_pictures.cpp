#include "own_pictures.h"

#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/suggest.h"

namespace scorevi::run {
namespace {

namespace fs = std::filesystem;

using RowsBySize = std::map<std::uintmax_t, std::vector<int64_t>>;

constexpr std::size_t kNamedPairs = 3;

// Files that are not there are told by whoever needs them.
RowsBySize by_size(const data::Pictures& pictures, const std::vector<int64_t>& rows) {
  RowsBySize result;
  for (const int64_t row : rows) {
    std::error_code code;
    const std::uintmax_t bytes = fs::file_size(pictures.name(row), code);
    if (!code) result[bytes].push_back(row);
  }
  return result;
}

// "" where the file cannot be read.
std::string content_of(const data::Pictures& pictures, int64_t row) {
  try {
    return sha256_file(pictures.name(row));
  } catch (const Error&) {
    return "";
  }
}

// "train/a.jpg = test/b.jpg" for each test picture of `test` that is in `train`; all have the same size.
void add_shared(const data::Pictures& pictures, const std::vector<int64_t>& train, const std::vector<int64_t>& test,
                std::vector<std::string>& shared) {
  std::map<std::string, int64_t> row_of;
  for (const int64_t row : train) row_of.emplace(content_of(pictures, row), row);
  row_of.erase("");
  for (const int64_t row : test) {
    const auto found = row_of.find(content_of(pictures, row));
    if (found != row_of.end()) shared.push_back(pictures.name(found->second) + " = " + pictures.name(row));
  }
}

}  // namespace

bool are_own_pictures(const data::Dataset& dataset) {
  return dataset.name == "image_folder" || dataset.name == "image_list";
}

void tell_shared_pictures(const DataParts& parts) {
  if (!are_own_pictures(parts.dataset)) return;
  const data::Pictures& pictures = *parts.dataset.pictures;
  const RowsBySize train = by_size(pictures, parts.split.train);
  std::vector<std::string> shared;
  for (const auto& [bytes, rows] : by_size(pictures, parts.split.test)) {
    const auto found = train.find(bytes);
    if (found != train.end()) add_shared(pictures, found->second, rows, shared);
  }
  if (!shared.empty())
    log().warn(
        "{}: {} of {} test pictures are training pictures too, byte for byte; the test makes the network look "
        "better than it is: {}",
        parts.dataset.name, shared.size(), parts.split.test.size(), join_first(shared, kNamedPairs));
}

}  // namespace scorevi::run
