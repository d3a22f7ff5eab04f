#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "experiment.h"
#include "picture_checks.h"
#include "scorevi/core/cores.h"
#include "scorevi/core/format.h"
#include "scorevi/core/memory.h"
#include "scorevi/core/terminal.h"
#include "scorevi/data/rows.h"
#include "scorevi/run/commands.h"

namespace scorevi::run {
namespace {

// Rows per class of one part, as text.
std::string histogram(const DataParts& data, const std::vector<int64_t>& rows) {
  const std::vector<int64_t> counts = data.dataset.class_counts(rows);
  std::string text;
  constexpr std::size_t kShown = 20;
  for (std::size_t c = 0; c < std::min(kShown, counts.size()); ++c)
    text += fmt::format("{}{} {}", c > 0 ? ", " : "", printable(data.dataset.class_names[c]), counts[c]);
  return counts.size() > kShown ? text + fmt::format(", ... {} classes", counts.size()) : text;
}

void print_data(const DataParts& data, std::ostream& out) {
  out << fmt::format("data        {}: {} rows, input ", data.dataset.name, data.dataset.size());
  std::string shape;
  for (const int64_t size : data.dataset.input_shape()) shape += (shape.empty() ? "" : "x") + std::to_string(size);
  out << shape
      << (data.classification() ? fmt::format(", {} classes\n", data.outputs())
                                : fmt::format(", {} target(s)\n", data.outputs()));
  const std::pair<const char*, const std::vector<int64_t>*> parts[] = {
      {"train", &data.split.train}, {"validation", &data.split.validation}, {"test", &data.split.test}};
  for (const auto& [name, rows] : parts) {
    out << fmt::format("  {:<12}{} rows", name, rows->size());
    if (data.classification() && !rows->empty()) out << "  (" << histogram(data, *rows) << ")";
    out << "\n";
  }
}

constexpr std::size_t kNamedPictures = 5;  // of those that cannot be decoded

// Reads every picture once. Error(kData) where one that cannot be decoded would end the run.
void print_pictures(const data::Dataset& dataset, const data::DataOptions& source, std::ostream& out) {
  if (!dataset.pictures) return;
  const data::PictureForm& form = dataset.form;
  out << fmt::format("pictures    {} pixels, {}, {}, mean {:.3f}, std {:.3f}\n", form.size,
                     form.resize > 0
                         ? fmt::format("cut from the middle after resizing the short side to {}", form.resize)
                         : "as they are",
                     form.filter == data::ResizeFilter::kBicubic ? "bicubic" : "bilinear", fmt::join(form.mean, " "),
                     fmt::join(form.std, " "));
  const std::vector<data::Pictures::Bad> bad =
      dataset.pictures->bad_rows(data::rows_between(0, dataset.size()), form, core_count());
  const std::string odd = dataset.pictures->odd_text();
  out << fmt::format("  read      {} pictures, {} cannot be decoded{}{}\n", dataset.size(), bad.size(),
                     form.resize == 0 ? " or have another size" : "", odd.empty() ? "" : "; " + odd);
  for (std::size_t i = 0; i < std::min(kNamedPictures, bad.size()); ++i) out << "    " << bad[i].reason << "\n";
  refuse_bad_pictures(bad, source, form);
}

// Inputs that are held in memory.
int64_t data_bytes(const data::Dataset& dataset) {
  return dataset.pictures ? dataset.pictures->held_bytes() : static_cast<int64_t>(dataset.inputs.nbytes());
}

// The memory of a run: told by buffers, and measured after a forward and backward pass.
void print_memory(const Experiment& experiment, std::ostream& out) {
  const std::vector<std::string> buffers = experiment.buffers();
  out << fmt::format("memory      {} parameter-sized buffers = {} ({}), data {}\n", buffers.size(),
                     format_bytes(experiment.buffer_bytes()), fmt::join(buffers, ", "),
                     format_bytes(data_bytes(experiment.data.dataset)));
  const int64_t peak = peak_memory_bytes();
  if (peak >= 0)
    out << fmt::format("  measured  {} of main memory at most up to the first step's backward pass, {} free\n",
                       format_bytes(peak), format_bytes(available_memory_bytes()));
}

// One batch through the network and back, so that shapes and types are known to fit.
void try_step(Experiment& experiment) {
  const data::Batch batch = experiment.train_loader.get(0, 0);
  experiment.target->set_step(0, 0);
  experiment.target->set_batch(batch.inputs, batch.targets);
  experiment.target->evaluate(experiment.target->point());
}

}  // namespace

int check(const CheckRequest& request, std::ostream& out) {
  const LoadedOptions loaded = load_options(request.config, request.overrides);
  Experiment experiment = build_training(loaded.options, load_training_data(loaded.options));
  out << fmt::format("config      {}: no error\n", request.config);
  print_data(experiment.data, out);
  print_pictures(experiment.data.dataset, loaded.options.data.source, out);
  try_step(experiment);
  const int64_t batches = experiment.train_loader.batches();
  out << fmt::format("model       {}: {} parameters in {} tensors\n", loaded.options.model.name,
                     experiment.target->dim(), experiment.target->layout().entries().size());
  out << fmt::format("method      {} on {}: {} epochs of {} steps\n", loaded.options.method.name, experiment.device,
                     loaded.options.train.epochs, batches);
  print_memory(experiment, out);
  out << "everything fits; start with: scorevi train " << shell_word(request.config);
  for (const std::string& text : request.overrides) out << " -s " << shell_word(text);
  out << "\n";
  return 0;
}

}  // namespace scorevi::run
