#include "scorevi/metrics/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scorevi/core/check.h"
#include "scorevi/metrics/svg.h"

namespace scorevi::metrics {
namespace {

constexpr char kStyle[] = R"(
:root { color-scheme: light; }
body { margin: 0 auto; padding: 1.5rem 1.25rem 3rem; max-width: 62rem; background: #fff; color: #222;
  font: 15px/1.5 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
header { border-bottom: 2px solid #0072B2; margin-bottom: 1.25rem; padding-bottom: .5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
header p { margin: .2rem 0 0; color: #555; }
h2 { font-size: 1.25rem; margin: 2rem 0 .6rem; border-bottom: 1px solid #ddd; }
h3 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }
h4 { font-size: 1rem; margin: 1rem 0 .3rem; }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
caption { caption-side: bottom; text-align: left; color: #555; font-size: .87em; padding-top: .3rem; }
th, td { padding: .26rem .7rem; border-bottom: 1px solid #e4e4e4; text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid #999; }
th.num, td.num { text-align: right; white-space: nowrap; }
td.best { font-weight: 700; }
table.keys th { font-weight: 600; color: #444; white-space: nowrap; }
table.keys td { overflow-wrap: anywhere; }
figure { margin: .8rem 0; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption { color: #555; font-size: .87em; max-width: 42rem; }
.side { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; align-items: flex-start; }
.pictures { display: flex; flex-wrap: wrap; gap: .7rem; margin: .6rem 0; }
.pictures div { font-size: .78em; line-height: 1.35; overflow-wrap: anywhere; break-inside: avoid; }
.pictures img { display: block; image-rendering: pixelated; border: 2px solid #ccc; margin-bottom: .15rem; }
.pictures .marked img { border-color: #D55E00; }
.warning { border-left: 4px solid #D55E00; background: #fdf1e7; padding: .5rem .8rem; margin: .8rem 0; }
details { border: 1px solid #ddd; border-radius: 4px; padding: .4rem .8rem; margin: .8rem 0; }
summary { cursor: pointer; font-weight: 600; }
pre { overflow-x: auto; font: 13px/1.4 ui-monospace, Consolas, "DejaVu Sans Mono", monospace; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3, h4 { break-after: avoid; }
  tr { break-inside: avoid; }
  pre { white-space: pre-wrap; font-size: 8.5pt; }
  .wide, pre { overflow: visible; }
  @page { margin: 16mm; }
}
)";

// Row of the best value in a column, or -1.
int best_row(const DataTable& table, std::size_t column) {
  const Best best = table.columns[column].best;
  if (best == Best::kNone) return -1;
  int found = -1;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const double v = table.rows[r][column].value;
    if (std::isnan(v)) continue;
    const double leader = found < 0 ? 0.0 : table.rows[found][column].value;
    if (found < 0 || (best == Best::kLowest ? v < leader : v > leader)) found = static_cast<int>(r);
  }
  return found;
}

std::string table_head(const DataTable& table) {
  std::string out = "<thead><tr>";
  for (const TableColumn& c : table.columns)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", c.number ? " class=\"num\"" : "", xml_escape(c.name));
  return out + "</tr></thead>\n";
}

}  // namespace

HtmlPage::HtmlPage(std::string_view title, std::string_view subtitle) : title_(title), subtitle_(subtitle) {}

void HtmlPage::heading(std::string_view text, int level) {
  SCOREVI_CHECK(level >= 2 && level <= 4);
  body_ += fmt::format("<h{0}>{1}</h{0}>\n", level, xml_escape(text));
}

void HtmlPage::paragraph(std::string_view text) { body_ += "<p>" + xml_escape(text) + "</p>\n"; }

void HtmlPage::warning(std::string_view text) {
  body_ += "<div class=\"warning\" role=\"note\"><strong>Warning:</strong> " + xml_escape(text) + "</div>\n";
}

void HtmlPage::key_values(const std::vector<std::pair<std::string, std::string>>& rows) {
  body_ += "<table class=\"keys\"><tbody>\n";
  for (const auto& [key, value] : rows)
    body_ += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", xml_escape(key), xml_escape(value));
  body_ += "</tbody></table>\n";
}

void HtmlPage::table(const DataTable& table) {
  std::string out = "<div class=\"wide\"><table>\n";
  if (!table.caption.empty()) out += "<caption>" + xml_escape(table.caption) + "</caption>\n";
  std::vector<std::string> best_text(table.columns.size());
  std::vector<int> best(table.columns.size(), -1);
  for (const auto& row : table.rows) SCOREVI_CHECK_OP(row.size(), ==, table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    best[c] = best_row(table, c);
    if (best[c] >= 0) best_text[c] = table.rows[best[c]][c].text;
  }
  out += table_head(table) + "<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string classes = table.columns[c].number ? "num" : "";
      if (best[c] >= 0 && row[c].text == best_text[c]) classes += classes.empty() ? "best" : " best";
      out += classes.empty() ? "<td>" : "<td class=\"" + classes + "\">";
      const std::string text = xml_escape(row[c].text);
      out += row[c].link.empty() ? text : "<a href=\"" + xml_escape(row[c].link) + "\">" + text + "</a>";
      out += "</td>";
    }
    out += "</tr>\n";
  }
  body_ += out + "</tbody></table></div>\n";
}

void HtmlPage::figure(std::string_view svg, std::string_view caption) {
  body_ += "<figure>\n" + std::string(svg);
  if (!caption.empty()) body_ += "<figcaption>" + xml_escape(caption) + "</figcaption>\n";
  body_ += "</figure>\n";
}

void HtmlPage::begin_figures() { body_ += "<div class=\"side\">\n"; }

void HtmlPage::end_figures() { body_ += "</div>\n"; }

void HtmlPage::pictures(const std::vector<LabelledPicture>& pictures, double size_px) {
  body_ += "<div class=\"pictures\">\n";
  for (const LabelledPicture& p : pictures) {
    const double larger = std::max(p.picture.width, p.picture.height);
    const std::string alt = p.lines.empty() ? "picture" : xml_escape(p.lines.front());
    body_ += fmt::format(R"(<div{} style="width:{}px"><img alt="{}" width="{}" height="{}" src="{}"/>)",
                         p.marked ? " class=\"marked\"" : "", svg_number(size_px + 4.0), alt,
                         svg_number(size_px * p.picture.width / larger),
                         svg_number(size_px * p.picture.height / larger), png_data_uri(p.picture));
    for (const std::string& line : p.lines) body_ += xml_escape(line) + "<br/>";
    body_ += "</div>\n";
  }
  body_ += "</div>\n";
}

void HtmlPage::details(std::string_view summary, std::string_view preformatted, bool open) {
  body_ += fmt::format("<details{}><summary>{}</summary>\n<pre>{}</pre></details>\n", open ? " open=\"open\"" : "",
                       xml_escape(summary), xml_escape(preformatted));
}

void HtmlPage::begin_details(std::string_view summary) {
  body_ += "<details><summary>" + xml_escape(summary) + "</summary>\n";
}

void HtmlPage::end_details() { body_ += "</details>\n"; }

std::string HtmlPage::str() const {
  const std::string title = xml_escape(title_);
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" + title +
         "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<header><h1>" + title + "</h1>";
  if (!subtitle_.empty()) out += "<p>" + xml_escape(subtitle_) + "</p>";
  return out + "</header>\n<main>\n" + body_ + "</main>\n</body>\n</html>\n";
}

}  // namespace scorevi::metrics
