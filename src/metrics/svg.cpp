#include "scorevi/metrics/svg.h"

#include <fmt/format.h>

#include <array>

namespace scorevi::metrics {
namespace {

std::string stroke_attributes(const Stroke& s) {
  std::string out = fmt::format(R"( stroke="{}" stroke-width="{}")", xml_escape(s.color), svg_number(s.width));
  if (!s.dash.empty()) out += fmt::format(R"( stroke-dasharray="{}")", xml_escape(s.dash));
  return out;
}

std::string point_list(const std::vector<Point>& points) {
  std::string out;
  for (const Point& p : points) {
    if (!out.empty()) out += ' ';
    out += svg_number(p.x) + "," + svg_number(p.y);
  }
  return out;
}

}  // namespace

const std::string& series_color(std::size_t i) {
  static const std::array<std::string, 7> kColors = {"#0072B2", "#D55E00", "#009E73", "#AA4499",
                                                     "#E69F00", "#56B4E9", "#222222"};
  return kColors[i % kColors.size()];
}

SvgCanvas::SvgCanvas(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(title) {
  rect({0, 0}, width, height, "#ffffff");
}

void SvgCanvas::line(Point a, Point b, const Stroke& stroke) {
  body_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}"{}/>)", svg_number(a.x), svg_number(a.y),
                       svg_number(b.x), svg_number(b.y), stroke_attributes(stroke)) +
           "\n";
}

void SvgCanvas::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  body_ += fmt::format(R"(<polyline points="{}" fill="none" stroke-linejoin="round"{}/>)", point_list(points),
                       stroke_attributes(stroke)) +
           "\n";
}

void SvgCanvas::polygon(const std::vector<Point>& points, const std::string& fill, double opacity) {
  body_ += fmt::format(R"(<polygon points="{}" fill="{}" fill-opacity="{}"/>)", point_list(points), xml_escape(fill),
                       svg_number(opacity)) +
           "\n";
}

void SvgCanvas::rect(Point corner, double width, double height, const std::string& fill, double opacity,
                     const std::string& stroke_color) {
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}" fill-opacity="{}" stroke="{}"/>)",
                       svg_number(corner.x), svg_number(corner.y), svg_number(width), svg_number(height),
                       xml_escape(fill), svg_number(opacity), xml_escape(stroke_color)) +
           "\n";
}

void SvgCanvas::circle(Point center, double radius, const std::string& fill) {
  body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="{}"/>)", svg_number(center.x), svg_number(center.y),
                       svg_number(radius), xml_escape(fill)) +
           "\n";
}

void SvgCanvas::text(Point at, std::string_view text, const TextStyle& style) {
  using Anchor = TextStyle::Anchor;
  const char* anchor = style.anchor == Anchor::kStart ? "start" : style.anchor == Anchor::kMiddle ? "middle" : "end";
  std::string attributes = fmt::format(R"( x="{}" y="{}" font-size="{}" text-anchor="{}" fill="{}")", svg_number(at.x),
                                       svg_number(at.y), svg_number(style.size), anchor, xml_escape(style.color));
  if (style.bold) attributes += R"( font-weight="bold")";
  if (style.rotate_deg != 0.0)
    attributes += fmt::format(R"~( transform="rotate({} {} {})")~", svg_number(style.rotate_deg), svg_number(at.x),
                              svg_number(at.y));
  body_ += "<text" + attributes + ">" + xml_escape(text) + "</text>\n";
}

void SvgCanvas::image(Point corner, double width, double height, std::string_view data_uri) {
  body_ += fmt::format(R"(<image x="{}" y="{}" width="{}" height="{}" preserveAspectRatio="none" )"
                       R"(style="image-rendering:pixelated" href="{}"/>)",
                       svg_number(corner.x), svg_number(corner.y), svg_number(width), svg_number(height),
                       xml_escape(data_uri)) +
           "\n";
}

// A nested <svg> cuts at its borders and needs no id.
void SvgCanvas::begin_clip(Point corner, double width, double height) {
  const std::string x = svg_number(corner.x), y = svg_number(corner.y);
  const std::string w = svg_number(width), h = svg_number(height);
  body_ += fmt::format(R"(<svg x="{0}" y="{1}" width="{2}" height="{3}" viewBox="{0} {1} {2} {3}" overflow="hidden">)",
                       x, y, w, h) +
           "\n";
}

void SvgCanvas::end_clip() { body_ += "</svg>\n"; }

std::string SvgCanvas::str() const {
  const std::string w = svg_number(width_), h = svg_number(height_), title = xml_escape(title_);
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
             R"(role="img" aria-label="{2}" font-family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif">)",
             w, h, title) +
         "\n<title>" + title + "</title>\n" + body_ + "</svg>\n";
}

}  // namespace scorevi::metrics
