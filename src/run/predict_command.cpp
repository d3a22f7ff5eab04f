#include <cmath>
#include <filesystem>
#include <numeric>
#include <ostream>

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include "evaluator.h"
#include "inputs_file.h"
#include "predictor.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/csv_writer.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/data/encode.h"
#include "scorevi/io/csv.h"
#include "scorevi/io/idx.h"
#include "scorevi/run/commands.h"

namespace scorevi::run {
namespace {

// MNIST files are told by name, as everywhere: train-images-idx3-ubyte, t10k-images-idx3-ubyte.gz.
bool is_idx(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1).find("idx") != std::string::npos;
}

at::Tensor read_rows(const std::string& path, const InputForm& form) {
  const bool images = form.shape.size() == 3;
  if (is_idx(path)) {
    if (!images)
      throw Error(ErrorKind::kData, path + ": holds pictures, expected a CSV table: the run was trained on one");
    return data::encode_images(io::read_idx(path), form.shape, path).to(at::kFloat);
  }
  const io::CsvTable table = io::read_csv(path);
  return images ? data::encode_pixels(table, form.shape) : data::encode_table(table, form.data.dataset.feature_names);
}

struct Origin {
  std::string file;
  int64_t row;  // within the file, from 1
};

std::string class_rows(const std::vector<Origin>& origins, const std::vector<std::string>& class_names,
                       const ClassPrediction& prediction) {
  CsvRow header;
  for (const char* name : {"file", "row", "predicted", "confidence", "entropy", "mutual_information"}) header.add(name);
  for (const std::string& name : class_names) header.add("p_" + name);
  std::string text = header.text() + "\n";
  const at::Tensor probs = prediction.log_probs.exp().contiguous();
  const at::Tensor entropy = -(probs * prediction.log_probs).nan_to_num(0).sum(1);
  const auto p = probs.accessor<double, 2>();
  for (std::size_t i = 0; i < origins.size(); ++i) {
    const auto n = static_cast<int64_t>(i);
    const auto best = probs[n].argmax().item<int64_t>();
    const double h = entropy[n].item<double>();
    CsvRow row;
    row.add(origins[i].file).add(origins[i].row).add(class_names[static_cast<std::size_t>(best)]).add(p[n][best]);
    row.add(h).add(h - prediction.expected_entropy[n].item<double>());
    for (std::size_t c = 0; c < class_names.size(); ++c) row.add(p[n][static_cast<int64_t>(c)]);
    text += row.text() + "\n";
  }
  return text;
}

std::string value_rows(const std::vector<Origin>& origins, int64_t outputs, const ValuePrediction& prediction) {
  std::string text = "file,row,output,mean,std,lower,upper\n";
  const at::Tensor means = prediction.means.t().contiguous(), stds = prediction.stds.t().contiguous();
  const auto components = static_cast<std::size_t>(means.size(1));
  for (int64_t i = 0; i < means.size(0); ++i) {
    const double* m = means.const_data_ptr<double>() + i * means.size(1);
    const double* s = stds.const_data_ptr<double>() + i * means.size(1);
    double mean = 0, variance = 0;
    for (std::size_t k = 0; k < components; ++k) mean += m[k] / static_cast<double>(components);
    for (std::size_t k = 0; k < components; ++k)
      variance += (s[k] * s[k] + (m[k] - mean) * (m[k] - mean)) / static_cast<double>(components);
    const Origin& origin = origins[static_cast<std::size_t>(i / outputs)];
    CsvRow row;
    row.add(origin.file).add(origin.row).add(i % outputs).add(mean).add(std::sqrt(variance));
    row.add(metrics::mixture_quantile(m, s, components, 0.05)).add(metrics::mixture_quantile(m, s, components, 0.95));
    text += row.text() + "\n";
  }
  return text;
}

// The rows of all files as the data of the run's network; targets are placeholders that nothing reads.
DataParts parts_of(const PredictRequest& request, const RunDirectory& directory, std::vector<Origin>& origins) {
  InputForm form = load_inputs(directory);
  std::vector<at::Tensor> rows;
  for (const std::string& path : request.inputs) {
    rows.push_back(read_rows(path, form));
    for (int64_t r = 0; r < rows.back().size(0); ++r) origins.push_back({path, r + 1});
  }
  DataParts parts = std::move(form.data);
  parts.dataset.inputs = at::cat(rows);
  std::vector<int64_t> shape = parts.dataset.targets.sizes().vec();
  shape[0] = parts.dataset.inputs.size(0);
  parts.dataset.targets = at::zeros(shape, parts.dataset.targets.options());
  parts.split.train.resize(origins.size());
  std::iota(parts.split.train.begin(), parts.split.train.end(), 0);
  return parts;
}

}  // namespace

int predict(const PredictRequest& request, std::ostream& out) {
  for (const std::string& path : request.inputs) {
    std::error_code missing;
    if (!request.out.empty() && std::filesystem::equivalent(path, request.out, missing))
      throw Error(ErrorKind::kUsage, "predict: --out " + request.out + " is one of the inputs, expected another file");
  }
  const RunDirectory directory = RunDirectory::open(request.run);
  const RunOptions options = load_options(directory.file(files::kResolved)).options;
  std::vector<Origin> origins;
  Experiment experiment = build_experiment(options, parts_of(request, directory, origins), Use::kPrediction);
  load_weights(experiment, directory);
  const std::vector<int64_t>& rows = experiment.data.split.train;
  const int64_t samples = options.evaluate.samples;
  const std::string text =
      experiment.data.classification()
          ? class_rows(origins, experiment.data.dataset.class_names, predict_classes(experiment, rows, samples))
          : value_rows(origins, experiment.data.outputs(), predict_values(experiment, rows, samples));
  if (request.out.empty()) {
    out << text;
  } else {
    write_file_atomic(request.out, text);
    log().info("{} rows predicted, written to {}", origins.size(), request.out);
  }
  return 0;
}

}  // namespace scorevi::run
