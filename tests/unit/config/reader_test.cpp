#include "scorevi/config/reader.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "support/sample_options.h"

namespace scorevi::config::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SampleOptions parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Document document = Document::from_text(text, "c.yaml", overrides);
  SampleOptions options;
  read(document, options);
  document.throw_if_errors();
  return options;
}

// The message of the ConfigError, "" when there is none. `data.name` is given unless it is the point.
std::string error(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const ConfigError& caught) {
    EXPECT_EQ(caught.kind(), ErrorKind::kUsage);
    return caught.what();
  }
  return "";
}

std::string error_with_data(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return error("data: {name: x}\n" + text, overrides);
}

TEST(Reader, ReadsEverything) {
  const SampleOptions o = parse(R"(name: "test: 1"
seed: 1e3
device: cpu
data: {name: digits, batch_size: 16, shuffle: no, limit: 5}
model:
  hidden: [64, 32]
  weights: file.pth
  tags: [a, "b c", 1]
prior:
  std: .inf
  groups:
    - {match: "fc.*", std: 2}
    - match: "*.bias"
optimizer: {name: sgd, lr: 1.e-4, momentum: .5}
clip: 1E-1
)");
  EXPECT_EQ(o.name, "test: 1");
  EXPECT_EQ(o.seed, 1000);
  EXPECT_EQ(o.device, "cpu");
  EXPECT_EQ(o.data, "digits");
  EXPECT_EQ(o.batch_size, 16);
  EXPECT_FALSE(o.shuffle);
  EXPECT_EQ(o.limit, 5);
  EXPECT_THAT(o.hidden, ElementsAre(64, 32));
  EXPECT_EQ(o.weights, "file.pth");
  EXPECT_THAT(o.tags, ElementsAre("a", "b c", "1"));
  EXPECT_EQ(o.prior_std, std::numeric_limits<double>::infinity());
  ASSERT_EQ(o.groups.size(), 2u);
  EXPECT_EQ(o.groups[0].match, "fc.*");
  EXPECT_EQ(o.groups[0].std, 2);
  EXPECT_EQ(o.groups[1].match, "*.bias");
  EXPECT_EQ(o.groups[1].std, 1);
  EXPECT_EQ(o.optimizer, "sgd");
  EXPECT_EQ(o.lr, 1e-4);
  EXPECT_EQ(o.momentum, 0.5);
  EXPECT_EQ(o.clip, 0.1);
}

TEST(Reader, AbsentKeysKeepTheirDefaults) {
  const SampleOptions o = parse("data: {name: x}\nprior: {}\nmodel: {}\n");
  EXPECT_EQ(o.lr, 1e-3);
  EXPECT_THAT(o.hidden, ElementsAre(100));
  EXPECT_EQ(o.clip, std::nullopt);
}

TEST(Reader, NumberSpellings) {
  for (const char* text : {"1e-4", "1E-4", "1.e-4", ".0001", "+1e-4", "0.0001"})
    EXPECT_EQ(parse(std::string("data: {name: x}\noptimizer: {lr: ") + text + "}").lr, 1e-4) << text;
  EXPECT_EQ(error_with_data("optimizer: {lr: 1_000}"),
            "c.yaml:2:17: optimizer.lr: expected a number, got \"1_000\" (write 1000)");
  EXPECT_EQ(error_with_data("seed: 010"),
            "c.yaml:2:7: seed: expected a whole number, got \"010\" (a leading zero is not allowed)");
  EXPECT_EQ(error_with_data("optimizer: {lr: \"0.1\"}"),
            "c.yaml:2:17: optimizer.lr: expected a number, got \"0.1\" in quotes (leave the quotes out)");
  EXPECT_EQ(error_with_data("optimizer: {lr: abc}"), "c.yaml:2:17: optimizer.lr: expected a number, got \"abc\"");
  EXPECT_EQ(error_with_data("optimizer: {lr: [1]}"), "c.yaml:2:17: optimizer.lr: expected a number, got a list");
  EXPECT_EQ(error_with_data("optimizer: {lr: }"), "c.yaml:2:17: optimizer.lr: expected a number, got nothing (null)");
  EXPECT_EQ(error_with_data("seed: 1.5"), "c.yaml:2:7: seed: expected a whole number, got \"1.5\"");
  EXPECT_EQ(error_with_data("seed: 99999999999999999999"),
            "c.yaml:2:7: seed: expected a whole number, got \"99999999999999999999\"");
}

TEST(Reader, Ranges) {
  for (const char* text : {"0", "-1", ".inf", "inf", ".nan", "nan"})
    EXPECT_EQ(error_with_data(std::string("optimizer: {lr: ") + text + "}"),
              std::string("c.yaml:2:17: optimizer.lr: out of range: got ") + text + ", expected > 0");
  EXPECT_EQ(error_with_data("optimizer: {name: sgd, momentum: 1}"),
            "c.yaml:2:34: optimizer.momentum: out of range: got 1, expected >= 0 and < 1");
  EXPECT_EQ(error_with_data("prior: {std: .nan}"),
            "c.yaml:2:14: prior.std: out of range: got .nan, expected > 0 or infinite");
  EXPECT_EQ(error_with_data("optimizer: {betas: [0.9, 2]}"),
            "c.yaml:2:26: optimizer.betas[1]: out of range: got 2, expected >= 0 and < 1");
}

TEST(Reader, Booleans) {
  for (const char* text : {"true", "True", "yes", "on", "ON"})
    EXPECT_TRUE(parse(std::string("data: {name: x, shuffle: ") + text + "}").shuffle) << text;
  for (const char* text : {"false", "FALSE", "no", "off"})
    EXPECT_FALSE(parse(std::string("data: {name: x, shuffle: ") + text + "}").shuffle) << text;
  EXPECT_EQ(error("data: {name: x, shuffle: 1}"),
            "c.yaml:1:26: data.shuffle: expected true or false, got \"1\" (write true)");
  EXPECT_EQ(error("data: {name: x, shuffle: 0}"),
            "c.yaml:1:26: data.shuffle: expected true or false, got \"0\" (write false)");
  EXPECT_EQ(error("data: {name: x, shuffle: \"true\"}"),
            "c.yaml:1:26: data.shuffle: expected true or false, got \"true\"");
  EXPECT_EQ(error("data: {name: x, shuffle: maybe}"),
            "c.yaml:1:26: data.shuffle: expected true or false, got \"maybe\"");
}

TEST(Reader, OptionalValues) {
  EXPECT_EQ(parse("data: {name: x, limit: null}\nclip: none").clip, std::nullopt);
  EXPECT_EQ(parse("data: {name: x}\nmodel: {weights: ~}").weights, std::nullopt);
  EXPECT_EQ(parse("data: {name: x}\nmodel: {weights: \"none\"}").weights, "none");
  EXPECT_EQ(error_with_data("name: ~"), "c.yaml:2:7: name: expected a text, got nothing (null)");
}

TEST(Reader, ASectionWithNothingInItIsAMistake) {
  EXPECT_EQ(error_with_data("optimizer: \nseed: 1\n"),
            "c.yaml:3:1: optimizer: expected a map of keys, got nothing (null) (leave the key out for the defaults, or "
            "write {})");
  EXPECT_EQ(error_with_data("name: a\n", {"optimizer="}).substr(0, 24), "-s optimizer=: optimizer");
  EXPECT_EQ(error_with_data("optimizer: {}\n"), "");
}

TEST(Reader, Lists) {
  EXPECT_TRUE(parse("data: {name: x}\nmodel: {hidden: []}").hidden.empty());
  EXPECT_EQ(error_with_data("model: {hidden: 100}"),
            "c.yaml:2:17: model.hidden: expected a list of integers, got \"100\" (write [100])");
  EXPECT_EQ(error_with_data("model: {hidden: [1, x, 0]}"),
            "c.yaml:2:21: model.hidden[1]: expected a whole number, got \"x\"\n"
            "c.yaml:2:24: model.hidden[2]: out of range: got 0, expected >= 1");
  EXPECT_EQ(error_with_data("prior: {groups: {match: x}}"),
            "c.yaml:2:17: prior.groups: expected a list of maps, got a map of keys");
  EXPECT_EQ(error_with_data("prior: {groups: [x, {std: 2}]}"),
            "c.yaml:2:18: prior.groups[0]: expected a map of keys, got \"x\"\n"
            "c.yaml:2:21: prior.groups[1]: missing required key \"match\"");
  EXPECT_EQ(error_with_data("prior: {groups: [{match: x, sdt: 2}]}"),
            "c.yaml:2:29: prior.groups[0]: unknown key, got \"sdt\" (did you mean \"std\"?)");
}

TEST(Reader, UnknownKeys) {
  EXPECT_EQ(error_with_data("optimizer:\n  lrr: 1"),
            "c.yaml:3:3: optimizer: unknown key, got \"lrr\" (did you mean \"lr\"?)");
  EXPECT_EQ(error_with_data("sede: 1"), "c.yaml:2:1: unknown key, got \"sede\" (did you mean \"seed\"?)");
  EXPECT_THAT(error_with_data("zzzzzz: 1"), HasSubstr("expected one of name, seed, device, data"));
}

TEST(Reader, KeysOfAnotherVariantAreExplained) {
  EXPECT_EQ(error_with_data("optimizer: {name: adam, momentum: 0.5}"),
            "c.yaml:2:25: optimizer: unknown key, got \"momentum\", it belongs to optimizer.name \"sgd\", not to "
            "\"adam\"");
  EXPECT_EQ(error_with_data("optimizer: {momentum: 0.5, name: none}"),
            "c.yaml:2:13: optimizer: unknown key, got \"momentum\", it belongs to optimizer.name \"sgd\", not to "
            "\"none\"");
}

TEST(Reader, KeysOfAnotherSectionAreFound) {
  EXPECT_EQ(error("lr: 1\ndata: {name: x}"), "c.yaml:1:1: unknown key, got \"lr\" (did you mean \"optimizer.lr\"?)");
  EXPECT_EQ(error("data: {name: x, lr: 1}"),
            "c.yaml:1:17: data: unknown key, got \"lr\" (did you mean \"optimizer.lr\"?)");
  EXPECT_EQ(error("data: {name: x}", {"batch_size=3"}),
            "-s batch_size=3: unknown key, got \"batch_size\" (did you mean \"data.batch_size\"?)");
}

struct NestedOptions {
  std::string name = "a", solver = "x", rule = "r";
  std::int64_t depth = 1, width = 1;
};

std::string nested_error(const std::string& text) {
  Document document = Document::from_text(text, "c.yaml");
  NestedOptions options;
  read(document, options, [](NestedOptions& o, Visitor& v) {
    const auto width = [&o](Visitor& i) { i.field("width", o.width, ""); };
    v.variant("name", o.name, "",
              {{"a", "",
                [&o](Visitor& i) {
                  i.variant("solver", o.solver, "",
                            {{"x", "", {}}, {"y", "", [&o](Visitor& j) { j.field("depth", o.depth, ""); }}});
                }},
               {"b", "", width},
               {"c", "", width}});
  });
  try {
    document.throw_if_errors();
  } catch (const ConfigError& problem) {
    return problem.what();
  }
  return "";
}

TEST(Reader, KeysOfNestedVariantsAreExplainedWithAllTags) {
  EXPECT_EQ(nested_error("name: b\ndepth: 2"),
            "c.yaml:2:1: unknown key, got \"depth\", it belongs to name \"a\" with solver \"y\", not to \"b\"");
  EXPECT_EQ(nested_error("name: a\ndepth: 2"),
            "c.yaml:2:1: unknown key, got \"depth\", it belongs to solver \"y\", not to \"x\"");
  EXPECT_EQ(nested_error("name: a\nwidth: 2"),
            "c.yaml:2:1: unknown key, got \"width\", it belongs to name \"b\" or \"c\", not to \"a\"");
}

TEST(Reader, FreeMapsAreHandedOver) {
  const auto keys_of = [](const std::string& text) {
    Document document = Document::from_text(text, "c.yaml");
    NestedOptions options;
    std::string keys;
    read(document, options, [&keys](NestedOptions&, Visitor& v) {
      v.free_map("grid", "", [&keys](const Node& node) {
        for (const Key& key : node.keys) keys += key.text + " ";
      });
      v.free_map(
          "rows", "", [](const Node&) {}, Need::kRequired);
    });
    document.throw_if_errors();
    return keys;
  };
  EXPECT_EQ(keys_of("grid: {a.b: 1, c: [2]}\nrows: {}"), "a.b c ");
  EXPECT_EQ(keys_of("grid:\nrows: {}"), "");
  EXPECT_THAT([&] { keys_of("grid: 3\nrow: {}"); },
              testing::ThrowsMessage<ConfigError>("c.yaml:1:1: missing required key \"rows\"\n"
                                                  "c.yaml:1:7: grid: expected a map of keys, got \"3\"\n"
                                                  "c.yaml:2:1: unknown key, got \"row\" (did you mean \"rows\"?)"));
}

TEST(Reader, UnknownChoices) {
  EXPECT_EQ(error_with_data("device: gpu"),
            "c.yaml:2:9: device: expected one of auto, cpu, cuda, got \"gpu\" (did you mean \"cpu\"?)");
  // Keys of the variants are not reported as well: nobody knows which one was meant.
  EXPECT_EQ(error_with_data("optimizer: {name: adma, epsilon: 1, momentum: 2}"),
            "c.yaml:2:19: optimizer.name: expected one of sgd, adam, none, got \"adma\" "
            "(did you mean \"adam\"?)");
  EXPECT_EQ(error_with_data("optimizer: {name: [sgd]}"), "c.yaml:2:19: optimizer.name: expected a text, got a list");
}

TEST(Reader, MissingKeysAndWrongSections) {
  EXPECT_EQ(error("seed: 1"), "c.yaml:1:1: data: missing required key \"name\"");
  EXPECT_EQ(error("seed: 1\ndata: {batch_size: 3}"), "c.yaml:2:7: data: missing required key \"name\"");
  EXPECT_EQ(error("data: mnist"), "c.yaml:1:7: data: expected a map of keys, got \"mnist\"");
}

TEST(Reader, AllErrorsInTheOrderOfTheFile) {
  EXPECT_EQ(error("optimizer: {lr: abc}\nsede: 1\ndata: {name: x, shuffle: 2}\nseed: -1", {"clip=0", "device=gpu"}),
            "c.yaml:1:17: optimizer.lr: expected a number, got \"abc\"\n"
            "c.yaml:2:1: unknown key, got \"sede\" (did you mean \"seed\"?)\n"
            "c.yaml:3:26: data.shuffle: expected true or false, got \"2\"\n"
            "c.yaml:4:7: seed: out of range: got -1, expected >= 0\n"
            "-s clip=0: clip: out of range: got 0, expected > 0\n"
            "-s device=gpu: device: expected one of auto, cpu, cuda, got \"gpu\" "
            "(did you mean \"cpu\"?)");
}

TEST(Reader, ShownValuesAreCutAndClean) {
  const std::string message = error_with_data("seed: \"" + std::string(200, 'x') + "\\e[31m\"");
  EXPECT_THAT(message, HasSubstr(std::string(60, 'x') + "...\""));
  EXPECT_THAT(error_with_data("seed: \"\\e[31m\""), HasSubstr("got \"?[31m\""));
}

}  // namespace
}  // namespace scorevi::config::test
