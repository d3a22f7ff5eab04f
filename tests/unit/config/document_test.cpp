#include "scorevi/config/document.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

#include "support/error_of.h"
#include "support/sample_options.h"
#include "support/temp_dir.h"

namespace scorevi::config::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return scorevi::test::message_of(ErrorKind::kUsage,
                                   [&] { Document::from_text(text, "c.yaml", overrides).throw_if_errors(); });
}

std::string value(const Document& document, const std::string& key) {
  const Node* node = document.root().find(key);
  return node == nullptr ? "absent" : node->text;
}

TEST(Document, EmptyFiles) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "~", "\xEF\xBB\xBF"})
    EXPECT_EQ(error(text), "c.yaml: is empty, expected a map of keys") << text;
}

TEST(Document, NotAMap) {
  EXPECT_EQ(error("- a\n- b"), "c.yaml:1:1: expected a map of keys, got a list");
  EXPECT_EQ(error("\nabc"), "c.yaml:2:1: expected a map of keys, got \"abc\"");
}

TEST(Document, SyntaxErrorsHaveAPosition) {
  EXPECT_THAT(error("a: 1\nb: [1, 2\n"), StartsWith("c.yaml:3:1: not valid YAML: "));
  EXPECT_THAT(error("a: 1\n\tb: 2\n"), StartsWith("c.yaml:2:"));
  EXPECT_THAT(error("a:\n\tb: 2\n"), StartsWith("c.yaml:2:"));
  EXPECT_THAT(error("a: \"open"), StartsWith("c.yaml:1:"));
  EXPECT_THAT(error("a: *x"), StartsWith("c.yaml:1:4: not valid YAML"));
  EXPECT_THAT(error("a: 1\nb 2\nc: 3"), AllOf(StartsWith("c.yaml:3:2:"), HasSubstr("missing colon")));
  EXPECT_THAT(error("a: 1\n]"), StartsWith("c.yaml:"));
}

TEST(Document, DuplicateKeys) {
  EXPECT_EQ(error("a: 1\nb: {c: 1, c: 2}\na: 2"),
            "c.yaml:2:11: c: duplicate key, first given in line 2\n"
            "c.yaml:3:1: a: duplicate key, first given in line 1");
}

TEST(Document, RefusedFeatures) {
  EXPECT_EQ(error("a: 1\n---\nb: 2"), "c.yaml:2:1: a second document starts here, expected only one");
  EXPECT_THAT(error("a: &x {b: 1}\nc:\n  <<: *x"), StartsWith("c.yaml:3:3: merge keys (<<) are not"));
  EXPECT_THAT(error("a: !!int 1"), StartsWith("c.yaml:1:4: tags are not supported"));
  EXPECT_THAT(error("? [1, 2]\n: 3"), HasSubstr("a key must be a plain text"));
  EXPECT_THAT(error("~: 3"), HasSubstr("a key must be a plain text"));
  EXPECT_THAT(error(std::string("a: 1\nb: \0", 9)), StartsWith("c.yaml:2:4: control character 0"));
}

TEST(Document, ByteOrderMarkAndWindowsLineEnds) {
  const Document document = Document::from_text(
      "\xEF\xBB\xBF"
      "a: x\r\nb: y\r\n",
      "c.yaml");
  EXPECT_EQ(value(document, "a"), "x");
  EXPECT_EQ(value(document, "b"), "y");
  EXPECT_EQ(document.where("b"), "c.yaml:2:4");
}

TEST(Document, EndMarkerIsNoSecondDocument) {
  EXPECT_EQ(value(Document::from_text("---\na: 1\n...\n", "c.yaml"), "a"), "1");
}

TEST(Document, Aliases) {
  const Document document = Document::from_text("a: &x {b: 1}\nc: *x", "c.yaml");
  EXPECT_EQ(document.root().find("c")->find("b")->text, "1");
  EXPECT_EQ(document.where("c.b"), "c.yaml:1:11");
  EXPECT_THAT(error("a: &x [*x]"), HasSubstr("inside its own anchor"));
}

TEST(Document, ExpandingAliasesAreStoppedQuickly) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) text += ", " + last;
    text += "]\n";
  }
  EXPECT_THAT(error(text), HasSubstr("too many values"));
  std::string nested = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i)
    nested += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_THAT(error(nested), HasSubstr("nested too deeply"));
}

TEST(Document, AliasesOfLongTextsAreCounted) {
  const std::string text(50000, 'x');
  std::string list = "a: &a " + text + "\nb: [";
  for (int i = 0; i < 19; ++i) list += "*a, ";
  Document::from_text(list + "]", "c.yaml").throw_if_errors();  // twenty times: just below a mebibyte
  EXPECT_THAT(error(list + "*a]"), HasSubstr("too much text (aliases count each time), expected at most 1.0 MiB"));
  std::string keys = "a: &a {? " + text + " : 1}\nb: [";
  for (int i = 0; i < 20; ++i) keys += "*a, ";
  EXPECT_THAT(error(keys + "]"), HasSubstr("too much text"));
}

TEST(Document, ManyDuplicatesGiveOneErrorEach) {
  std::string text = "a:\n";
  for (int i = 0; i < 9000; ++i) text += "a:\n";
  const std::string message = error(text);
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 8999);
  EXPECT_THAT(message, StartsWith("c.yaml:2:1: a: duplicate key, first given in line 1\nc.yaml:3:1: "));
}

TEST(Document, HugeInputsAreStoppedQuickly) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(error("a: " + std::string(1000000, '[')), HasSubstr("nested too deeply"));
  EXPECT_THAT(error("a: " + std::string(1000000, '{')), StartsWith("c.yaml:"));
  std::string text;
  for (int i = 0; i < 300000; ++i) text += "- ";
  EXPECT_THAT(error(text), HasSubstr("nested too deeply"));
  text.clear();
  for (int i = 0; i < 300000; ++i) text += "? ";
  EXPECT_THAT(error(text), StartsWith("c.yaml:"));
  text = "a: [";
  for (int i = 0; i < 300000; ++i) text += "1,";
  EXPECT_THAT(error(text + "]"), HasSubstr("too many values"));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_LT(elapsed.count(), 10);
}

TEST(Document, Files) {
  const scorevi::test::TempDir dir;
  const std::string path = dir.write("c.yaml", "a: 1\na: 2");
  EXPECT_EQ(scorevi::test::message_of(ErrorKind::kUsage, [&] { Document::from_file(path).throw_if_errors(); }),
            path + ":2:1: a: duplicate key, first given in line 1");
  EXPECT_THAT(scorevi::test::message_of(ErrorKind::kUsage, [&] { Document::from_file(dir.file("none.yaml")); }),
              HasSubstr("No such file"));
  EXPECT_THAT(scorevi::test::message_of(ErrorKind::kUsage, [&] { Document::from_file(dir.path().string()); }),
              HasSubstr("is a folder"));
  const std::string big = dir.write("big.yaml", "a: " + std::string(kMaxConfigBytes, 'x'));
  EXPECT_THAT(scorevi::test::message_of(ErrorKind::kUsage, [&] { Document::from_file(big); }),
              HasSubstr("too long, expected at most 1.0 MiB"));
}

TEST(Document, WhereFallsBackToTheNearestSection) {
  const Document document = Document::from_text("a:\n  list: [{b: 1}, {b: 2}]\n", "c.yaml", {"x.y=3"});
  EXPECT_EQ(document.where("a.list[1].b"), "c.yaml:2:22");
  EXPECT_EQ(document.where("a.list.1.b"), "c.yaml:2:22");
  EXPECT_EQ(document.where("a.list[7].b"), "c.yaml:2:9");
  EXPECT_EQ(document.where("a.none"), "c.yaml:2:3");
  EXPECT_EQ(document.where("none"), "c.yaml:1:1");
  EXPECT_EQ(document.where("x.y"), "-s x.y=3");
  EXPECT_TRUE(document.has("a.list[1].b"));
  EXPECT_FALSE(document.has("a.list[2].b"));
}

TEST(Document, CallersCanAddErrors) {
  Document document = Document::from_text("b: 2\na: 1\n", "c.yaml");
  EXPECT_FALSE(document.has_errors());
  document.add_error("a", "does not go with b");
  document.add_error("b", "does not go with a");
  EXPECT_TRUE(document.has_errors());
  EXPECT_EQ(scorevi::test::message_of(ErrorKind::kUsage, [&] { document.throw_if_errors(); }),
            "c.yaml:1:4: b: does not go with a\nc.yaml:2:4: a: does not go with b");
}

TEST(Overrides, SetValuesListsAndNull) {
  const Document document =
      Document::from_text("a: 1\ns: {t: 2}\nl: [{m: 1}, {m: 2}]\n", "c.yaml",
                          {"a=0.5", "s.t=[1, 2]", "new.deep.key=x=y", "l.1.m=9", "n=null", "e=", "m={p: 1}", "a=0.7"});
  EXPECT_EQ(value(document, "a"), "0.7");  // the last one wins
  EXPECT_EQ(document.root().find("s")->find("t")->items.size(), 2u);
  EXPECT_EQ(document.root().find("new")->find("deep")->find("key")->text, "x=y");
  EXPECT_EQ(document.root().find("l")->items[1].find("m")->text, "9");
  EXPECT_EQ(document.root().find("n")->kind, Node::Kind::kNull);
  EXPECT_EQ(document.root().find("e")->kind, Node::Kind::kNull);
  EXPECT_EQ(document.root().find("m")->find("p")->text, "1");
}

TEST(Overrides, Mistakes) {
  EXPECT_EQ(error("a: 1", {"abc"}), "-s abc: expected KEY.KEY=VALUE, got \"abc\"");
  EXPECT_THAT(error("a: 1", {"=1"}), HasSubstr("expected KEY.KEY=VALUE"));
  EXPECT_THAT(error("a: 1", {"a..b=1"}), HasSubstr("expected KEY.KEY=VALUE"));
  EXPECT_EQ(error("a: 1", {"a.b=2"}), "-s a.b=2: a.b: a is no section, it is \"1\"");
  EXPECT_EQ(error("a: [1, 2]", {"a.5=2"}), "-s a.5=2: a.5: a has 2 items, expected a position from 0, got \"5\"");
  EXPECT_THAT(error("a: 1", {"a=[1"}), StartsWith("-s a=[1: a: not valid YAML"));
  EXPECT_THAT(error("a: 1", {"a={b: 1, b: 2}"}), HasSubstr("a: b: duplicate key"));
}

TEST(Overrides, TheLengthOfAPathIsLimited) {
  std::string path = "k";
  for (int i = 1; i < kMaxConfigDepth; ++i) path += ".k";
  EXPECT_TRUE(Document::from_text("a: 1", "c.yaml", {path + "=1"}).has(path));
  const std::string cut = path.substr(0, 60) + "...";
  EXPECT_EQ(error("a: 1", {path + ".k=1"}), "-s " + cut + ": " + cut + ": too many keys, expected at most 32");
  for (int i = 0; i < 1000000; ++i) path += ".k";
  EXPECT_THAT(error("a: 1", {path + "=1"}), HasSubstr("too many keys"));
}

TEST(Overrides, LongOnesAreCutInMessages) {
  EXPECT_EQ(
      error("a: 1", {"abc" + std::string(100, '\n')}),
      "-s abc" + std::string(57, '?') + "...: expected KEY.KEY=VALUE, got \"abc" + std::string(57, '?') + "...\"");
}

TEST(Overrides, UnknownPathIsExplained) {
  Document document = Document::from_text("data: {name: x}", "c.yaml", {"optimizer.lrr=1", "optimiser.lr=1"});
  SampleOptions options;
  read(document, options);
  EXPECT_EQ(scorevi::test::message_of(ErrorKind::kUsage, [&] { document.throw_if_errors(); }),
            "-s optimizer.lrr=1: optimizer: unknown key, got \"lrr\" (did you mean \"lr\"?)\n"
            "-s optimiser.lr=1: unknown key, got \"optimiser\" (did you mean \"optimizer\"?)");
}

}  // namespace
}  // namespace scorevi::config::test
