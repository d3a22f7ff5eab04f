// atomic_file.h, sha256.h, csv_writer.h.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/csv_writer.h"
#include "scorevi/core/sha256.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMax = 1 << 20;

class FileTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return dir_.file(name); }
  std::string folder() const { return dir_.path().string(); }

  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(dir_.path())) result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  test::TempDir dir_;
};

template <class Call>
std::string runtime_error_of(Call&& call) {
  return test::message_of(ErrorKind::kRuntime, call);
}

template <class Call>
std::string data_error_of(Call&& call) {
  return test::message_of(ErrorKind::kData, call);
}

using AtomicFileTest = FileTest;
using CsvWriterTest = FileTest;
using Sha256Test = FileTest;

TEST_F(AtomicFileTest, AppearsOnlyWhenCommitted) {
  write_file_atomic(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write("new ");
    file.write("text");
    EXPECT_EQ(read_file(path("a"), kMax), "old");
    EXPECT_EQ(file.written_bytes(), 8);
    file.commit();
  }
  EXPECT_EQ(read_file(path("a"), kMax), "new text");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(AtomicFileTest, AbandonedWriteKeepsTheOldFile) {
  write_file_atomic(path("a"), "old");
  { AtomicFile(path("a")).write("half"); }
  EXPECT_EQ(read_file(path("a"), kMax), "old");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(AtomicFileTest, ErrorsNamePathAndReason) {
  EXPECT_THAT(runtime_error_of([&] { write_file_atomic(path("none/a"), "x"); }),
              testing::AllOf(HasSubstr("none/a"), HasSubstr("No such file or directory")));
  EXPECT_THAT(runtime_error_of([&] { write_file_atomic(folder(), "x"); }), HasSubstr("Is a directory"));
  EXPECT_THAT(runtime_error_of([&] { write_file_atomic("/dev/full", "x"); }),
              testing::AllOf(HasSubstr("/dev/full"), HasSubstr("No space left on device")));
  EXPECT_THAT(names(), ElementsAre());
}

// A file-size limit stands for the full disk: the write fails half-way.
TEST_F(AtomicFileTest, FailedWriteRemovesTheTemporary) {
  write_file_atomic(path("a"), "old");
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = runtime_error_of([&] { write_file_atomic(path("a"), std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, testing::AllOf(HasSubstr("File too large"), HasSubstr("after 1000 bytes")));
  EXPECT_EQ(read_file(path("a"), kMax), "old");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(AtomicFileTest, WritesStraightToAPipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_file_atomic(path("pipe"), "text");
  char bytes[8] = {};
  EXPECT_EQ(::read(reader, bytes, sizeof(bytes)), 4);
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(AtomicFileTest, RefusesTwoWritersOfOneFile) {
  AtomicFile first(path("a"));
  EXPECT_THAT(runtime_error_of([&] { AtomicFile second(path("a")); }), HasSubstr("written twice"));
  first.write("x");
  first.commit();
  EXPECT_EQ(read_file(path("a"), kMax), "x");
}

// A child is killed in the middle of a write, as by `kill -9` during a save.
TEST_F(AtomicFileTest, StaleTemporariesAreRemovedAndLiveOnesStay) {
  write_file_atomic(path("a"), "old");
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(path("a"));
    file.write("half");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_file(path("a"), kMax), "old");
  const std::string stale = ".a." + std::to_string(child) + ".tmp";
  std::ofstream(path(".keep.tmp")) << "not ours";
  std::ofstream(path("b.123.tmp")) << "not ours";
  AtomicFile live(path("c"));
  EXPECT_THAT(remove_stale_temporaries(folder()), ElementsAre(stale));
  live.write("c");
  live.commit();
  EXPECT_THAT(names(), ElementsAre(".keep.tmp", "a", "b.123.tmp", "c"));
  EXPECT_TRUE(remove_stale_temporaries(path("none")).empty());
}

TEST_F(AtomicFileTest, ReadFileLimits) {
  write_file_atomic(path("a"), "12345");
  EXPECT_EQ(read_file(path("a"), 5), "12345");
  EXPECT_THAT(data_error_of([&] { read_file(path("a"), 4); }), HasSubstr("too long"));
  EXPECT_THAT(data_error_of([&] { read_file(path("b"), 4); }), HasSubstr("No such file"));
  EXPECT_THAT(data_error_of([&] { read_file(folder(), 4); }), HasSubstr("is a folder"));
  EXPECT_THAT(data_error_of([&] { read_file("/dev/zero", 1000); }), HasSubstr("is a pipe or a device"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(data_error_of([&] { read_file(path("pipe"), 1000); }), HasSubstr("expected a regular file"));
  EXPECT_NE(read_file("/proc/self/status", kMax), "");
}

// FIPS 180-2, appendix B.
TEST_F(Sha256Test, KnownAnswers) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  Sha256 digest;
  for (int i = 0; i < 1000; ++i) digest.update(std::string(1000, 'a'));
  EXPECT_EQ(digest.hex(), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  write_file_atomic(path("a"), "abc");
  EXPECT_EQ(sha256_file(path("a")), sha256_hex("abc"));
  EXPECT_THAT(data_error_of([&] { sha256_file(path("none")); }), HasSubstr("No such file"));
  EXPECT_THAT(data_error_of([&] { sha256_file(folder()); }), HasSubstr("is a folder"));
}

TEST_F(CsvWriterTest, QuotesAndNumbers) {
  EXPECT_EQ(csv_quote("plain"), "plain");
  EXPECT_EQ(csv_quote("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_quote("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_quote("two\nlines"), "\"two\nlines\"");
  CsvRow row;
  row.add(0.1).add(-std::nan("")).add(3).add(std::size_t{4}).add("x,y").add_empty();
  EXPECT_EQ(row.text(), "0.1,nan,3,4,\"x,y\",");
  EXPECT_EQ(row.size(), 6);
}

TEST_F(CsvWriterTest, AppendContinuesAndCutsATornRow) {
  const std::vector<std::string> columns = {"epoch", "loss"};
  { CsvWriter(path("m.csv"), columns, CsvWriter::Mode::kAppend).write(CsvRow().add(0).add(1.5)); }
  std::ofstream(path("m.csv"), std::ios::app) << "1,0.";
  { CsvWriter(path("m.csv"), columns, CsvWriter::Mode::kAppend).write(CsvRow().add(1).add(0.25)); }
  EXPECT_EQ(read_file(path("m.csv"), kMax), "epoch,loss\n0,1.5\n1,0.25\n");
  EXPECT_THAT(data_error_of([&] { CsvWriter(path("m.csv"), {"x"}, CsvWriter::Mode::kAppend); }),
              HasSubstr("got \"epoch,loss\", expected \"x\""));
  { CsvWriter(path("m.csv"), {"x"}, CsvWriter::Mode::kCreate); }
  EXPECT_EQ(read_file(path("m.csv"), kMax), "x\n");
  std::ofstream(path("torn.csv")) << "epoch,lo";
  { CsvWriter(path("torn.csv"), columns, CsvWriter::Mode::kAppend); }
  EXPECT_EQ(read_file(path("torn.csv"), kMax), "epoch,loss\n");
}

TEST_F(CsvWriterTest, Refusals) {
  EXPECT_THAT(runtime_error_of([&] { CsvWriter(path("no/m.csv"), {"x"}, CsvWriter::Mode::kCreate); }),
              HasSubstr("No such file"));
  EXPECT_THAT(runtime_error_of([&] { CsvWriter("/dev/full", {"x"}, CsvWriter::Mode::kCreate); }),
              HasSubstr("No space left on device"));
  CsvWriter writer(path("m.csv"), {"x", "y"}, CsvWriter::Mode::kCreate);
  EXPECT_THROW(writer.write(CsvRow().add(1)), InternalError);
}

}  // namespace
}  // namespace scorevi
