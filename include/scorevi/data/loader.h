// Mini-batches whose content is a function of (seed, epoch, batch number) alone.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "scorevi/data/augment.h"
#include "scorevi/data/dataset.h"
#include "scorevi/data/mix.h"
#include "scorevi/data/normalise.h"

namespace scorevi::data {

struct Batch {
  at::Tensor inputs;               // [B, ...] float32, normalised, CPU
  at::Tensor targets;              // [B] int64; [B, C] float32 with `mix`; [B, K] float32, normalised
  std::vector<std::int64_t> rows;  // of the data set, B
  std::int64_t epoch = 0;
  std::int64_t number = 0;  // within the epoch, from 0
};

struct LoaderOptions {
  std::int64_t batch_size = 50;
  bool shuffle = true;  // a new order each epoch; else the order of the rows given
  std::uint64_t seed = 0;
  int workers = 0;  // threads that prepare batches, two ahead each; 0: the caller's own
  // Of pictures: random changes as a function of (seed, epoch, row), or one of the views of evaluation.
  std::optional<AugmentOptions> augment;
  MixOptions mix;
  TestViews views = TestViews::kCenter;
  std::int64_t view = 0;
};

class BatchStream;

// Cheap to copy; thread safe. Batch b of an epoch holds the rows [b B, (b + 1) B) of the epoch's
// order; the last one may be shorter and is kept.
class Loader {
 public:
  // `rows`: the part of the data set to go through. Error kUsage: batch_size < 1, workers outside
  // 0 .. 64, or no rows.
  Loader(const Dataset& dataset, std::vector<std::int64_t> rows, Normalisation normalisation, LoaderOptions options);

  std::int64_t size() const;     // rows of one epoch
  std::int64_t batches() const;  // of one epoch
  // The rows of an epoch in their order.
  std::vector<std::int64_t> order(std::int64_t epoch) const;
  // Any batch, made by the calling thread. An exception of a picture is rethrown as an Error of its
  // kind that says epoch, batch and row.
  Batch get(std::int64_t epoch, std::int64_t number) const;
  // The batches first, first + 1, ... of an epoch, the same bytes for any number of workers.
  BatchStream stream(std::int64_t epoch, std::int64_t first = 0) const;

 private:
  friend class BatchStream;
  struct State;
  std::shared_ptr<const State> state_;
};

// Goes through one epoch while workers prepare the batches ahead. Used by one thread. Its end stops
// the workers after the row at hand.
class BatchStream {
 public:
  BatchStream(BatchStream&&) noexcept;
  BatchStream& operator=(BatchStream&&) noexcept;
  ~BatchStream();

  // The next batch, nothing after the last. Throws what Loader::get would have thrown for that
  // batch, and nothing follows then.
  std::optional<Batch> next();

 private:
  friend class Loader;
  struct Work;
  explicit BatchStream(std::unique_ptr<Work> work);
  std::unique_ptr<Work> work_;
};

}  // namespace scorevi::data
