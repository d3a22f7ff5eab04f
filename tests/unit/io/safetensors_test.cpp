#include "scorevi/io/safetensors.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::io {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string to_bytes(const NamedTensors& tensors, const std::map<std::string, std::string>& metadata = {}) {
  std::string out;
  stream_safetensors(tensors, metadata,
                     [&](const void* data, std::size_t size) { out.append(static_cast<const char*>(data), size); });
  return out;
}

at::Tensor counting(at::IntArrayRef shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return at::arange(count, at::kFloat).reshape(shape);
}

TEST(Safetensors, RoundTripKeepsOrderValuesAndMetadata) {
  const test::TempDir dir;
  const NamedTensors tensors = {{"z", at::tensor({1, 2, 3}, at::kByte)},
                                {"a", counting({2, 3})},
                                {"scalar", at::tensor(2.5, at::kDouble).reshape({})},
                                {"empty", at::empty({0, 4})},
                                {"flags", at::tensor({1, 0, 1}).to(at::kBool)},
                                {"half", counting({3}).to(at::kHalf)}};
  const std::map<std::string, std::string> metadata = {{"epoch", "3"}, {"text", "\"\\\n\xC3\xA9"}};
  write_safetensors(dir.file("w.safetensors"), tensors, metadata);
  const auto reader = SafetensorsReader::open(dir.file("w.safetensors"));
  EXPECT_THAT(reader.names(), ElementsAre("z", "a", "scalar", "empty", "flags", "half"));
  EXPECT_EQ(reader.metadata(), metadata);
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor read = reader.read(name);
    EXPECT_EQ(read.scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(at::equal(read, tensor)) << name;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 1);
}

TEST(Safetensors, TensorsAreAlignedToTheirElements) {
  const std::string bytes = to_bytes({{"b", at::ones({3}, at::kByte)},
                                      {"d", at::ones({2}, at::kDouble)},
                                      {"h", at::ones({1}, at::kHalf)},
                                      {"f", at::ones({1})}});
  const auto reader = SafetensorsReader::from_bytes(bytes, "m");
  const auto header_bytes = static_cast<std::uint8_t>(bytes[0]) + 256 * static_cast<std::uint8_t>(bytes[1]);
  EXPECT_EQ(header_bytes % 8, 0);
  EXPECT_EQ(reader.info("d").begin, 0u);
  EXPECT_EQ(reader.info("f").begin, 16u);
  EXPECT_EQ(reader.info("h").begin, 20u);
  EXPECT_EQ(reader.info("b").begin, 22u);
}

TEST(Safetensors, AnyStrides) {
  const at::Tensor base = counting({3, 4});
  const std::string bytes =
      to_bytes({{"t", base.t()}, {"slice", base.slice(1, 1, 4, 2)}, {"expanded", base.slice(0, 0, 1).expand({5, 4})}});
  const auto reader = SafetensorsReader::from_bytes(bytes, "m");
  EXPECT_TRUE(at::equal(reader.read("t"), base.t()));
  EXPECT_TRUE(at::equal(reader.read("slice"), base.slice(1, 1, 4, 2)));
  EXPECT_TRUE(at::equal(reader.read("expanded"), base.slice(0, 0, 1).expand({5, 4})));
}

TEST(Safetensors, ReadIntoFillsViewsAndConverts) {
  const std::string bytes = to_bytes({{"w", counting({2, 3})}, {"n", at::ones({2}, at::kLong)}});
  const auto reader = SafetensorsReader::from_bytes(bytes, "m");
  at::Tensor flat = at::zeros({10});
  at::Tensor view = flat.narrow(0, 2, 6).view({2, 3});
  reader.read_into("w", view);
  EXPECT_TRUE(at::equal(flat, at::tensor({0., 0., 0., 1., 2., 3., 4., 5., 0., 0.}, at::kFloat)));
  at::Tensor doubles = at::zeros({2, 3}, at::kDouble);
  reader.read_into("w", doubles);
  EXPECT_TRUE(at::equal(doubles, counting({2, 3}).to(at::kDouble)));
  at::Tensor transposed = at::zeros({3, 2}).t();
  reader.read_into("w", transposed);
  EXPECT_TRUE(at::equal(transposed, counting({2, 3})));
  at::Tensor with_grad = at::zeros({2, 3}).requires_grad_();
  reader.read_into("w", with_grad);
  EXPECT_EQ(with_grad[1][2].item<float>(), 5.f);

  at::Tensor other_shape = at::zeros({3, 2});
  EXPECT_EQ(message_of(ErrorKind::kData, [&] { reader.read_into("w", other_shape); }),
            "m: tensor \"w\" has shape [2, 3], expected [3, 2]");
  at::Tensor ints = at::zeros({2}, at::kInt);
  EXPECT_EQ(message_of(ErrorKind::kData, [&] { reader.read_into("n", ints); }),
            "m: tensor \"n\" has dtype Long, expected Int");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { reader.read("W"); }),
              HasSubstr("no tensor \"W\" among 2 (did you mean \"w\"?)"));
}

TEST(Safetensors, LargeConvertedTensorsGoInChunks) {
  const int64_t count = (int64_t{16} << 20) / 4 + 12345;
  const at::Tensor values = at::arange(count, at::kFloat);
  const std::string bytes = to_bytes({{"w", values}});
  at::Tensor out = at::zeros({count}, at::kDouble);
  SafetensorsReader::from_bytes(bytes, "m").read_into("w", out);
  EXPECT_TRUE(at::equal(out, values.to(at::kDouble)));
}

TEST(Safetensors, BoolBytesMustBeZeroOrOne) {
  std::string bytes = to_bytes({{"b", at::ones({4}).to(at::kBool)}});
  bytes.back() = 2;
  const auto reader = SafetensorsReader::from_bytes(bytes, "m");
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { reader.read("b"); }), HasSubstr("neither 0 nor 1"));
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string bytes = to_bytes({{"w", counting({2, 3})}}, {{"k", "v"}});
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    const std::string cut = bytes.substr(0, n);
    EXPECT_THROW(SafetensorsReader::from_bytes(cut, "m"), Error) << n;
  }
}

TEST(Safetensors, FileThatShrinksIsAnError) {
  const test::TempDir dir;
  const std::string path = dir.file("w.safetensors");
  write_safetensors(path, {{"w", counting({1000})}}, {});
  const auto reader = SafetensorsReader::open(path);
  ASSERT_EQ(::truncate(path.c_str(), 200), 0);
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { reader.read("w"); }), HasSubstr("ends at byte"));
}

TEST(Safetensors, WhatCannotBeStored) {
  EXPECT_THAT(message_of(ErrorKind::kData,
                         [] {
                           to_bytes({{"c", at::zeros({1}, at::kComplexFloat)}});
                         }),
              HasSubstr("tensor \"c\" has dtype ComplexFloat"));
  EXPECT_THAT(message_of(ErrorKind::kData, [] { to_bytes({}, {{"k", "\xFF"}}); }), HasSubstr("not UTF-8"));
  EXPECT_THROW(SafetensorsReader::open("/nonexistent/file"), Error);
  EXPECT_THROW(SafetensorsReader::open("tests"), Error);
}

}  // namespace
}  // namespace scorevi::io
