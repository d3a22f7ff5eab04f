// One JSON file of a posterior: its data with checked shapes and values, and what is known about it.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "scorevi/targets/registry.h"

namespace scorevi::targets {

// What a number of the data may be.
struct Bound {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above = false;  // low itself is not allowed
  bool whole = false;
};

inline constexpr Bound kAnyNumber{};
inline constexpr Bound kPositive{0, std::numeric_limits<double>::infinity(), /*above=*/true};
inline constexpr Bound kCount{0, 9007199254740992.0, /*above=*/false, /*whole=*/true};

// All errors are Error(kData) "FILE: data.FIELD: what, got VALUE, expected CONSTRAINT". Memory stays within about
// twenty times the size of the text.
class PosteriorFile {
 public:
  // The file's text, with its path for messages. Throws where it is no JSON object or is about another posterior than
  // `name`.
  PosteriorFile(std::string_view text, const std::string& path, const std::string& name);

  // Fields of "data": a whole number, a number, a list of n numbers, a list of rows (returned row by row).
  int64_t count(const char* field, int64_t low, int64_t high = 10'000'000) const;
  double number(const char* field, const Bound& bound = kAnyNumber) const;
  std::vector<double> numbers(const char* field, int64_t n, const Bound& bound = kAnyNumber) const;
  std::vector<double> matrix(const char* field, int64_t rows, int64_t columns, const Bound& bound = kAnyNumber) const;

  // "unconstrained_names".
  std::vector<std::string> coordinates(int64_t dim) const;
  // "reference_unconstrained": moments of the draws in the coordinates of the density, with the standard errors
  // sd / sqrt(n) of a mean and sd / sqrt(2 n) of a standard deviation of n independent draws of a normal variable.
  Reference reference(int64_t dim) const;

  [[noreturn]] void refuse(const std::string& field, const std::string& what) const;

 private:
  std::string path_;
  nlohmann::json root_;
};

}  // namespace scorevi::targets
