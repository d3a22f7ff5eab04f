// The batches of a run's data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data_parts.h"
#include "scorevi/data/loader.h"

namespace scorevi::run {

// Training batches, changed at random as data.augment says.
data::Loader training_loader(const RunOptions& options, const DataParts& data);
// Batches of a part in its own order, for evaluation: one of the views of evaluate.views, counted from 0.
data::Loader evaluation_loader(const RunOptions& options, const DataParts& data, const std::vector<int64_t>& rows,
                               int64_t view);
// The training batches that batch-norm statistics are estimated on (train.batch_norm: recalibrate), seen as evaluation
// sees them: the first evaluate.recalibrate_batches full ones. Nothing for the other policies.
std::optional<data::Loader> recalibration_loader(const RunOptions& options, const DataParts& data);
// 1 for data that are no pictures.
int64_t view_count(const RunOptions& options, const DataParts& data);

}  // namespace scorevi::run
