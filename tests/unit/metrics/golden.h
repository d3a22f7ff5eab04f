// Golden files as tensors and numbers; `.nan`, `.inf`, `-.inf` are strings in them, null does not
// exist.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace scorevi::metrics {

using Json = nlohmann::json;

inline Json golden(const std::string& name) {
  std::ifstream file("tests/golden/numbers/" + name);
  EXPECT_TRUE(file.good()) << name;
  return Json::parse(file);
}

inline double number(const Json& v) {
  if (v.is_null() || v == ".nan") return std::numeric_limits<double>::quiet_NaN();
  if (v == ".inf") return std::numeric_limits<double>::infinity();
  if (v == "-.inf") return -std::numeric_limits<double>::infinity();
  return v.get<double>();
}

// Lists of lists, flattened.
inline void flatten(const Json& v, std::vector<double>* out) {
  if (!v.is_array()) {
    out->push_back(number(v));
    return;
  }
  for (const Json& item : v) flatten(item, out);
}

inline std::vector<double> numbers(const Json& v) {
  std::vector<double> out;
  flatten(v, &out);
  return out;
}

inline at::Tensor tensor(const Json& v) {
  std::vector<std::int64_t> shape;
  for (const Json* p = &v; p->is_array(); p = &p->front()) {
    shape.push_back(static_cast<std::int64_t>(p->size()));
    if (p->empty()) break;
  }
  const std::vector<double> flat = numbers(v);
  return at::tensor(flat, at::kDouble).reshape(shape);
}

inline at::Tensor labels(const Json& v) { return at::tensor(v.get<std::vector<std::int64_t>>(), at::kLong); }

// |actual - expected| <= tolerance * max(1, |expected|); NaN equals NaN, infinities equal
// themselves.
inline void expect_close(double actual, double expected, double tolerance, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << what << " got " << actual;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(actual, expected) << what;
  } else {
    EXPECT_NEAR(actual, expected, tolerance * std::max(1.0, std::abs(expected))) << what;
  }
}

}  // namespace scorevi::metrics
