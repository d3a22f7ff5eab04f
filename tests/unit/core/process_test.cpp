// log.h, signals.h, terminal.h.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/signals.h"
#include "scorevi/core/terminal.h"

namespace scorevi {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override { path_ = testing::TempDir() + "scorevi_log_test.txt"; }
  void TearDown() override {
    set_log_file("");
    init_log({});
    std::filesystem::remove(path_);
  }
  std::string file() const { return read_file(path_, 1 << 20); }

  std::string path_;
};

TEST_F(LogTest, CopiesToAFileWithoutColour) {
  set_log_file(path_);
  testing::internal::CaptureStderr();
  log().info("epoch {}", 3);
  log().debug("hidden");
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("info epoch 3"));
  EXPECT_THAT(file(), HasSubstr("info epoch 3"));
  EXPECT_THAT(file(), Not(HasSubstr("hidden")));
  EXPECT_THAT(file(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(shown, Not(HasSubstr("\x1b")));  // stderr is no terminal here
}

TEST_F(LogTest, QuietHidesInfoOnStderrOnly) {
  set_log_file(path_);
  init_log({"debug", /*quiet=*/true});
  testing::internal::CaptureStderr();
  log().debug("fine");
  log().warn("careful");
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, Not(HasSubstr("fine")));
  EXPECT_THAT(shown, HasSubstr("careful"));
  EXPECT_THAT(file(), HasSubstr("fine"));
}

TEST_F(LogTest, WarnsOnceAndCounts) {
  set_log_file(path_);
  for (int i = 0; i < 5; ++i) warn_once("negative variance", "variance below zero");
  log_suppressed_warnings();
  log_suppressed_warnings();
  const std::string text = file();
  const std::size_t first = text.find("warning variance below zero");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("warning variance below zero", first + 1), std::string::npos);
  const std::size_t summary = text.find("4 more times: variance below zero");
  ASSERT_NE(summary, std::string::npos);
  EXPECT_EQ(text.find("more times", summary + 10), std::string::npos);
}

TEST_F(LogTest, AFullDiskIsToldOnce) {
  set_log_file("/dev/full");
  testing::internal::CaptureStderr();
  log().info("first");
  log().info("second");
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_THAT(shown, HasSubstr("info first"));
  EXPECT_THAT(shown, HasSubstr("info second"));
  EXPECT_THAT(shown, HasSubstr("warning log file: cannot be written any more"));
  EXPECT_THAT(shown, HasSubstr("No space left on device"));
  EXPECT_EQ(shown.find("log file"), shown.rfind("log file"));
  EXPECT_THAT(shown, Not(HasSubstr("LOG ERROR")));
}

TEST_F(LogTest, Refusals) {
  EXPECT_THROW(init_log({"verbose", false}), Error);
  EXPECT_THROW(set_log_file("/proc/none/log.txt"), Error);
}

TEST(Signals, FirstSetsTheFlag) {
  install_signal_handlers();
  EXPECT_EQ(pending_signal(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(pending_signal(), SIGTERM);
  set_pending_signal(0);
  EXPECT_EQ(pending_signal(), 0);
}

TEST(SignalsDeathTest, WhatWasIgnoredStaysIgnored) {
  const auto raise_ignored = [] {
    std::signal(SIGINT, SIG_IGN);
    install_signal_handlers();
    std::raise(SIGINT);
    std::_Exit(pending_signal() == 0 ? 7 : 8);
  };
  EXPECT_EXIT(raise_ignored(), testing::ExitedWithCode(7), "");
}

void raise_twice(int signal_number) {
  std::signal(signal_number, SIG_DFL);
  install_signal_handlers();
  std::raise(signal_number);
  std::raise(signal_number);
}

TEST(SignalsDeathTest, SecondEndsAtOnce) {
  EXPECT_EXIT(raise_twice(SIGINT), testing::ExitedWithCode(130), "stopped at once");
  EXPECT_EXIT(raise_twice(SIGTERM), testing::ExitedWithCode(143), "stopped at once");
}

// A closed terminal sends SIGHUP from more than one place; the program must still save.
TEST(SignalsDeathTest, SeveralHangupsAreOne) {
  const auto hang_up = [] {
    std::signal(SIGHUP, SIG_DFL);
    install_signal_handlers();
    std::raise(SIGHUP);
    std::raise(SIGHUP);
    std::_Exit(pending_signal() == SIGHUP ? 7 : 8);
  };
  EXPECT_EXIT(hang_up(), testing::ExitedWithCode(7), "");
}

TEST(Signals, LoopsAreLeftWhenOneIsPending) {
  EXPECT_NO_THROW(stop_if_signalled());
  set_pending_signal(SIGTERM);
  EXPECT_THROW(stop_if_signalled(), Interrupted);
  set_pending_signal(0);
}

TEST(Terminal, PipesAreNoTerminals) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(is_tty(ends[1]));
  EXPECT_FALSE(colour_allowed(ends[1]));
  EXPECT_EQ(terminal_width(ends[1], 77), 77);
  ::close(ends[0]);
  ::close(ends[1]);
}

// A pseudo terminal: colour, unless NO_COLOR or a dumb terminal says otherwise.
TEST(Terminal, NoColorIsHonoured) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo terminals here";
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(is_tty(terminal));
  EXPECT_TRUE(colour_allowed(terminal));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(colour_allowed(terminal));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(colour_allowed(terminal));
  ::close(terminal);
}

}  // namespace
}  // namespace scorevi
