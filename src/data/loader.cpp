#include "scorevi/data/loader.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>

#include "loader_state.h"
#include "scorevi/core/check.h"
#include "scorevi/core/counter_rng.h"
#include "scorevi/core/error.h"

namespace scorevi::data {
namespace {

constexpr int kMaxWorkers = 64;

[[noreturn]] void rethrow_with_place(const Batch& batch, std::int64_t row) {
  const std::string place = fmt::format("loader: epoch {}, batch {}, row {}: ", batch.epoch, batch.number, row);
  try {
    throw;
  } catch (const Error& error) {
    throw Error(error.kind(), place + error.what());
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kRuntime, place + error.what());
  } catch (...) {
    throw Error(ErrorKind::kRuntime, place + "unknown exception");
  }
}

}  // namespace

std::vector<std::int64_t> Loader::State::order(std::int64_t epoch) const {
  if (!options.shuffle) return rows;
  SCOREVI_CHECK(epoch >= 0 && epoch <= std::int64_t{UINT32_MAX});
  const CounterRng rng(options.seed, Purpose::kShuffle, static_cast<std::uint32_t>(epoch));
  std::vector<std::int64_t> result = rng.permutation(size());
  for (std::int64_t& position : result) position = rows[static_cast<std::size_t>(position)];
  return result;
}

void Loader::State::fill_picture(std::int64_t epoch, std::int64_t row, float* out) const {
  const PictureForm& form = dataset.form;
  const io::Image image = dataset.pictures->load(row);
  if (options.augment) {
    const AugmentKey key{options.seed, epoch, row};
    pixel_scale->write_planes(augment(image, *options.augment, key), out);
    erase(options.augment->erasing, key, /*channels=*/3, {form.size, form.size}, out);
  } else if (options.views != TestViews::kCenter) {
    const std::int64_t resize = std::max(form.resize, form.size);
    pixel_scale->write_planes(test_view(image, options.views, options.view, resize, form.size, form.filter), out);
  } else {
    pixel_scale->write_planes(evaluation_view(image, form, dataset.pictures->name(row)), out);
  }
}

void Loader::State::fill_row(std::int64_t epoch, std::int64_t row, std::int64_t width, float* out) const {
  if (dataset.pictures) return fill_picture(epoch, row, out);
  if (dataset.inputs.scalar_type() == at::kByte) {
    apply(normalisation.inputs, dataset.inputs.const_data_ptr<std::uint8_t>() + row * width, width, out);
  } else {
    apply(normalisation.inputs, dataset.inputs.const_data_ptr<float>() + row * width, width, out);
  }
}

void Loader::State::fill_target(std::int64_t row, std::int64_t position, const at::Tensor& targets) const {
  if (dataset.task == Task::kClassification) {
    targets.mutable_data_ptr<std::int64_t>()[position] = dataset.targets.const_data_ptr<std::int64_t>()[row];
    return;
  }
  const std::int64_t outputs = dataset.targets.size(1);
  apply(normalisation.targets, dataset.targets.const_data_ptr<float>() + row * outputs, outputs,
        targets.mutable_data_ptr<float>() + position * outputs);
}

Batch Loader::State::make(std::int64_t epoch, std::int64_t number, const std::vector<std::int64_t>& order,
                          const std::atomic<bool>& stop) const {
  SCOREVI_CHECK(number >= 0 && number < batches());
  const std::int64_t first = number * options.batch_size;
  const std::int64_t count = std::min(options.batch_size, size() - first);
  Batch batch;
  batch.epoch = epoch;
  batch.number = number;
  batch.rows.assign(order.begin() + first, order.begin() + first + count);
  std::vector<std::int64_t> shape = dataset.input_shape();
  shape.insert(shape.begin(), count);
  batch.inputs = at::empty(shape, at::kFloat);
  shape = dataset.targets.sizes().vec();
  shape[0] = count;
  batch.targets = at::empty(shape, dataset.targets.scalar_type());
  float* inputs = batch.inputs.mutable_data_ptr<float>();
  const std::int64_t width = batch.inputs.numel() / count;
  for (std::int64_t i = 0; i < count && !stop.load(std::memory_order_relaxed); ++i) {
    const std::int64_t row = batch.rows[static_cast<std::size_t>(i)];
    try {
      fill_row(epoch, row, width, inputs + i * width);
      fill_target(row, i, batch.targets);
    } catch (...) {
      rethrow_with_place(batch, row);
    }
  }
  if (dataset.pictures && options.mix.any() && !stop.load(std::memory_order_relaxed))
    batch.targets = mix(options.mix, options.seed, epoch, number, batch.inputs, batch.targets, dataset.classes());
  return batch;
}

Loader::Loader(const Dataset& dataset, std::vector<std::int64_t> rows, Normalisation normalisation,
               LoaderOptions options) {
  const auto bad_option = [](const std::string& what) { throw Error(ErrorKind::kUsage, "data." + what); };
  if (options.batch_size < 1) {
    bad_option(fmt::format("batch_size: got {}, expected at least 1", options.batch_size));
  }
  if (options.workers < 0 || options.workers > kMaxWorkers) {
    bad_option(fmt::format("workers: got {}, expected 0 to {}", options.workers, kMaxWorkers));
  }
  if (rows.empty()) bad_option("rows: no rows to load from " + dataset.name);
  for (const std::int64_t row : rows) SCOREVI_CHECK(row >= 0 && row < dataset.size());
  auto state = std::make_shared<State>();
  if (options.augment) validate(*options.augment);
  validate(options.mix);
  if (dataset.pictures) state->pixel_scale.emplace(dataset.form.mean, dataset.form.std);
  state->dataset = dataset;
  state->rows = std::move(rows);
  state->normalisation = std::move(normalisation);
  state->options = std::move(options);
  state_ = std::move(state);
}

std::int64_t Loader::size() const { return state_->size(); }

std::int64_t Loader::batches() const { return state_->batches(); }

std::vector<std::int64_t> Loader::order(std::int64_t epoch) const { return state_->order(epoch); }

Batch Loader::get(std::int64_t epoch, std::int64_t number) const {
  const std::atomic<bool> never{false};
  return state_->make(epoch, number, state_->order(epoch), never);
}

}  // namespace scorevi::data
