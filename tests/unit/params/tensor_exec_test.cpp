#include "scorevi/params/tensor_exec.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "scorevi/core/error.h"

namespace scorevi::params {
namespace {

TEST(ExecFor, CpuTensorRunsEveryTaskOnce) {
  const kernels::Exec exec = exec_for(at::zeros({2}));
  EXPECT_EQ(exec.device, kernels::Device::kCpu);
  EXPECT_EQ(exec.stream, nullptr);
  ASSERT_NE(exec.parallel_for, nullptr);
  std::vector<std::atomic<int>> visits(37);
  exec.parallel_for(
      37, [](void* context, int64_t task) { ++(*static_cast<std::vector<std::atomic<int>>*>(context))[task]; },
      &visits);
  for (const auto& count : visits) EXPECT_EQ(count, 1);
  exec.parallel_for(
      0, [](void*, int64_t) { FAIL(); }, nullptr);
}

TEST(ExecFor, RefusesOtherDevices) { EXPECT_THROW(exec_for(at::empty({2}, at::TensorOptions(at::kMeta))), Error); }

}  // namespace
}  // namespace scorevi::params
