#include "scorevi/config/documenter.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/sample_options.h"

namespace scorevi::config::test {
namespace {

using ::testing::HasSubstr;

TEST(Documenter, ListsAllKeysWithVariants) {
  const Documenter documenter = document_keys<SampleOptions>();
  std::vector<std::string> paths;
  for (const KeyDoc& doc : documenter.keys()) paths.push_back(doc.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"name",
                                             "seed",
                                             "device",
                                             "data",
                                             "data.name",
                                             "data.batch_size",
                                             "data.shuffle",
                                             "data.limit",
                                             "model",
                                             "model.hidden",
                                             "model.weights",
                                             "model.tags",
                                             "prior",
                                             "prior.std",
                                             "prior.groups",
                                             "prior.groups[].match",
                                             "prior.groups[].std",
                                             "optimizer",
                                             "optimizer.name",
                                             "optimizer.momentum",
                                             "optimizer.epsilon",
                                             "optimizer.betas",
                                             "optimizer.lr",
                                             "clip"}));
}

TEST(Documenter, Markdown) {
  const std::string text = document_keys<SampleOptions>().markdown();
  EXPECT_THAT(text, HasSubstr("| `seed` | integer >= 0 | `0` | random seed |\n"));
  EXPECT_THAT(text, HasSubstr("| `data.name` | text | **required** | data set |\n"));
  EXPECT_THAT(text, HasSubstr("| `optimizer.momentum` | number >= 0 and < 1 | `0.9` | heavy ball"
                              "<br>only with `optimizer.name = sgd` |\n"));
  EXPECT_THAT(text, HasSubstr("| `device` | choice | `auto` | where to compute<br>`auto`: the "
                              "fastest<br>`cpu`: processor<br>`cuda`: GPU |\n"));
  EXPECT_THAT(text, HasSubstr("| `model.hidden` | list of integers >= 1 | `[100]` | widths |\n"));
  EXPECT_THAT(text, HasSubstr("| `clip` | number or null > 0 | `null` | largest gradient norm |\n"));
}

TEST(Documenter, FreeMaps) {
  Documenter documenter;
  static_cast<Visitor&>(documenter).free_map("grid", "keys with values", {}, Need::kRequired);
  EXPECT_THAT(documenter.markdown(), HasSubstr("| `grid` | map | **required** | keys with values |\n"));
}

TEST(Documenter, PlainText) {
  const std::string text = document_keys<SampleOptions>().plain_text();
  EXPECT_THAT(text, HasSubstr("seed  (integer >= 0, default 0)\n    random seed\n"));
  EXPECT_THAT(text, HasSubstr("data.name  (text, required)\n"));
  EXPECT_THAT(text, HasSubstr("    only with optimizer.name = sgd\n"));
  EXPECT_THAT(text, HasSubstr("      sgd: stochastic gradient descent\n"));
}

TEST(Range, Text) {
  EXPECT_EQ(any().text(), "finite");
  EXPECT_EQ(positive().text(), "> 0");
  EXPECT_EQ(fraction().text(), ">= 0 and <= 1");
  EXPECT_EQ(positive_fraction().text(), "> 0 and <= 1");
  EXPECT_EQ(between(-1, 2.5).text(), ">= -1 and <= 2.5");
  EXPECT_TRUE(or_infinite(positive()).contains(HUGE_VAL));
  EXPECT_FALSE(or_infinite(positive()).contains(-HUGE_VAL));
}

}  // namespace
}  // namespace scorevi::config::test
