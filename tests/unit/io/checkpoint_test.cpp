#include "scorevi/io/checkpoint.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "scorevi/io/safetensors.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::io {
namespace {

using test::error_of;
using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

params::StateDict example(double value) {
  params::StateDict state;
  state.add("mean.fc.weight", at::full({3, 2}, value, at::kFloat));
  state.add("log_std.fc.weight", at::full({3, 2}, -3.0, at::kFloat));
  state.add("counter", at::tensor({7}, at::kLong));
  state.set_int("trainer.step", 41);
  state.set_double("trainer.best", 0.1);
  return state;
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(Checkpoint, ReadsThePartThatIsAskedFor) {
  const test::TempDir dir;
  params::StateDict state;
  state.tensors = {{"mean.w", at::ones({2})}, {"log_std.w", at::zeros({2})}, {"adam.mean.w", at::zeros({2})}};
  state.set_int("run.step", 7);
  save_checkpoint(dir.file("a.safetensors"), state);
  const params::StateDict part = load_checkpoint(dir.file("a.safetensors"), {"mean.", "log_std."});
  ASSERT_EQ(part.tensors.size(), 2u);
  for (const auto& [name, tensor] : part.tensors) EXPECT_TRUE(name == "mean.w" || name == "log_std.w") << name;
  EXPECT_EQ(part.get_int("run.step"), 7);
}

TEST(Checkpoint, RoundTrip) {
  const test::TempDir dir;
  save_checkpoint(dir.file("last.safetensors"), example(0.25));
  const params::StateDict read = load_checkpoint(dir.file("last.safetensors"));
  const params::StateDict expected = example(0.25);
  ASSERT_EQ(read.tensors.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.tensors[i].first, expected.tensors[i].first);
    EXPECT_TRUE(at::equal(read.tensors[i].second, expected.tensors[i].second));
  }
  EXPECT_EQ(read.metadata, expected.metadata);
  EXPECT_EQ(read.get_int("trainer.step"), 41);
  EXPECT_EQ(read.get_double("trainer.best"), 0.1);
}

TEST(Checkpoint, NonFiniteValuesAreRefusedAndTheOldFileStays) {
  const test::TempDir dir;
  const std::string path = dir.file("last.safetensors");
  save_checkpoint(path, example(1.0));
  const std::string before = contents(path);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    params::StateDict state = example(2.0);
    state.tensors[1].second.view({-1})[4] = bad;
    const std::string message = message_of(ErrorKind::kNumerical, [&] { save_checkpoint(path, state); });
    EXPECT_THAT(message, AllOf(HasSubstr("\"log_std.fc.weight\", element 4"), HasSubstr(path)));
    EXPECT_EQ(contents(path), before);
  }
}

TEST(Checkpoint, NonFiniteElementBeyondTheFirstChunkIsFound) {
  const test::TempDir dir;
  params::StateDict state;
  at::Tensor values = at::zeros({(1 << 20) + 10});
  values[(1 << 20) + 3] = std::nan("");
  state.add("w", values);
  EXPECT_THAT(message_of(ErrorKind::kNumerical, [&] { save_checkpoint(dir.file("c"), state); }),
              HasSubstr("element 1048579, is nan"));
}

TEST(Checkpoint, ForeignDamagedAndHalfWrittenFiles) {
  const test::TempDir dir;
  const std::string foreign = dir.file("foreign.safetensors");
  write_safetensors(foreign, {{"w", at::ones({2})}}, {{"format", "pt"}});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_checkpoint(foreign); }), HasSubstr("no scorevi checkpoint"));
  write_safetensors(foreign, {}, {{"scorevi.format", "99"}});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_checkpoint(foreign); }),
              HasSubstr("checkpoint format 99, expected 2"));
  write_safetensors(foreign, {{"w", at::ones({2})}}, {{"scorevi.format", "2"}, {"scorevi.tensors", "2"}});
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_checkpoint(foreign); }), HasSubstr("1 tensors, expected 2"));

  const std::string path = dir.file("c.safetensors");
  save_checkpoint(path, example(1.0));
  const std::string whole = contents(path);
  for (std::size_t n = 0; n < whole.size(); n += 7) {
    EXPECT_THROW(parse_checkpoint(whole.substr(0, n), "half"), Error) << n;
  }
  EXPECT_NO_THROW(parse_checkpoint(whole, "whole"));
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { load_checkpoint(dir.file("none")); }), HasSubstr("none"));
}

TEST(Checkpoint, EveryFlippedBitIsFound) {
  const test::TempDir dir;
  const std::string path = dir.file("c.safetensors");
  save_checkpoint(path, example(0.1));
  std::string bytes = contents(path);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    EXPECT_EQ(error_of([&] { parse_checkpoint(bytes, "flipped"); }).kind, ErrorKind::kData) << "bit " << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
  EXPECT_NO_THROW(parse_checkpoint(bytes, "whole"));
  bytes.back() ^= 1;  // "counter" holds the only tensor of 8 bytes an element and comes first, log_std last
  EXPECT_THAT(message_of(ErrorKind::kData, [&] { parse_checkpoint(bytes, "flipped"); }),
              HasSubstr("flipped: tensor \"log_std.fc.weight\" is not what was saved"));
}

TEST(Checkpoint, APartIsReadThoughTheRestIsDamaged) {
  const test::TempDir dir;
  const std::string path = dir.file("c.safetensors");
  save_checkpoint(path, example(0.1));
  std::string bytes = contents(path);
  bytes.back() ^= 1;
  dir.write("c.safetensors", bytes);
  EXPECT_EQ(load_checkpoint(path, {"mean."}).tensors.size(), 1u);
  EXPECT_THROW(load_checkpoint(path, {"log_std."}), Error);
}

TEST(Checkpoint, RemovesTemporariesOfKilledRuns) {
  const test::TempDir dir;
  const std::string stale = dir.write(".last.safetensors.999999999.tmp", "half");
  save_checkpoint(dir.file("last.safetensors"), example(1.0));
  EXPECT_FALSE(std::filesystem::exists(stale));
}

TEST(Checkpoint, FolderThatIsMissing) {
  const test::TempDir dir;
  EXPECT_THAT(message_of(ErrorKind::kRuntime, [&] { save_checkpoint(dir.file("no/such/c"), example(1.0)); }),
              HasSubstr("no/such"));
}

}  // namespace
}  // namespace scorevi::io
