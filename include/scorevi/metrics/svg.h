// A small SVG writer: shapes and text in pixels, y downwards, on a white ground.
//
// The output is one <svg> element without ids, style sheets or outside references, so that many of
// them can stand inside one HTML page. Colours are safe for colour-blind readers (Okabe and Ito
// 2008).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scorevi::metrics {

// Text for XML or HTML, in content or in double-quoted attributes. Bytes that are not UTF-8, and
// control characters that XML forbids, become U+FFFD.
std::string xml_escape(std::string_view text);

// Width in pixels of one line in a sans-serif font, by a table of average letter widths (error
// about 5 %).
double text_width(std::string_view text, double size);

// Words broken into lines of at most max_width pixels; a longer word gets a line of its own.
std::vector<std::string> wrap_text(std::string_view text, double size, double max_width);

// The text cut to max_width pixels, with an ellipsis where something is missing.
std::string shorten_text(std::string_view text, double size, double max_width);

// Colour of series i: blue, vermillion, green, purple, orange, sky blue, black; then again.
const std::string& series_color(std::size_t i);

struct Point {
  double x;
  double y;
};

struct Stroke {
  std::string color = "#222222";
  double width = 1.0;
  std::string dash = {};  // SVG dash array, "5 3"
};

struct TextStyle {
  enum class Anchor { kStart, kMiddle, kEnd };
  double size = 12.0;
  Anchor anchor = Anchor::kStart;
  std::string color = "#222222";
  bool bold = false;
  double rotate_deg = 0.0;  // about the anchor point, clockwise
};

class SvgCanvas {
 public:
  // `title` is the text alternative read aloud and shown on hovering.
  SvgCanvas(double width, double height, std::string_view title);

  void line(Point a, Point b, const Stroke& stroke = {});
  void polyline(const std::vector<Point>& points, const Stroke& stroke);
  void polygon(const std::vector<Point>& points, const std::string& fill, double opacity);
  void rect(Point corner, double width, double height, const std::string& fill, double opacity = 1.0,
            const std::string& stroke_color = "none");
  void circle(Point center, double radius, const std::string& fill);
  void text(Point at, std::string_view text, const TextStyle& style = {});
  // Pixels are shown as squares, not smoothed.
  void image(Point corner, double width, double height, std::string_view data_uri);

  // Shapes between the two calls are cut at the rectangle.
  void begin_clip(Point corner, double width, double height);
  void end_clip();

  std::string str() const;

 private:
  std::string body_;
  double width_, height_;
  std::string title_;
};

// A pixel coordinate or length: two decimals at most, "0" for anything not finite.
std::string svg_number(double v);

}  // namespace scorevi::metrics
