// Shared by the kernel tests: golden files, and buffers on the device under test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scorevi/kernels/noise.h"
#include "scorevi/kernels/update.h"

namespace scorevi::kernels {

using Json = nlohmann::json;
using Doubles = std::vector<double>;

// tests/golden/numbers/<name>.json
const Json& golden(const std::string& name);

// A number or one of the strings ".inf", "-.inf", ".nan".
double number(const Json& value);
Doubles numbers(const Json& list);

// The device under test: the CPU, or the one named by SCOREVI_TEST_DEVICE (cuda).
Exec test_exec();

// A flat buffer on the device under test.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(const std::vector<T>& values);
  T* ptr() const { return static_cast<T*>(pointer_); }
  std::vector<T> host() const;

 private:
  std::shared_ptr<void> owner_;
  void* pointer_ = nullptr;
};

template <class T>
Buffer<T> buffer_of(const Doubles& values) {
  return Buffer<T>(std::vector<T>(values.begin(), values.end()));
}

// Rows one after the other.
Doubles flatten(const Json& rows);
// Mean over rows of a[i][j], and of a[i][j] b[i][j].
Doubles row_mean(const Json& a);
Doubles row_mean(const Json& a, const Json& b);

// |got - want| <= relative * max(largest |want|, 1e-300) for every entry.
template <class T>
void expect_near(const std::vector<T>& got, const Doubles& want, double relative, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  double largest = 1e-300;
  for (double x : want) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(got[i]), want[i], relative * largest) << what << " [" << i << "]";
  }
}

// Smooth, irregular test data: amplitude * sin(...) of the index.
template <class T>
std::vector<T> wave(int64_t n, double amplitude, double phase, double offset = 0) {
  std::vector<T> out(static_cast<std::size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    out[static_cast<std::size_t>(i)] = static_cast<T>(
        offset + amplitude * std::sin(0.7 * static_cast<double>(i % 10007) + phase + 1e-4 * static_cast<double>(i)));
  }
  return out;
}

// A diagonal Gaussian with optimiser state for both parameters.
template <class T>
struct TestFamily {
  Buffer<T> mean, log_std, mean_first, log_std_first, mean_second, log_std_second;

  TestFamily(const std::vector<T>& m, const std::vector<T>& rho)
      : mean(m),
        log_std(rho),
        mean_first(zeros(m)),
        log_std_first(zeros(m)),
        mean_second(zeros(m)),
        log_std_second(zeros(m)) {}

  OptimizerSlot<T> mean_slot() const { return {mean.ptr(), mean_first.ptr(), mean_second.ptr()}; }
  OptimizerSlot<T> log_std_slot() const { return {log_std.ptr(), log_std_first.ptr(), log_std_second.ptr()}; }

 private:
  static std::vector<T> zeros(const std::vector<T>& like) { return std::vector<T>(like.size()); }
};

// The first step of SGD with momentum leaves the gradient itself in the momentum buffer.
inline OptimizerRule gradient_probe(double lr = 1.0) {
  OptimizerRule rule;
  rule.lr = lr;
  rule.momentum = 0.5;
  return rule;
}

template <class T>
UpdateInput<T> input(int64_t n, const Buffer<T>& score, double prior_std = std::numeric_limits<double>::infinity()) {
  UpdateInput<T> in;
  in.end = n;
  in.score = score.ptr();
  in.prior_std = prior_std;
  return in;
}

}  // namespace scorevi::kernels
