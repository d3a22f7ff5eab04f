#include "scorevi/run/failure.h"

#include <new>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scorevi::run {
namespace {

using ::testing::StartsWith;

std::string text_of(const std::string& message) { return failure_text(std::runtime_error(message)); }

TEST(FailureText, AllocationsAreToldWithTheirSize) {
  EXPECT_THAT(text_of("[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you "
                      "tried to allocate 1000000000000 bytes. Error code 12 (Cannot allocate memory)\nException raised "
                      "from alloc_cpu at alloc_cpu.cpp:127"),
              StartsWith("out of memory: tried to allocate 931.3 GiB; try a smaller data.batch_size"));
  EXPECT_THAT(text_of("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 139.80 GiB"),
              StartsWith("out of memory: tried to allocate 2.50 GiB; try"));
  EXPECT_THAT(text_of("you tried to allocate 99999999999999999999 bytes."),
              StartsWith("out of memory: tried to allocate more than there is; try"));
  EXPECT_THAT(failure_text(std::bad_alloc()), StartsWith("out of memory; try"));
}

TEST(FailureText, StackTracesAreLeftOut) {
  EXPECT_EQ(text_of("shapes differ\nException raised from meta at x.cpp:3\nframe #0: f"), "shapes differ");
  EXPECT_EQ(text_of("two\nlines\nframe #0: f"), "two\nlines");
  EXPECT_EQ(text_of("plain"), "plain");
}

}  // namespace
}  // namespace scorevi::run
