// Checks for programmer errors (our bugs). A user's mistake is an Error instead.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace scorevi {

// Thrown by SCOREVI_CHECK*: a broken invariant of scorevi itself.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

[[noreturn]] void check_failed(const char* file, int line, const char* expression, const std::string& values);

template <class A, class B>
std::string both_values(const A& a, const B& b) {
  std::ostringstream out;
  out << " (" << a << " against " << b << ")";
  return out.str();
}

}  // namespace detail
}  // namespace scorevi

#define SCOREVI_CHECK(condition)                                                           \
  do {                                                                                     \
    if (!(condition)) ::scorevi::detail::check_failed(__FILE__, __LINE__, #condition, ""); \
  } while (false)

// Compares two values and shows both when the comparison fails: SCOREVI_CHECK_OP(a, ==, b).
#define SCOREVI_CHECK_OP(a, op, b)                                               \
  do {                                                                           \
    if (!((a)op(b)))                                                             \
      ::scorevi::detail::check_failed(__FILE__, __LINE__, #a " " #op " " #b,     \
                                      ::scorevi::detail::both_values((a), (b))); \
  } while (false)
