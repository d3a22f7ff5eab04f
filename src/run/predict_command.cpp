#include <algorithm>
#include <filesystem>
#include <numeric>
#include <ostream>

#include <fmt/format.h>

#include "config_diff.h"
#include "evaluator.h"
#include "new_rows.h"
#include "predictor.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/csv_writer.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/metrics/confusion.h"
#include "scorevi/metrics/html.h"
#include "scorevi/run/commands.h"
#include "stored_run.h"
#include "thumbnail.h"

namespace scorevi::run {
namespace {

constexpr std::size_t kRanked = 3;         // classes that are named in the table
constexpr std::size_t kOnSheet = 60;       // pictures
constexpr double kSheetPictureSize = 130;  // pixels on the page

// The classes of one row, the likeliest first.
std::vector<std::size_t> ranked(const double* probs, std::size_t classes) {
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), 0);
  const std::size_t count = std::min(kRanked, classes);
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return probs[a] > probs[b] || (probs[a] == probs[b] && a < b); });
  order.resize(count);
  return order;
}

// A prediction row by row.
struct ClassTable {
  const std::vector<std::string>& class_names;
  at::Tensor probs;                          // [N, C]
  std::vector<double> entropy, information;  // N

  ClassTable(const std::vector<std::string>& names, const ClassPrediction& prediction) : class_names(names) {
    probs = prediction.log_probs.exp().contiguous();
    const Uncertainty uncertainty = uncertainty_of(prediction);
    const at::Tensor h = uncertainty.entropy.contiguous(), mi = uncertainty.information.contiguous();
    entropy.assign(h.const_data_ptr<double>(), h.const_data_ptr<double>() + h.numel());
    information.assign(mi.const_data_ptr<double>(), mi.const_data_ptr<double>() + mi.numel());
  }
  const double* row(std::size_t i) const { return probs.const_data_ptr<double>() + i * class_names.size(); }
};

std::string class_rows(const NewRows& rows, const ClassTable& table) {
  static const char* const kRankNames[kRanked] = {"predicted", "second", "third"};
  const std::size_t classes = table.class_names.size();
  CsvRow header;
  header.add("file").add("row").add(kRankNames[0]).add("confidence").add("entropy").add("mutual_information");
  const std::size_t named = std::min(kRanked, classes - 1);  // the last class is known by then
  for (std::size_t rank = 1; rank < named; ++rank) header.add(kRankNames[rank]);
  for (const std::string& name : table.class_names) header.add("p_" + name);
  std::string text = header.text() + "\n";
  for (std::size_t i = 0; i < rows.origins.size(); ++i) {
    const double* p = table.row(i);
    const std::vector<std::size_t> order = ranked(p, classes);
    CsvRow row;
    row.add(rows.origins[i].file).add(rows.origins[i].row).add(table.class_names[order[0]]).add(p[order[0]]);
    row.add(table.entropy[i]).add(table.information[i]);
    for (std::size_t rank = 1; rank < named; ++rank) row.add(table.class_names[order[rank]]);
    for (std::size_t c = 0; c < classes; ++c) row.add(p[c]);
    text += row.text() + "\n";
  }
  return text;
}

std::string sheet_page(const NewRows& rows, const ClassTable& table, const std::string& run) {
  metrics::HtmlPage page("Most uncertain pictures", fmt::format("{} pictures, run {}", rows.origins.size(), run));
  page.paragraph(
      "Highest predictive entropy H first, in nats. MI, the mutual information, is the part that comes from not "
      "knowing the weights.");
  std::vector<metrics::LabelledPicture> pictures;
  for (const std::size_t i : metrics::largest(table.entropy, kOnSheet)) {
    const std::vector<std::size_t> order = ranked(table.row(i), table.class_names.size());
    metrics::LabelledPicture labelled;
    labelled.picture = page_picture(thumbnail(rows.data.dataset, static_cast<int64_t>(i)));
    const std::filesystem::path file = rows.origins[i].file;
    labelled.lines = {(file.parent_path().filename() / file.filename()).string()};
    for (const std::size_t c : order)
      labelled.lines.push_back(fmt::format("{} {:.0f} %", table.class_names[c], 100 * table.row(i)[c]));
    labelled.lines.push_back(fmt::format("H {:.2f}, MI {:.2f}", table.entropy[i], table.information[i]));
    pictures.push_back(std::move(labelled));
  }
  page.pictures(pictures, kSheetPictureSize);
  return page.str();
}

std::string value_rows(const NewRows& rows, int64_t outputs, const ValuePrediction& prediction) {
  std::string text = "file,row,output,mean,std,lower,upper\n";
  const at::Tensor means = prediction.means.t().contiguous(), stds = prediction.stds.t().contiguous();
  const auto components = static_cast<std::size_t>(means.size(1));
  for (int64_t i = 0; i < means.size(0); ++i) {
    const double* m = means.const_data_ptr<double>() + i * means.size(1);
    const double* s = stds.const_data_ptr<double>() + i * means.size(1);
    const metrics::MixtureSummary all = metrics::summarise_mixture(m, s, components, metrics::kIntervalLevel);
    const NewRows::Origin& origin = rows.origins[static_cast<std::size_t>(i / outputs)];
    CsvRow row;
    row.add(origin.file).add(origin.row).add(i % outputs).add(all.mean).add(all.std);
    row.add(all.lower).add(all.upper);
    text += row.text() + "\n";
  }
  return text;
}

// Before anything is predicted: outputs that can be written, and that destroy no input.
void check_outputs(const PredictRequest& request, const RunDirectory& directory,
                   const std::vector<NewRows::Origin>& origins) {
  namespace fs = std::filesystem;
  std::error_code missing;
  for (const auto& [option, target] : {std::pair("--out", request.out), std::pair("--sheet", request.sheet)}) {
    if (target.empty()) continue;
    const fs::path folder = fs::absolute(target).parent_path();
    if (!fs::is_directory(folder, missing))
      throw Error(ErrorKind::kUsage, fmt::format("predict: {} {}: no such folder {}", option, target, folder.string()));
    if (directory.owns(target))
      throw Error(ErrorKind::kUsage,
                  fmt::format("predict: {} {} is a file of the run, expected another file", option, target));
    if (!fs::exists(target, missing)) continue;
    for (const NewRows::Origin& origin : origins)
      if (fs::equivalent(origin.file, target, missing))
        throw Error(ErrorKind::kUsage,
                    fmt::format("predict: {} {} is one of the inputs, expected another file", option, target));
  }
  const bool both = !request.out.empty() && !request.sheet.empty();
  if (both && fs::weakly_canonical(request.out) == fs::weakly_canonical(request.sheet))
    throw Error(ErrorKind::kUsage, "predict: --out and --sheet name the same file, expected two");
}

}  // namespace

int predict(const PredictRequest& request, std::ostream& out) {
  const RunDirectory directory = RunDirectory::open(request.run);
  const LoadedOptions loaded = load_run_options(directory, request.overrides);
  if (!request.overrides.empty()) check_evaluable(directory.path(), load_run_options(directory).resolved, loaded);
  const RunOptions& options = loaded.options;
  const NewRows rows = read_new_rows(request.inputs, directory);
  check_outputs(request, directory, rows.origins);
  if (!request.sheet.empty() && !rows.data.dataset.pictures)
    throw Error(ErrorKind::kUsage, "predict: --sheet shows picture files, and the run was trained on none");
  Experiment experiment = build_experiment(options, rows.data, Use::kPrediction);
  check_same_weights(directory, experiment);
  use_statistics_of_run(experiment, directory);
  load_weights(experiment, directory);
  const std::vector<int64_t>& all = experiment.data.split.train;
  std::string text;
  if (experiment.data.classification()) {
    const ClassTable table(experiment.data.dataset.class_names,
                           predict_classes(experiment, all, options.evaluate.samples));
    text = class_rows(rows, table);
    if (!request.sheet.empty()) write_file_atomic(request.sheet, sheet_page(rows, table, directory.path()));
  } else {
    text = value_rows(rows, experiment.data.outputs(), predict_values(experiment, all, options.evaluate.samples));
  }
  const data::Dataset& dataset = rows.data.dataset;
  const std::string odd = dataset.pictures ? dataset.pictures->odd_text() : "";
  if (!odd.empty()) log().warn("{}: {}", dataset.name, odd);
  if (request.out.empty()) {
    out << text;
  } else {
    write_file_atomic(request.out, text);
    log().info("{} rows predicted, written to {}", rows.origins.size(), request.out);
  }
  return 0;
}

}  // namespace scorevi::run
