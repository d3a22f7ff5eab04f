// numbers.h, format.h, suggest.h, glob.h, factory.h, text.h: small text helpers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scorevi/core/csv_writer.h"
#include "scorevi/core/factory.h"
#include "scorevi/core/format.h"
#include "scorevi/core/glob.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/suggest.h"
#include "scorevi/core/terminal.h"
#include "scorevi/core/text.h"
#include "scorevi/core/utf8.h"

namespace scorevi {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Text, BeginningsAndEnds) {
  EXPECT_TRUE(begins_with("fc.weight", "fc."));
  EXPECT_TRUE(begins_with("fc", ""));
  EXPECT_FALSE(begins_with("fc", "fc."));
  EXPECT_TRUE(ends_with("fc.weight", ".weight"));
  EXPECT_TRUE(ends_with("fc", "fc"));
  EXPECT_FALSE(ends_with("c", "fc"));
  EXPECT_FALSE(ends_with("fc.weights", ".weight"));
}

TEST(Numbers, DoublesInEverySpelling) {
  EXPECT_EQ(parse_double("1e-4"), 1e-4);
  EXPECT_EQ(parse_double("1E-4"), 1e-4);
  EXPECT_EQ(parse_double("1.e-4"), 1e-4);
  EXPECT_EQ(parse_double(".0001"), 1e-4);
  EXPECT_EQ(parse_double("+1e-4"), 1e-4);
  EXPECT_EQ(parse_double("-0.5"), -0.5);
  EXPECT_EQ(parse_double("0"), 0.0);
  EXPECT_EQ(parse_double("0.1"), 0.1);
  EXPECT_EQ(parse_double(".inf"), kInf);
  EXPECT_EQ(parse_double("-.Inf"), -kInf);
  EXPECT_EQ(parse_double("inf"), kInf);
  EXPECT_TRUE(std::isnan(parse_double(".nan").value()));
}

TEST(Numbers, DoublesRefused) {
  for (const char* text : {"", "-", "+", ".", "1e", "abc", "1 ", " 1", "1_000", "0x10", "1,5", "010", "--1", "+-1",
                           "1e999", "1.5abc", "infinity", "nan(1)", "e5"})
    EXPECT_EQ(parse_double(text), std::nullopt) << text;
}

TEST(Numbers, Integers) {
  EXPECT_EQ(parse_int("42"), 42);
  EXPECT_EQ(parse_int("+42"), 42);
  EXPECT_EQ(parse_int("-7"), -7);
  EXPECT_EQ(parse_int("1e3"), 1000);
  EXPECT_EQ(parse_int("1.5e1"), 15);
  EXPECT_EQ(parse_int("3.0"), 3);
  EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_int("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text :
       {"", "1.5", "1e-3", "9223372036854775808", "1e19", "010", "0x1", "1_000", "inf", "nan", "1 ", "--1"})
    EXPECT_EQ(parse_int(text), std::nullopt) << text;
}

TEST(Format, Doubles) {
  EXPECT_EQ(format_double(0.1), "0.1");
  EXPECT_EQ(format_double(0.001), "0.001");
  EXPECT_EQ(format_double(300), "300");
  EXPECT_EQ(format_double(std::nan("")), "nan");
  EXPECT_EQ(format_double(-std::nan("")), "nan");
  EXPECT_EQ(format_double(-kInf), "-inf");
  for (double value : {1.0 / 3, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.125, -0.0})
    EXPECT_EQ(parse_double(format_double(value)), value);
}

TEST(Format, BytesAndDurations) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(1048575), "1.0 MiB");
  EXPECT_EQ(format_bytes(std::int64_t{530} << 20), "530.0 MiB");
  EXPECT_EQ(format_duration(0.34), "340 ms");
  EXPECT_EQ(format_duration(12.34), "12.3 s");
  EXPECT_EQ(format_duration(59.99), "1m 00s");
  EXPECT_EQ(format_duration(125), "2m 05s");
  EXPECT_EQ(format_duration(3 * 3600 + 7 * 60), "3h 07m");
  EXPECT_EQ(format_duration(52 * 3600), "2d 04h");
  EXPECT_EQ(format_duration(kInf), "inf s");
}

TEST(Suggest, EditDistance) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("momentmu", "momentum"), 1);  // two neighbours swapped
  EXPECT_EQ(edit_distance("same", "same"), 0);
}

TEST(Suggest, DidYouMean) {
  const std::vector<std::string> names = {"adam", "adamw", "sgd", "learning_rate", "categorical"};
  EXPECT_EQ(did_you_mean("adm", names), " (did you mean \"adam\"?)");
  EXPECT_EQ(did_you_mean("AdamW", names), " (did you mean \"adamw\"?)");
  EXPECT_EQ(did_you_mean("sdg", names), " (did you mean \"sgd\"?)");
  EXPECT_EQ(did_you_mean("learning", names), " (did you mean \"learning_rate\"?)");
  EXPECT_EQ(did_you_mean("completely_else", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean("b", {"a", "bc"}), "");
  EXPECT_EQ(did_you_mean("x1", {"x2"}), "");
  EXPECT_EQ(did_you_mean("x1", {"X1"}), " (did you mean \"X1\"?)");
}

TEST(Printable, ControlCharactersAreShown) {
  EXPECT_EQ(printable("plain, caf\xC3\xA9 \xF0\x9F\x99\x82"), "plain, caf\xC3\xA9 \xF0\x9F\x99\x82");
  EXPECT_EQ(printable(std::string_view("\x1b[2J\r\n\t\x7f\0", 9)), "\\x1b[2J\\x0d\\x0a\\x09\\x7f\\x00");
  EXPECT_EQ(printable("a\nb\tc\r", "\n\t"), "a\nb\tc\\x0d");
  EXPECT_EQ(printable("\xC2\x9B\xC2\xA0\xC2"), "\\u009b\xC2\xA0\\xc2");
  EXPECT_EQ(printable("caf\xE9.jpg\xFF"), "caf\\xe9.jpg\\xff");
}

TEST(ShellWord, QuotesWhatAShellWouldSplitOrRead) {
  EXPECT_EQ(shell_word("runs/a-1_b.yaml"), "runs/a-1_b.yaml");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word("it's$x"), "'it'\\''s$x'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Utf8, OtherBytesAreShown) {
  EXPECT_EQ(as_utf8("\xC3\xBC\n\xFC.jpg"), "\xC3\xBC\n\\xfc.jpg");
  EXPECT_TRUE(is_utf8(as_utf8("\xF0\x9F\x99 \xED\xA0\x80 \xC0\xAF")));
  EXPECT_EQ(CsvRow().add("a,\xFF").text(), "\"a,\\xff\"");
}

TEST(Glob, Matches) {
  EXPECT_TRUE(glob_match("fc.*", "fc.weight"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("*.bias", "layer1.0.conv1.bias"));
  EXPECT_TRUE(glob_match("layer?.*.weight", "layer1.0.conv1.weight"));
  EXPECT_TRUE(glob_match("a*b*c", "a.xbb.c"));
  EXPECT_FALSE(glob_match("fc.*", "fc"));
  EXPECT_FALSE(glob_match("fc.*", "xfc.weight"));
  EXPECT_FALSE(glob_match("fc", "fc.weight"));
  EXPECT_FALSE(glob_match("", "x"));
  EXPECT_FALSE(glob_match("?", ""));
  const std::string stars(40, '*');
  EXPECT_FALSE(glob_match(stars + "x", std::string(2000, 'a')));  // no exponential search
}

int twice(int x) { return 2 * x; }

TEST(Factory, FindsAndExplains) {
  const Factory<int (*)(int)> table("solver",
                                    {{"double", "times two", &twice}, {"same", "unchanged", [](int x) { return x; }}});
  EXPECT_EQ(table.make("double", 4), 8);
  EXPECT_TRUE(table.contains("same"));
  EXPECT_EQ(table.names(), (std::vector<std::string>{"double", "same"}));
  try {
    table.find("duble");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(),
                 "solver: unknown name, got \"duble\", expected one of double, same "
                 "(did you mean \"double\"?)");
  }
}

}  // namespace
}  // namespace scorevi
