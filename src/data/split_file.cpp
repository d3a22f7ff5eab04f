#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/data/split.h"

namespace scorevi::data {
namespace {

constexpr int kFormat = 1;
constexpr std::int64_t kMaxFileBytes = std::int64_t{1} << 30;

[[noreturn]] void bad_file(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::kData, where + ": " + what);
}

std::vector<std::int64_t> part(const nlohmann::json& json, const char* name, const std::string& where) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array()) {
    bad_file(where, fmt::format("split: \"{}\" is missing, expected a list of rows", name));
  }
  for (const nlohmann::json& row : *found) {
    if (!row.is_number_integer()) {
      bad_file(where, fmt::format("split: \"{}\" holds {}, expected row numbers", name, row.dump()));
    }
  }
  return found->get<std::vector<std::int64_t>>();
}

}  // namespace

std::string split_to_json(const Split& split, std::int64_t rows) {
  nlohmann::ordered_json json;
  json["format"] = kFormat;
  json["rows"] = rows;
  json["train"] = split.train;
  json["validation"] = split.validation;
  json["test"] = split.test;
  return json.dump() + "\n";
}

Split split_from_json(std::string_view text, std::int64_t rows, const std::string& where) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) bad_file(where, "not a split: expected a JSON object");
  if (json.value("format", nlohmann::json()) != kFormat) {
    bad_file(where,
             fmt::format("split format {}, expected {}", json.value("format", nlohmann::json()).dump(), kFormat));
  }
  const nlohmann::json made_for = json.value("rows", nlohmann::json());
  if (made_for != rows) {
    bad_file(where, fmt::format("split of {} rows, expected {}: the data are not the same", made_for.dump(), rows));
  }
  Split split{part(json, "train", where), part(json, "validation", where), part(json, "test", where)};
  check_split(split, rows, where);
  return split;
}

void save_split(const std::string& path, const Split& split, std::int64_t rows) {
  write_file_atomic(path, split_to_json(split, rows));
}

Split load_split(const std::string& path, std::int64_t rows) {
  return split_from_json(read_file(path, kMaxFileBytes), rows, path);
}

}  // namespace scorevi::data
