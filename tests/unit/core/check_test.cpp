#include "scorevi/core/check.h"

#include <gmock/gmock.h>

#include "scorevi/core/error.h"

namespace scorevi {
namespace {

TEST(Check, ShowsExpressionAndBothValues) {
  const int rows = 3;
  SCOREVI_CHECK(rows == 3);
  SCOREVI_CHECK_OP(rows, ==, 3);
  try {
    SCOREVI_CHECK_OP(rows, ==, 4);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("rows == 4 (3 against 4)"));
    EXPECT_THAT(error.what(), testing::HasSubstr("check_test.cpp"));
  }
  EXPECT_THROW(SCOREVI_CHECK(rows == 4), InternalError);
}

TEST(Error, KeepsItsKind) {
  const Error error(ErrorKind::kData, "file: bad");
  EXPECT_EQ(error.kind(), ErrorKind::kData);
  EXPECT_STREQ(error.what(), "file: bad");
}

}  // namespace
}  // namespace scorevi
