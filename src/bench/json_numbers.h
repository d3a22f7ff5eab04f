// Numbers in JSON, those that are not finite as texts: "nan", "inf", "-inf".
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

namespace scorevi::bench {

nlohmann::json number_json(double value);
nlohmann::json numbers_json(const std::vector<double>& values);

// Throw std::exception where there are no such numbers.
double number_of(const nlohmann::json& value);
std::vector<double> numbers_of(const nlohmann::json& list);

}  // namespace scorevi::bench
