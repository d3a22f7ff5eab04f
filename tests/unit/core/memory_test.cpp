// How much memory is free, from the files of the kernel.
#include "scorevi/core/memory.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace scorevi {
namespace {

TEST(AvailableMemory, IsWhatKernelAndControlGroupLeave) {
  const test::TempDir root;
  const std::string folder = root.path().string();
  std::filesystem::create_directories(root.file("proc"));
  std::filesystem::create_directories(root.file("sys/fs/cgroup"));
  EXPECT_EQ(available_memory_bytes(folder), -1);
  root.write("proc/meminfo", "MemTotal: 9000 kB\nMemFree: 10 kB\nMemAvailable:   4000 kB\n");
  EXPECT_EQ(available_memory_bytes(folder), 4000 * 1024);
  root.write("sys/fs/cgroup/memory.max", "max\n");
  root.write("sys/fs/cgroup/memory.current", "1000000\n");
  EXPECT_EQ(available_memory_bytes(folder), 4000 * 1024);
  root.write("sys/fs/cgroup/memory.max", "1500000\n");
  EXPECT_EQ(available_memory_bytes(folder), 500000);
  // Contents of files that were read are no obstacle.
  root.write("sys/fs/cgroup/memory.stat", "anon 600000\nfile 390000\ninactive_file 300000\nactive_file 90000\n");
  EXPECT_EQ(available_memory_bytes(folder), 800000);
  root.write("sys/fs/cgroup/memory.current", "1900000\n");
  EXPECT_EQ(available_memory_bytes(folder), 0);
}

TEST(AvailableMemory, OfThisMachineIsKnown) {
  EXPECT_GT(available_memory_bytes(), 1 << 20);
  EXPECT_GT(peak_memory_bytes(), 1 << 20);
}

}  // namespace
}  // namespace scorevi
