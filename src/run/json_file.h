// JSON files of a run.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace scorevi::run {

// null for what is not finite, which JSON has no number for.
nlohmann::json number(double value);

// Indented, written atomically. Texts hold paths, which may be any bytes: those that are no UTF-8 become U+FFFD.
void write_json(const std::string& path, const nlohmann::json& object);

}  // namespace scorevi::run
