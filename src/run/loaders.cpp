#include "loaders.h"

#include <algorithm>

#include "picture_form.h"
#include "scorevi/core/check.h"

namespace scorevi::run {
namespace {

// Activations of a batch are many times its inputs: large pictures go through the network in smaller batches.
int64_t evaluation_batch(const RunOptions& options, const DataParts& data) {
  if (options.evaluate.batch_size > 0) return options.evaluate.batch_size;
  constexpr int64_t kMostRows = 500, kMostValues = int64_t{1} << 22;
  int64_t values = 1;
  for (const int64_t size : data.dataset.input_shape()) values *= size;
  return std::clamp<int64_t>(kMostValues / std::max<int64_t>(1, values), 1, kMostRows);
}

data::TestViews views_of(const RunOptions& options) {
  const std::string& views = options.evaluate.views;
  if (views == "flip") return data::TestViews::kFlip;
  if (views == "five_crop") return data::TestViews::kFiveCrop;
  if (views == "ten_crop") return data::TestViews::kTenCrop;
  SCOREVI_CHECK_OP(views, ==, "center");
  return data::TestViews::kCenter;
}

}  // namespace

data::Loader training_loader(const RunOptions& options, const DataParts& data) {
  data::LoaderOptions loader;
  loader.batch_size = options.data.batch_size;
  loader.seed = static_cast<uint64_t>(options.seed);
  loader.workers = static_cast<int>(options.data.workers);
  loader.augment = augmentation(options, data.dataset);
  const AugmentSection& section = options.data.augment;
  if (loader.augment) loader.mix = {section.label_smoothing, section.mixup, section.cutmix};
  return data::Loader(data.dataset, data.split.train, data.normalisation, loader);
}

data::Loader evaluation_loader(const RunOptions& options, const DataParts& data, const std::vector<int64_t>& rows,
                               int64_t view) {
  data::LoaderOptions loader;
  loader.batch_size = evaluation_batch(options, data);
  loader.shuffle = false;
  loader.workers = static_cast<int>(options.data.workers);
  loader.views = views_of(options);
  loader.view = view;
  return data::Loader(data.dataset, rows, data.normalisation, loader);
}

std::optional<data::Loader> recalibration_loader(const RunOptions& options, const DataParts& data) {
  if (options.train.batch_norm != "recalibrate" || data.split.train.empty()) return std::nullopt;
  data::LoaderOptions loader;
  loader.shuffle = false;
  loader.workers = static_cast<int>(options.data.workers);
  std::vector<int64_t> rows = data.split.train;
  const auto all = static_cast<int64_t>(rows.size());
  loader.batch_size = std::min(options.data.batch_size, all);
  const int64_t batches = std::min(options.evaluate.recalibrate_batches, all / loader.batch_size);
  rows.resize(static_cast<std::size_t>(batches * loader.batch_size));
  return data::Loader(data.dataset, rows, data.normalisation, loader);
}

int64_t view_count(const RunOptions& options, const DataParts& data) {
  return data.dataset.pictures ? data::view_count(views_of(options)) : 1;
}

}  // namespace scorevi::run
