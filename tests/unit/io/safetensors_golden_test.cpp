// Every file of tests/golden/safetensors has its recorded outcome.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "scorevi/core/error.h"
#include "scorevi/core/sha256.h"
#include "scorevi/io/safetensors.h"

namespace scorevi::io {
namespace {

const char* const kFolder = "tests/golden/safetensors/";

std::string torch_name(at::ScalarType dtype) {
  switch (dtype) {
    case at::kDouble:
      return "float64";
    case at::kFloat:
      return "float32";
    case at::kHalf:
      return "float16";
    case at::kBFloat16:
      return "bfloat16";
    case at::kLong:
      return "int64";
    case at::kInt:
      return "int32";
    case at::kShort:
      return "int16";
    case at::kChar:
      return "int8";
    case at::kByte:
      return "uint8";
    case at::kBool:
      return "bool";
    default:
      return "?";
  }
}

void expect_contents(const SafetensorsReader& reader, const nlohmann::json& one) {
  const nlohmann::json tensors = one.value("tensors", nlohmann::json::object());
  EXPECT_EQ(reader.tensors().size(), tensors.size());
  for (const auto& [name, expected] : tensors.items()) {
    ASSERT_TRUE(reader.contains(name)) << name;
    const at::Tensor tensor = reader.read(name);
    EXPECT_EQ(tensor.sizes().vec(), expected["shape"].get<std::vector<int64_t>>()) << name;
    EXPECT_EQ(torch_name(tensor.scalar_type()), expected["dtype"]) << name;
    EXPECT_EQ(reader.sha256(name), expected["sha256"]) << name;
    EXPECT_EQ(sha256_hex({static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}), expected["sha256"]);
  }
  if (one.contains("metadata")) {
    EXPECT_EQ(reader.metadata(), (one["metadata"].get<std::map<std::string, std::string>>()));
  }
}

TEST(SafetensorsGolden, EveryFileHasItsOutcome) {
  std::ifstream in(std::string(kFolder) + "cases.json");
  const nlohmann::json cases = nlohmann::json::parse(in);
  ASSERT_EQ(cases.size(), 74u);
  for (const nlohmann::json& one : cases) {
    const std::string path = kFolder + one["file"].get<std::string>();
    SCOPED_TRACE(path);
    std::string outcome = "ok";
    try {
      const SafetensorsReader reader = SafetensorsReader::open(path);
      expect_contents(reader, one);
    } catch (const Error& error) {
      outcome = "refuse";
      EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::kData));
      EXPECT_THAT(error.what(), ::testing::StartsWith(path + ": "));
    }
    const auto accept = one["accept"].get<std::vector<std::string>>();
    EXPECT_NE(std::find(accept.begin(), accept.end(), outcome), accept.end()) << outcome;
  }
}

std::string with_length(const std::string& json) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(json.size() >> (8 * i));
  return bytes + json;
}

TEST(SafetensorsGolden, DeepNestingIsRefused) {
  std::string objects;
  for (int i = 0; i < 20000; ++i) objects += "{\"a\":";
  for (const std::string& json :
       {"{\"a\":" + std::string(100000, '['), objects, "{\"__metadata__\":{\"a\":" + objects}) {
    const std::string bytes = with_length(json);
    EXPECT_THROW(SafetensorsReader::from_bytes(bytes, "m"), Error);
  }
}

}  // namespace
}  // namespace scorevi::io
