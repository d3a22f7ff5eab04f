// Every file of tests/golden/checkpoints and tests/golden/safetensors has its recorded outcome, within its limits.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "scorevi/core/error.h"
#include "scorevi/core/sha256.h"
#include "scorevi/io/weight_file.h"

namespace scorevi::io {
namespace {

constexpr double kMaxSeconds = 5;
constexpr long kMaxKilobytes = 256 << 10;

const std::map<std::string, at::ScalarType> kDtypes = {
    {"float64", at::kDouble}, {"float32", at::kFloat}, {"float16", at::kHalf}, {"bfloat16", at::kBFloat16},
    {"int64", at::kLong},     {"int32", at::kInt},     {"int16", at::kShort},  {"int8", at::kChar},
    {"uint8", at::kByte},     {"bool", at::kBool}};

long peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void expect_tensors(const WeightFile& file, const nlohmann::json& tensors) {
  for (const auto& [path, expected] : tensors.items()) {
    ASSERT_TRUE(file.contains(path)) << path;
    const at::Tensor tensor = file.read(path);
    EXPECT_EQ(tensor.scalar_type(), kDtypes.at(expected["dtype"])) << path;
    EXPECT_EQ(tensor.sizes().vec(), expected["shape"].get<std::vector<int64_t>>()) << path;
    EXPECT_EQ(tensor.sizes().vec(), file.info(path).shape) << path;
    EXPECT_TRUE(tensor.is_contiguous());
    EXPECT_EQ(sha256_hex({static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}), expected["sha256"]);
    EXPECT_EQ(file.sha256(path), expected["sha256"]) << path;
  }
}

// The text that WeightValue has for a leaf of the recorded file.
std::string python_text(const nlohmann::json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return value;
  if (value.contains("python")) return value["python"];
  return value.dump();
}

void expect_values(const WeightFile& file, const nlohmann::json& values) {
  for (const auto& [path, expected] : values.items()) {
    const auto found = std::find_if(file.values().begin(), file.values().end(),
                                    [&key = path](const WeightValue& value) { return value.path == key; });
    ASSERT_NE(found, file.values().end()) << path;
    if (expected.is_number()) {
      EXPECT_EQ(std::stod(found->text), expected.get<double>()) << path;
    } else {
      EXPECT_EQ(found->text, python_text(expected)) << path;
    }
  }
}

void expect_weights(const WeightFile& file, const nlohmann::json& expected) {
  const WeightsLocation location = find_weights(file);
  EXPECT_EQ(location.at, expected.value("at", ""));
  EXPECT_EQ(location.strip, expected.value("strip", ""));
  EXPECT_EQ(location.names.size(), 9u);
  EXPECT_EQ(location.names.front().first, "conv.weight");
}

void expect_contents(const WeightFile& file, const nlohmann::json& one) {
  const nlohmann::json tensors = one.value("tensors", nlohmann::json::object());
  if (!one.value("partial", false)) {
    EXPECT_EQ(file.tensors().size(), tensors.size());
  }
  expect_tensors(file, tensors);
  if (one.contains("values")) expect_values(file, one["values"]);
  if (one.contains("weights")) expect_weights(file, one["weights"]);
  for (const WeightInfo& tensor : file.tensors()) EXPECT_EQ(file.sha256(tensor.path).size(), 64u);
}

std::string outcome_of(const std::string& path, const nlohmann::json& one) {
  try {
    expect_contents(WeightFile::open(path), one);
    return "ok";
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::kData));
    EXPECT_THAT(error.what(), ::testing::StartsWith(path + ": "));
    return "refuse";
  }
}

class WeightGolden : public ::testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(WeightGolden, EveryFileHasItsOutcome) {
  const std::string folder = GetParam().first;
  std::ifstream in(folder + "cases.json");
  const nlohmann::json cases = nlohmann::json::parse(in);
  ASSERT_EQ(cases.size(), GetParam().second);
  for (const nlohmann::json& one : cases) {
    const std::string path = folder + one["file"].get<std::string>();
    SCOPED_TRACE(path);
    const auto accept = one["accept"].get<std::vector<std::string>>();
    const long before = peak_kilobytes();
    const auto start = std::chrono::steady_clock::now();
    const std::string outcome = outcome_of(path, one);
    EXPECT_THAT(accept, ::testing::Contains(outcome));
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), kMaxSeconds);
    EXPECT_LT(peak_kilobytes() - before, kMaxKilobytes);
  }
  EXPECT_FALSE(std::filesystem::exists("PWNED_BY_A_CHECKPOINT"));
}

INSTANTIATE_TEST_SUITE_P(Folders, WeightGolden,
                         ::testing::Values(std::pair("tests/golden/checkpoints/", std::size_t{244}),
                                           std::pair("tests/golden/safetensors/", std::size_t{74})));

}  // namespace
}  // namespace scorevi::io
