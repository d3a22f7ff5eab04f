#include "options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scorevi/bench/bench.h"
#include "scorevi/config/document.h"
#include "support/temp_dir.h"

namespace scorevi::bench {
namespace {

using ::testing::HasSubstr;

class BenchFile : public ::testing::Test {
 protected:
  LoadedBench load(const std::string& text, const std::vector<std::string>& overrides = {}) {
    return load_bench(folder_.write("bench.yaml", text), overrides);
  }
  std::string refused(const std::string& text) {
    try {
      load(text);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "";
  }
  test::TempDir folder_;
};

constexpr const char* kGood = R"(name: b
seeds: 2
evaluations: 100
targets:
  - {name: gaussian, dim: 3, condition: 10}
  - {label: far, name: mixture, separation: 8}
methods:
  - {method: {name: bam, samples: 8}}
  - {label: slow, method: {name: psm, solver: closed_form}, optimizer: {name: sgd, lr: 0.5}}
  - {method: {name: nuts, draws: 50}}
)";

TEST_F(BenchFile, IsReadAndWrittenBack) {
  const LoadedBench loaded = load(kGood, {"evaluations=50"});
  EXPECT_EQ(loaded.options.evaluations, 50);
  ASSERT_EQ(loaded.options.targets.size(), 2U);
  EXPECT_EQ(loaded.options.targets[0].target.condition, 10);
  EXPECT_EQ(make_target(loaded.options.targets[1]).name, "far");
  ASSERT_EQ(loaded.options.methods.size(), 3U);
  EXPECT_EQ(loaded.options.methods[1].optimizer.lr, 0.5);
  EXPECT_EQ(loaded.options.methods[2].nuts.draws, 50);
  EXPECT_EQ(load(loaded.resolved).resolved, loaded.resolved);
}

TEST_F(BenchFile, ErrorsComeAllAtOnceWithTheirPlaces) {
  const std::string message = refused(
      "seeds: 0\ntargets: [{name: gausian}, {name: banana, dof: 3}]\n"
      "methods: [{method: {name: psm}}, {method: {name: psm}}, {method: {name: bam, lr: 3}}, {label: a/b, method: "
      "{name: map}}]\n");
  EXPECT_THAT(message, HasSubstr("bench.yaml:1:"));
  EXPECT_THAT(message, HasSubstr("did you mean \"gaussian\"?"));
  EXPECT_THAT(message, HasSubstr("dof"));
  EXPECT_THAT(message, HasSubstr("another method has the label \"psm\" too"));
  EXPECT_THAT(message, HasSubstr("got \"a/b\", expected letters"));
  EXPECT_THAT(refused("targets: []\nmethods: []\n"), HasSubstr("expected at least one target"));
  EXPECT_THAT(refused(std::string(kGood) + "robustness: {start_std: [1]}\n"), HasSubstr("expected both start_std"));
}

TEST(BenchKeys, AreDocumented) {
  const std::string keys = bench_key_reference_markdown();
  for (const char* key : {"targets", "condition", "methods", "tolerance", "robustness.start_std"})
    EXPECT_THAT(keys, HasSubstr(key));
}

}  // namespace
}  // namespace scorevi::bench
