#include "progress.h"

#include <pty.h>
#include <unistd.h>

#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace scorevi::run {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What `call` writes to stderr while stderr is a terminal of that many columns.
template <class Call>
std::string on_terminal(unsigned short columns, Call&& call) {
  int controller = -1, terminal = -1;
  winsize size = {};
  size.ws_row = 24;
  size.ws_col = columns;
  if (::openpty(&controller, &terminal, nullptr, nullptr, &size) != 0) return "no terminal";
  const int before = ::dup(STDERR_FILENO);
  ::dup2(terminal, STDERR_FILENO);
  call();
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(terminal);
  std::string text;
  char part[256];
  for (ssize_t count = 0; (count = ::read(controller, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  ::close(controller);
  return text;
}

TEST(ProgressBar, ShowsTheShareThatIsDoneAndGoesAway) {
  const std::string shown = on_terminal(200, [] {
    ProgressBar bar(true, 40, 0);
    bar.update(10, 1, 4, 0.25, 1e-3, 500);
    bar.update(11, 1, 4, 9.75, 1e-3, 500);  // too soon after the first to be drawn
  });
  EXPECT_THAT(shown, StartsWith("\r\x1b[Kepoch 2/4 [#####...............] loss 0.25  lr 0.001  "));
  EXPECT_THAT(shown, ::testing::EndsWith(" left\r\x1b[K"));
  EXPECT_THAT(shown, Not(HasSubstr("9.75")));
}

TEST(ProgressBar, FitsTheTerminal) {
  const std::string shown = on_terminal(40, [] {
    ProgressBar bar(true, 40, 0);
    bar.update(40, 3, 4, 0.25, 1e-3, 500);
  });
  EXPECT_EQ(shown, "\r\x1b[Kepoch 4/4 [####################] loss 0\r\x1b[K");
}

TEST(ProgressBar, IsNotDrawnWhereItIsSwitchedOffOrNobodyLooks) {
  ::testing::internal::CaptureStderr();
  ProgressBar(true, 40, 0).update(10, 1, 4, 0.25, 1e-3, 500);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  const std::string shown = on_terminal(200, [] {
    ProgressBar(false, 40, 0).update(10, 1, 4, 0.25, 1e-3, 500);
    std::fprintf(stderr, "end");
  });
  EXPECT_EQ(shown, "end");
}

}  // namespace
}  // namespace scorevi::run
