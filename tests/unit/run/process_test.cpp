#include "scorevi/run/process.h"

#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "scorevi/core/signals.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::run {
namespace {

using ::testing::HasSubstr;

ProcessOptions shell(const std::string& script, const std::string& log) { return {{"/bin/sh", "-c", script}, {}, log}; }

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Process, OutputGoesToTheLogAndTheExitCodeComesBack) {
  const test::TempDir folder;
  const std::string log = folder.write("log.txt", "before\n");
  ProcessPool pool;
  ProcessOptions options = shell("echo \"out $NAME\"; echo err >&2; cat; exit 3", log);
  options.environment = {"NAME=value"};
  const pid_t pid = pool.start(options);
  const auto end = pool.wait_any(10);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->pid, pid);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->signal, 0);
  EXPECT_FALSE(end->ok());
  EXPECT_EQ(end->text(), "exit code 3");
  EXPECT_EQ(contents(log), "before\nout value\nerr\n");
  EXPECT_EQ(pool.running(), 0u);
}

TEST(Process, ArgumentsArePassedUnchanged) {
  const test::TempDir folder;
  ProcessPool pool;
  pool.start({{"/usr/bin/printf", "[%s]", "a b", "$HOME", "model.hidden=[1, \"2\"]", ""}, {}, folder.file("log")});
  ASSERT_TRUE(pool.wait_any(10)->ok());
  EXPECT_EQ(contents(folder.file("log")), "[a b][$HOME][model.hidden=[1, \"2\"]][]");
}

TEST(Process, ChildrenEndInAnyOrder) {
  const test::TempDir folder;
  ProcessPool pool;
  const pid_t slow = pool.start(shell("sleep 0.4", folder.file("a")));
  const pid_t fast = pool.start(shell("exit 0", folder.file("b")));
  EXPECT_EQ(pool.wait_any(10)->pid, fast);
  EXPECT_EQ(pool.wait_any(10)->pid, slow);
  EXPECT_FALSE(pool.wait_any(10).has_value());
}

TEST(Process, SignalsAreForwardedOnceAndReported) {
  const test::TempDir folder;
  ProcessPool pool;
  pool.start(shell("trap 'exit 130' INT; echo ready; while :; do sleep 0.05; done", folder.file("log")));
  pool.start(shell("echo ready; exec sleep 30", folder.file("other")));
  while (contents(folder.file("log")).empty() || contents(folder.file("other")).empty())
    EXPECT_FALSE(pool.wait_any(0.02).has_value());
  pool.signal_all(SIGINT);
  const auto first = pool.wait_any(10), second = pool.wait_any(10);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->exit_code, 130);
  EXPECT_EQ(second->exit_code, 130);
  EXPECT_EQ(first->signal + second->signal, SIGINT);  // one caught it, one died of it
  EXPECT_THAT(first->text() + second->text(), HasSubstr("signal 2 (Interrupt)"));
}

TEST(Process, APendingSignalEndsTheWait) {
  const test::TempDir folder;
  ProcessPool pool;
  pool.start(shell("exec sleep 30", folder.file("log")));
  set_pending_signal(SIGTERM);
  EXPECT_FALSE(pool.wait_any(60, /*stop_on_signal=*/true).has_value());
  set_pending_signal(0);
  EXPECT_EQ(pool.running(), 1u);  // the pool's end kills it
}

TEST(Process, AMissingProgramIsAnError) {
  const test::TempDir folder;
  ProcessPool pool;
  const std::string message = test::message_of(ErrorKind::kRuntime, [&] {
    pool.start({{"/no/such/program"}, {}, folder.file("log")});
  });
  EXPECT_EQ(message, "/no/such/program: cannot start: No such file or directory");
  EXPECT_EQ(pool.running(), 0u);
  EXPECT_THAT(test::message_of(ErrorKind::kRuntime, [&] { pool.start(shell("true", "/no/folder/log")); }),
              HasSubstr("/no/folder/log: cannot open: No such file"));
}

TEST(Process, LastLinesAreCleanText) {
  const test::TempDir folder;
  const std::string path = folder.write("log", "one\n\x1b[31mtwo\x1b[0m\n\n50 %\r100 %\nlast");
  EXPECT_EQ(last_lines(path, 2), "50 %100 %\nlast");
  EXPECT_EQ(last_lines(path, 10), "one\ntwo\n50 %100 %\nlast");
  EXPECT_EQ(last_lines(path, 10, 4), "two\n50 %100 %\nlast");
  EXPECT_EQ(last_lines(path, 10, 1000), "");
  EXPECT_EQ(last_lines(folder.file("none"), 3), "");
}

TEST(Process, TheRunningProgramIsKnown) { EXPECT_THAT(current_program(), HasSubstr("test_")); }

}  // namespace
}  // namespace scorevi::run
