#include "scorevi/io/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::io {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> row(const CsvTable& table, std::size_t r) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < table.columns(); ++c) cells.emplace_back(table.cell(r, c));
  return cells;
}

std::string refused(const std::string& text, const CsvOptions& options = {}) {
  return message_of(ErrorKind::kData, [&] { parse_csv(text, "f.csv", options); });
}

TEST(Csv, QuotesLineEndsAndByteOrderMark) {
  const CsvTable table =
      parse_csv("\xEF\xBB\xBFname,n\r\n\"a, b\",1\r\n\"say \"\"hi\"\"\",2\n\"two\nlines\",3\r,4", "f.csv");
  EXPECT_THAT(table.header(), ElementsAre("name", "n"));
  ASSERT_EQ(table.rows(), 4u);
  EXPECT_THAT(row(table, 0), ElementsAre("a, b", "1"));
  EXPECT_THAT(row(table, 1), ElementsAre("say \"hi\"", "2"));
  EXPECT_THAT(row(table, 2), ElementsAre("two\nlines", "3"));
  EXPECT_THAT(row(table, 3), ElementsAre("", "4"));
  EXPECT_EQ(table.line(2), 4u);
  EXPECT_EQ(table.line(3), 6u);
  EXPECT_EQ(table.where(2, 0), "f.csv:4, column 1 (name)");
}

TEST(Csv, HeaderIsRecognisedOrGiven) {
  EXPECT_FALSE(parse_csv("1,2\n3,4\n", "f").has_header());
  EXPECT_FALSE(parse_csv("a,b\nc,d\n", "f").has_header());
  EXPECT_FALSE(parse_csv("a,1\nb,2\n", "f").has_header());
  EXPECT_TRUE(parse_csv("a,b\nc,2\n", "f").has_header());
  EXPECT_TRUE(parse_csv("a,b\nc,\nd,2\n", "f").has_header());
  EXPECT_TRUE(parse_csv("a,b\n\"1,5\",c\n", "f").has_header());
  EXPECT_FALSE(parse_csv("\"1,5\",b\n2,c\n", "f").has_header());
  CsvOptions options;
  options.header = CsvHeader::kYes;
  EXPECT_EQ(parse_csv("1,2\n3,4\n", "f", options).rows(), 1u);
  EXPECT_THAT(parse_csv("x,\n3,4\n", "f", options).header(), ElementsAre("x", "column 2"));
  options.header = CsvHeader::kNo;
  EXPECT_EQ(parse_csv("a,b\n3,4\n", "f", options).rows(), 2u);
  options.header = CsvHeader::kAuto;
  options.known_names = {"x", "b"};
  EXPECT_THAT(parse_csv("a,b\nc,d\n", "f", options).header(), ElementsAre("a", "b"));
  EXPECT_FALSE(parse_csv("a,c\nc,d\n", "f", options).has_header());
  EXPECT_TRUE(parse_csv("a, b\nc,d\n", "f", options).has_header());
}

TEST(Csv, NamesHaveNoBlanksAroundThem) {
  const CsvTable table = parse_csv("x1, label,\tz \n0.5, a, 1\n", "f.csv");
  EXPECT_THAT(table.header(), ElementsAre("x1", "label", "z"));
  EXPECT_EQ(table.column("label"), 1u);
  EXPECT_EQ(table.where(0, 2), "f.csv:2, column 3 (z)");
  EXPECT_THAT(refused("a, a\n1,2\n"), HasSubstr("two columns are named \"a\""));
}

TEST(Csv, GeneratedNamesAreNoOtherColumns) {
  const CsvTable table = parse_csv("column 2,,column 3,\n1,2,3,4\n", "f.csv");
  EXPECT_THAT(table.header(), ElementsAre("column 2", "column 2_", "column 3", "column 4"));
  EXPECT_EQ(table.column("column 2"), 0u);
}

TEST(Csv, DelimiterIsGuessed) {
  EXPECT_EQ(parse_csv("a;b\n1,5;2,5\n", "f").delimiter(), ';');
  EXPECT_EQ(parse_csv("a\tb\n1\t2,3\n", "f").delimiter(), '\t');
  EXPECT_EQ(parse_csv("\"x;y\",2\n\"z;w\",3\n", "f").delimiter(), ',');
  EXPECT_EQ(parse_csv("1\n2\n", "f").columns(), 1u);
  CsvOptions options;
  options.delimiter = '|';
  EXPECT_THAT(row(parse_csv("1|2\n", "f", options), 0), ElementsAre("1", "2"));
}

TEST(Csv, TrailingDelimiterIsACellAndEmptyLinesAreNone) {
  EXPECT_THAT(row(parse_csv("1,2,\n\n\n3,4,\n", "f"), 1), ElementsAre("3", "4", ""));
  EXPECT_THAT(row(parse_csv("1,", "f"), 0), ElementsAre("1", ""));
}

TEST(Csv, RaggedRowsTellTheLineAndBothCounts) {
  EXPECT_EQ(refused("1,2,3\n4,5,6\n7,8\n"), "f.csv:3: found 2 columns, expected 3 as in the first row");
  EXPECT_EQ(refused("1,2\n\"a\nb\",2\n1,2,3\n"), "f.csv:4: found 3 columns, expected 2 as in the first row");
}

TEST(Csv, BadQuotes) {
  EXPECT_THAT(refused("1,\"open\n2,3\n"), HasSubstr("f.csv:1: a quote is opened here"));
  EXPECT_THAT(refused("1,2\n3,5\" pipe\n"), HasSubstr("f.csv:2: a quote inside an unquoted cell"));
  EXPECT_THAT(refused("1,\"a\"b\n"), HasSubstr("text after a closing quote"));
}

TEST(Csv, BytesThatAreNoText) {
  EXPECT_THAT(refused(std::string("1,2\n3,\0\n", 8)), HasSubstr("f.csv:2: a NUL byte"));
  EXPECT_THAT(refused("1,caf\xE9\n"), HasSubstr("0xe9 is not UTF-8"));
  EXPECT_THAT(refused("1,\xED\xA0\x80\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(refused("1,\xC0\xAF\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(refused(std::string("\xFF\xFE"
                                  "1\0",
                                  4)),
              HasSubstr("UTF-16"));
  EXPECT_EQ(parse_csv("caf\xC3\xA9,\xF0\x9F\x99\x82,1\n", "f").cell(0, 0), "caf\xC3\xA9");
}

TEST(Csv, EmptyFilesAndLimits) {
  EXPECT_THAT(refused(""), HasSubstr("the file is empty"));
  EXPECT_THAT(refused("\n\r\n"), HasSubstr("the file is empty"));
  EXPECT_THAT(refused("a,b\n"), HasSubstr("a header and no rows"));
  CsvOptions options;
  options.header = CsvHeader::kYes;
  EXPECT_THAT(refused("a,b\n", options), HasSubstr("a header and no rows"));
  EXPECT_THAT(refused("a,a\n1,2\n"), HasSubstr("two columns are named \"a\""));
  options.max_columns = 3;
  EXPECT_THAT(refused("1,2,3,4\n", options), HasSubstr("more than 3 columns"));
  options.max_bytes = 4;
  EXPECT_THAT(refused("1,2,3\n", options), HasSubstr("6 bytes, expected at most 4"));
}

TEST(Csv, NumbersMayHaveADecimalCommaWhereTheDelimiterIsNone) {
  const CsvTable german = parse_csv("laenge;art\n1,5;a\n -2,25 ;b\n1,5,2;c\n1.5,2;d\n", "f.csv");
  EXPECT_TRUE(german.has_header());
  EXPECT_EQ(german.number(0, 0), 1.5);
  EXPECT_EQ(german.number(1, 0), -2.25);
  EXPECT_EQ(german.trimmed(1, 0), "-2,25");
  EXPECT_FALSE(german.number(2, 0));
  EXPECT_FALSE(german.number(3, 0));
  EXPECT_FALSE(german.number(0, 1));
  const CsvTable quoted = parse_csv("\"1,5\",2\n", "f.csv");
  EXPECT_FALSE(quoted.number(0, 0));
  EXPECT_EQ(quoted.number(0, 1), 2.0);
}

TEST(Csv, TextsThatResembleNumbers) {
  const auto resembles = [](const std::string& cell) {
    return parse_csv("x\n\"" + cell + "\"\n", "f.csv", {',', CsvHeader::kYes}).resembles_number(0, 0);
  };
  for (const char* cell : {"1", "-1.5e-3", "12,5", "-1,5e3", "1.234,5", "1,234.5", "1 234 567", "1'000", "+1.000.000"})
    EXPECT_TRUE(resembles(cell)) << cell;
  for (const char* cell : {"", "a", "2020-01-31", "31.12.2020", "10.0.0.1", "1.2.3", "12 kg", "v1", "1234.567,8"})
    EXPECT_FALSE(resembles(cell)) << cell;
}

TEST(Csv, ColumnsByNameOrNumber) {
  const CsvTable table = parse_csv("age,height\n1,2\n", "f.csv");
  EXPECT_EQ(table.column("height"), 1u);
  EXPECT_EQ(table.column("0"), 0u);
  EXPECT_EQ(table.column("-1"), 1u);
  const std::string message = message_of(ErrorKind::kData, [&] { table.column("hieght"); });
  EXPECT_THAT(message, HasSubstr("age, height"));
  EXPECT_THAT(message, HasSubstr("did you mean \"height\"?"));
  EXPECT_THROW(table.column("2"), Error);
}

TEST(Csv, ReadsFiles) {
  const test::TempDir dir;
  EXPECT_EQ(read_csv(dir.write("a.csv", "1,2\n3,4\n")).rows(), 2u);
  EXPECT_EQ(read_csv("data/digits/digits.csv.gz").rows(), 1797u);
}

}  // namespace
}  // namespace scorevi::io
