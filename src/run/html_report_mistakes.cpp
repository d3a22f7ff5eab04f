// Calibration, confused classes and uncertain inputs.
#include <fmt/format.h>

#include "html_report_parts.h"
#include "scorevi/metrics/reliability_plot.h"
#include "thumbnail.h"

namespace scorevi::run {
namespace {

void add_uncertain_pictures(metrics::HtmlPage& page, const EvaluationReport& report) {
  std::vector<metrics::LabelledPicture> pictures;
  for (const EvaluationReport::Uncertain& item : report.uncertain) {
    if (!item.picture.defined()) continue;
    metrics::LabelledPicture labelled;
    labelled.picture = page_picture(item.picture);
    labelled.marked = item.target != item.predicted;
    labelled.lines = {"is " + item.target + ", said " + item.predicted,
                      fmt::format("{:.0f} % sure", 100 * item.confidence),
                      fmt::format("H {:.2f}, MI {:.2f}", item.entropy, item.mutual_information)};
    pictures.push_back(labelled);
  }
  if (!pictures.empty()) page.pictures(pictures);
}

void add_uncertain_table(metrics::HtmlPage& page, const EvaluationReport& report) {
  PlacedTable table({{"class", false}, {"prediction", false}, {"confidence %"}, {"entropy"}, {"mutual information"}});
  for (const EvaluationReport::Uncertain& item : report.uncertain)
    table.add(item.place, {item.target, item.predicted, fmt::format("{:.1f}", 100 * item.confidence),
                           fmt::format("{:.3f}", item.entropy), fmt::format("{:.3f}", item.mutual_information)});
  page.table(table.table());
}

}  // namespace

void add_calibration(metrics::HtmlPage& page, const EvaluationReport& report) {
  if (report.bins.total() == 0) return;
  page.heading("Calibration");
  page.figure(metrics::reliability_plot(report.bins));
  metrics::DataTable table;
  table.columns = {{"confidence", false}, {"rows"}, {"mean confidence %"}, {"accuracy %"}, {"gap, points"}};
  table.caption =
      "Bins of equal width without the empty ones. Gap: mean confidence minus accuracy; positive is over-confident.";
  const int bins = report.bins.size();
  for (int bin = 0; bin < bins; ++bin) {
    if (report.bins.count[bin] == 0) continue;
    const double confidence = 100 * report.bins.mean_confidence(bin), accuracy = 100 * report.bins.accuracy(bin);
    table.rows.push_back({fmt::format("{:.1f} to {:.1f} %", 100.0 * bin / bins, 100.0 * (bin + 1) / bins),
                          std::to_string(report.bins.count[bin]), fmt::format("{:.1f}", confidence),
                          fmt::format("{:.1f}", accuracy), fmt::format("{:+.1f}", confidence - accuracy)});
  }
  page.table(table);
}

void add_mistakes(metrics::HtmlPage& page, const EvaluationReport& report) {
  if (!report.confused.empty()) {
    page.heading("Most confused classes");
    metrics::DataTable table;
    table.columns = {{"class", false}, {"taken for", false}, {"rows"}, {"share of the class %"}};
    for (const EvaluationReport::Confusion& row : report.confused)
      table.rows.push_back(
          {row.target, row.predicted, std::to_string(row.count), fmt::format("{:.1f}", 100 * row.share)});
    page.table(table);
  }
  if (report.uncertain.empty()) return;
  page.heading("Most uncertain inputs");
  page.paragraph(
      "Highest predictive entropy H first, in nats. MI, the mutual information, is the part that comes from not "
      "knowing the weights. Wrong predictions are framed.");
  add_uncertain_pictures(page, report);
  add_uncertain_table(page, report);
}

}  // namespace scorevi::run
