#include "json_numbers.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace scorevi::bench {

using nlohmann::json;

json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "inf" || text == "-inf") return text == "inf" ? HUGE_VAL : -HUGE_VAL;
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  throw std::runtime_error("got \"" + text + "\", expected a number");
}

json numbers_json(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) list.push_back(number_json(value));
  return list;
}

std::vector<double> numbers_of(const json& list) {
  std::vector<double> values;
  for (const json& value : list) values.push_back(number_of(value));
  return values;
}

}  // namespace scorevi::bench
