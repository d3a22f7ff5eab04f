#include "scorevi/metrics/svg.h"

#include <gtest/gtest.h>

#include <cmath>

#include "markup.h"

namespace scorevi::metrics {
namespace {

TEST(Markup, CheckerFindsFaults) {
  EXPECT_EQ(xml_fault("<a b=\"1\"><c/>x &amp; y</a>\n"), "");
  for (const char* bad :
       {"<a>", "<a></b>", "<a b=1/>", "<a>&nbsp;</a>", "<a b=\"<\"/>", "<a/><b/>", "<a b=\"1\" b=\"2\"/>", "x<a/>"})
    EXPECT_NE(xml_fault(bad), "") << bad;
}

TEST(XmlEscape, EscapesMarkupAndBadBytes) {
  EXPECT_EQ(xml_escape("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_escape("σ → 10⁻⁵"), "σ → 10⁻⁵");
  EXPECT_EQ(xml_escape(std::string("a\0b\x1b", 4)), "a\uFFFDb\uFFFD");
  EXPECT_EQ(xml_escape("\xFF\xC0\xAF\xE2\x82"), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(xml_escape("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(xml_escape("line\n\ttab"), "line\n\ttab");
}

TEST(SvgNumber, ShortAndFinite) {
  EXPECT_EQ(svg_number(1.0), "1");
  EXPECT_EQ(svg_number(1.239), "1.24");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(100.0), "100");
  EXPECT_EQ(svg_number(NAN), "0");
  EXPECT_EQ(svg_number(INFINITY), "0");
}

TEST(Text, WidthGrowsWithTheText) {
  EXPECT_EQ(text_width("", 12), 0.0);
  EXPECT_GT(text_width("MMM", 12), text_width("iii", 12));
  EXPECT_DOUBLE_EQ(text_width("ab", 24), 2 * text_width("ab", 12));
  EXPECT_LT(text_width("σσ", 12), 20.0);  // two letters, not four bytes
}

TEST(Text, WrapKeepsEveryWord) {
  const auto lines = wrap_text("one two  three four", 12, 60);
  EXPECT_GT(lines.size(), 1u);
  std::string joined;
  for (const std::string& l : lines) joined += l + " ";
  EXPECT_EQ(joined, "one two three four ");
  EXPECT_EQ(wrap_text("unbreakablelongword", 12, 5).size(), 1u);
  EXPECT_TRUE(wrap_text("  ", 12, 5).empty());
}

TEST(Text, ShortenFits) {
  EXPECT_EQ(shorten_text("short", 12, 100), "short");
  const std::string cut = shorten_text("a rather long label σσσσσσσ", 12, 80);
  EXPECT_LE(text_width(cut, 12), 80.0);
  EXPECT_EQ(cut.substr(cut.size() - 3), "…");
}

TEST(SvgCanvas, AllShapesAreWellFormed) {
  SvgCanvas canvas(200, 100, "a <title> & \"more\"");
  canvas.line({0, 0}, {NAN, 5});
  canvas.polyline({{0, 0}, {1, 1}}, {"#123456", 2, "5 3"});
  canvas.polygon({{0, 0}, {1, 1}, {0, 1}}, "red", 0.5);
  canvas.circle({1, 2}, 3, "blue");
  TextStyle style;
  style.bold = true;
  style.rotate_deg = -90;
  style.anchor = TextStyle::Anchor::kEnd;
  canvas.text({1, 2}, "x < y", style);
  canvas.begin_clip({0, 0}, 10, 10);
  canvas.image({0, 0}, 10, 10, "data:image/png;base64,AA==");
  canvas.end_clip();
  const std::string svg = canvas.str();
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find(" id="), svg.npos);  // many plots share one page
  EXPECT_NE(svg.find("x &lt; y"), svg.npos);
  EXPECT_NE(svg.find("rotate(-90 1 2)"), svg.npos);
}

TEST(Palette, DistinctThenRepeats) {
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(series_color(i), series_color(j));
  EXPECT_EQ(series_color(7), series_color(0));
}

}  // namespace
}  // namespace scorevi::metrics
