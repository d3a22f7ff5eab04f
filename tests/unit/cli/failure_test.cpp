#include "failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scorevi::cli {
namespace {

using ::testing::StartsWith;

TEST(Failure, ExitCodes) {
  EXPECT_EQ(exit_code(ErrorKind::kRuntime), 1);
  EXPECT_EQ(exit_code(ErrorKind::kUsage), 2);
  EXPECT_EQ(exit_code(ErrorKind::kData), 3);
  EXPECT_EQ(exit_code(ErrorKind::kNumerical), 4);
}

TEST(Failure, AllocationsAreToldWithTheirSize) {
  EXPECT_THAT(library_failure("[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate "
                              "memory: you tried to allocate 1000000000000 bytes. Error code 12 (Cannot allocate "
                              "memory)\nException raised from alloc_cpu at alloc_cpu.cpp:127"),
              StartsWith("out of memory: tried to allocate 931.3 GiB; try a smaller data.batch_size"));
  EXPECT_THAT(
      library_failure("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 139.80 GiB"),
      StartsWith("out of memory: tried to allocate 2.50 GiB; try"));
  EXPECT_THAT(library_failure("you tried to allocate 99999999999999999999 bytes."),
              StartsWith("out of memory: tried to allocate more than there is; try"));
}

TEST(Failure, StackTracesAreLeftOut) {
  EXPECT_EQ(library_failure("shapes differ\nException raised from meta at x.cpp:3\nframe #0: f"), "shapes differ");
  EXPECT_EQ(library_failure("two\nlines\nframe #0: f"), "two\nlines");
  EXPECT_EQ(library_failure("plain"), "plain");
}

}  // namespace
}  // namespace scorevi::cli
