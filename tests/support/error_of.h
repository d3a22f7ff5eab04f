// The Error that a call throws, for assertions on its kind and its message.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "scorevi/core/error.h"

namespace scorevi::test {

struct ThrownError {
  ErrorKind kind;
  std::string message;
};

template <class Call>
ThrownError error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  ADD_FAILURE() << "expected a scorevi::Error, nothing was thrown";
  return {ErrorKind::kRuntime, ""};
}

// The message of an Error of that kind.
template <class Call>
std::string message_of(ErrorKind kind, Call&& call) {
  const ThrownError error = error_of(call);
  EXPECT_EQ(static_cast<int>(error.kind), static_cast<int>(kind)) << error.message;
  return error.message;
}

}  // namespace scorevi::test
