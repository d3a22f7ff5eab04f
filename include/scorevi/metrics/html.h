// Building blocks of a report: one HTML file that needs nothing else, for the screen and for paper.
// All text is escaped; only figure() takes markup, an SVG element made by this module.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scorevi/metrics/png.h"

namespace scorevi::metrics {

enum class Best { kNone, kLowest, kHighest };

struct TableColumn {
  std::string name;
  bool number = true;       // right-aligned
  Best best = Best::kNone;  // which cell is printed bold
};

struct TableCell {
  std::string text;
  double value = std::numeric_limits<double>::quiet_NaN();  // compared for the bold print; NaN is never best
  std::string link = {};                                    // where a click leads; empty: nowhere
  // Implicit, so that rows are written as lists of texts.
  TableCell(std::string cell_text) : text(std::move(cell_text)) {}  // NOLINT(google-explicit-constructor)
  TableCell(const char* cell_text) : text(cell_text) {}             // NOLINT(google-explicit-constructor)
  TableCell(std::string cell_text, double cell_value) : text(std::move(cell_text)), value(cell_value) {}
};

// Every row has as many cells as there are columns. Cells that read the same as the best one are
// bold too.
struct DataTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;
  std::string caption;
};

struct LabelledPicture {
  Picture picture;
  std::vector<std::string> lines;  // under the picture
  bool marked = false;             // a coloured frame: a wrong prediction, say
};

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title, std::string_view subtitle = "");

  void heading(std::string_view text, int level = 2);  // levels 2..4; 1 is the title
  void paragraph(std::string_view text);
  void warning(std::string_view text);
  void key_values(const std::vector<std::pair<std::string, std::string>>& rows);
  void table(const DataTable& table);
  void figure(std::string_view svg, std::string_view caption = "");
  void begin_figures();  // figures up to end_figures() stand side by side where there is room
  void end_figures();
  void pictures(const std::vector<LabelledPicture>& pictures, double size_px = 84.0);
  void begin_details(std::string_view summary);  // what follows up to end_details() is folded away
  void end_details();
  void details(std::string_view summary, std::string_view preformatted, bool open = false);

  std::string str() const;  // the whole document

 private:
  std::string title_, subtitle_;
  std::string body_;
};

}  // namespace scorevi::metrics
