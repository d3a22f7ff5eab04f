#include "predictions_file.h"

#include <cmath>
#include <limits>

#include <torch/torch.h>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/csv_writer.h"

namespace scorevi::run {
namespace {

void write_line(AtomicFile& file, const CsvRow& row) { file.write(row.text() + "\n"); }

CsvRow header_of(const data::Dataset& dataset) {
  CsvRow header;
  if (!dataset.files.empty()) header.add("file");
  return header.add("row");
}

CsvRow place_of(const data::Dataset& dataset, int64_t row) {
  const data::RowPlace place = dataset.place_of(row);
  CsvRow cells;
  if (!dataset.files.empty()) cells.add(place.file);
  return cells.add(place.row);
}

}  // namespace

void write_class_predictions(const std::string& path, const data::Dataset& dataset, const std::vector<int64_t>& rows,
                             const ClassPrediction& prediction, const metrics::ClassificationRecords& records) {
  AtomicFile file(path);
  const std::vector<std::string>& class_names = dataset.class_names;
  CsvRow header = header_of(dataset);
  if (dataset.pictures) header.add("picture");
  for (const char* name : {"target", "predicted", "correct", "confidence", "entropy", "mutual_information"})
    header.add(name);
  for (const std::string& name : class_names) header.add("p_" + name);
  write_line(file, header);
  const at::Tensor probs = prediction.log_probs.exp().contiguous();
  const auto p = probs.accessor<double, 2>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CsvRow row = place_of(dataset, rows[i]);
    if (dataset.pictures) row.add(dataset.pictures->name(rows[i]));
    row.add(class_names[static_cast<std::size_t>(records.target[i])]);
    row.add(class_names[static_cast<std::size_t>(records.predicted[i])]).add(static_cast<int>(records.correct[i]));
    row.add(records.confidence[i]).add(records.entropy[i]);
    row.add(records.expected_entropy.empty() ? std::numeric_limits<double>::quiet_NaN()
                                             : records.entropy[i] - records.expected_entropy[i]);
    for (std::size_t c = 0; c < class_names.size(); ++c) row.add(p[static_cast<int64_t>(i)][static_cast<int64_t>(c)]);
    write_line(file, row);
  }
  file.commit();
}

void write_value_predictions(const std::string& path, const data::Dataset& dataset, const std::vector<int64_t>& rows,
                             int64_t outputs, const ValuePrediction& prediction,
                             const metrics::RegressionRecords& records) {
  AtomicFile file(path);
  CsvRow header = header_of(dataset);
  for (const char* name : {"output", "target", "mean", "std", "lower", "upper", "nll"}) header.add(name);
  write_line(file, header);
  const at::Tensor targets = prediction.targets.contiguous();
  const double* target = targets.const_data_ptr<double>();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto k = static_cast<std::size_t>(outputs);
    CsvRow row = place_of(dataset, rows[i / k]);
    row.add(static_cast<int64_t>(i % k)).add(target[i]).add(records.mean[i]).add(records.std[i]);
    row.add(records.lower[i]).add(records.upper[i]).add(records.nll[i]);
    write_line(file, row);
  }
  file.commit();
}

}  // namespace scorevi::run
