#include "scorevi/metrics/html.h"

#include <gtest/gtest.h>

#include <cmath>

#include "markup.h"
#include "scorevi/core/check.h"
#include "scorevi/metrics/definitions.h"
#include "scorevi/metrics/line_plot.h"

namespace scorevi::metrics {
namespace {

DataTable methods() {
  DataTable t;
  t.caption = "Bold: best.";
  t.columns = {{"method", false}, {"NLL", true, Best::kLowest}, {"AUROC", true, Best::kHighest}};
  t.rows = {{"MAP", {"0.41", 0.41}, {"n/a", NAN}},
            {"ADVI <x>", {"0.30", 0.301}, {"0.91", 0.91}},
            {"PSM", {"0.30", 0.299}, {"0.93", 0.93}}};
  return t;
}

TEST(Html, AWholePageIsWellFormedAndSelfContained) {
  HtmlPage page("run <1> & more", "seed 0");
  page.heading("Summary & <co>");
  page.heading("detail", 3);
  page.paragraph("a < b");
  page.warning("2 samples <clamped>");
  page.key_values({{"device", "cpu & more"}, {"threads", "2"}});
  page.table(methods());
  page.begin_figures();
  page.figure(line_plot({}, {}), "caption <x>");
  page.figure(line_plot({}, {}));
  page.end_figures();
  page.pictures({{grey_picture(8, 8, std::vector<float>(64, 0.5f)), {"3 → 8 \"?\"", "H 1.2"}, true},
                 {grey_picture(8, 4, std::vector<float>(32, 0.5f)), {}, false}});
  page.details("configuration", "model: {name: mlp}  # <note>\n  a: \"b\"", true);
  page.details("log", "");
  const std::string html = page.str();
  EXPECT_EQ(xml_fault(html), "");
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_EQ(count(html, "<script"), 0u);
  EXPECT_EQ(count(html, "<link"), 0u);
  EXPECT_EQ(count(html, "http"), count(html, "http://www.w3.org/2000/svg"));
  EXPECT_EQ(count(html, "# &lt;note&gt;\n  a: &quot;b&quot;"), 1u);
  EXPECT_EQ(count(html, "class=\"marked\""), 1u);
}

TEST(Html, BestCellsAreBold) {
  HtmlPage page("t");
  page.table(methods());
  const std::string html = page.str();
  EXPECT_EQ(count(html, "<td class=\"num best\">0.30</td>"), 2u);  // they read the same
  EXPECT_EQ(count(html, "<td class=\"num best\">0.93</td>"), 1u);
  EXPECT_EQ(count(html, "<td class=\"num\">n/a</td>"), 1u);
  EXPECT_EQ(count(html, "<td>ADVI &lt;x&gt;</td>"), 1u);
}

TEST(Html, ColumnsWithoutNumbersHaveNoBest) {
  DataTable t;
  t.columns = {{"x", true, Best::kLowest}};
  t.rows = {{{"n/a"}}, {{"n/a"}}};
  HtmlPage page("t");
  page.table(t);
  EXPECT_EQ(count(page.str(), "\"num best\""), 0u);
  t.rows = {{}};
  EXPECT_THROW(page.table(t), InternalError);
  EXPECT_THROW(page.heading("x", 1), InternalError);
}

TEST(Html, LinksAndFoldedParts) {
  DataTable t;
  t.columns = {{"folder", false}};
  t.rows = {{{"a<b"}}};
  t.rows[0][0].link = "x/\"y";
  HtmlPage page("t");
  page.begin_details("more & more");
  page.table(t);
  page.end_details();
  EXPECT_EQ(xml_fault(page.str()), "");
  EXPECT_EQ(count(page.str(), "<details><summary>more &amp; more</summary>"), 1u);
  EXPECT_EQ(count(page.str(), "<td><a href=\"x/&quot;y\">a&lt;b</a></td>"), 1u);
}

TEST(Definitions, KeysAreUniqueAndFound) {
  ASSERT_NE(find_metric("ece_pooled"), nullptr);
  EXPECT_EQ(find_metric("ece_pooled")->better, -1);
  EXPECT_EQ(find_metric("nonsense"), nullptr);
  for (const MetricDefinition& m : metric_definitions()) {
    EXPECT_EQ(find_metric(m.key), &m) << m.key;
    EXPECT_EQ(m.definition.back(), '.') << m.key;
  }
}

}  // namespace
}  // namespace scorevi::metrics
