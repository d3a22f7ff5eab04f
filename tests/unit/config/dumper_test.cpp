#include "scorevi/config/dumper.h"

#include <gmock/gmock.h>

#include <limits>

#include "support/sample_options.h"

namespace scorevi::config::test {
namespace {

SampleOptions reread(const std::string& text) {
  Document document = Document::from_text(text, "dump");
  SampleOptions options;
  read(document, options);
  document.throw_if_errors();
  return options;
}

TEST(Dumper, WritesEveryKeyInOrder) {
  SampleOptions options;
  options.data = "digits";
  options.groups = {{"fc.*", 2.0}, {"a", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(dump(options), R"(name: run
seed: 0
device: auto
data:
  name: digits
  batch_size: 50
  shuffle: true
  limit: null
model:
  hidden: [100]
  weights: null
  tags: []
prior:
  std: 0.3
  groups:
    - match: "fc.*"
      std: 2
    - match: a
      std: .inf
optimizer:
  name: adam
  epsilon: 1e-08
  betas: [0.9, 0.999]
  lr: 0.001
clip: null
)");
}

TEST(Dumper, ReadsBackEqual) {
  SampleOptions options;
  options.name = "tricky: \"text\" # with \\ and\nline\tends \x01 \xC3\xA4";
  options.data = "true";
  options.tags = {"null", "1e3", "", " spaces ", "-", "[x]", "yes", "a: b", "010", "~", "none", "@", "x,y"};
  options.weights = "none";
  options.clip = 0.1 + 0.2;
  options.limit = 9007199254740993;
  options.betas = {1.0 / 3, 5e-324};
  options.hidden = {};
  options.optimizer = "sgd";
  options.momentum = 0.123456789012345678;
  const std::string text = dump(options);
  // The betas belong to adam, so they are not in this dump.
  const SampleOptions again = reread(text);
  EXPECT_EQ(dump(again), text);
  EXPECT_EQ(again.name, options.name);
  EXPECT_EQ(again.data, options.data);
  EXPECT_EQ(again.tags, options.tags);
  EXPECT_EQ(again.weights, options.weights);
  EXPECT_EQ(again.clip, options.clip);
  EXPECT_EQ(again.limit, options.limit);
  EXPECT_EQ(again.hidden, options.hidden);
  EXPECT_EQ(again.momentum, options.momentum);
  options.optimizer = "adam";
  EXPECT_EQ(reread(dump(options)).betas, options.betas);
}

struct Nothing {};
void describe(Nothing&, Visitor& v) {
  v.section("empty", "nothing in it", [](Visitor&) {});
  v.section("outer", "around", [](Visitor& w) { w.section("inner", "", [](Visitor&) {}); });
}

TEST(Dumper, EmptySections) {
  const std::string text = dump(Nothing{});
  EXPECT_EQ(text, "empty: {}\nouter:\n  inner: {}\n");
  Document document = Document::from_text(text, "dump");
  Nothing nothing;
  read(document, nothing);
  EXPECT_FALSE(document.has_errors());
}

}  // namespace
}  // namespace scorevi::config::test
