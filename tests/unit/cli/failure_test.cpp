#include "failure.h"

#include <gtest/gtest.h>

namespace scorevi::cli {
namespace {

TEST(Failure, ExitCodes) {
  EXPECT_EQ(exit_code(ErrorKind::kRuntime), 1);
  EXPECT_EQ(exit_code(ErrorKind::kUsage), 2);
  EXPECT_EQ(exit_code(ErrorKind::kData), 3);
  EXPECT_EQ(exit_code(ErrorKind::kNumerical), 4);
}

}  // namespace
}  // namespace scorevi::cli
