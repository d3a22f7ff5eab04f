#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "loader_state.h"
#include "scorevi/core/check.h"
#include "scorevi/data/loader.h"

namespace scorevi::data {

namespace {

constexpr std::int64_t kBatchesAhead = 2;  // per worker

}  // namespace

// Workers claim batch numbers in order, at most `window` ahead of the consumer, and leave the
// results here by number.
struct BatchStream::Work {
  struct Result {
    Batch batch;
    std::exception_ptr error;
  };

  Work(std::shared_ptr<const Loader::State> loader, std::int64_t epoch_number, std::int64_t first)
      : state(std::move(loader)),
        epoch(epoch_number),
        order(state->order(epoch_number)),
        next_wanted(first),
        next_claimed(first),
        window(std::int64_t{state->options.workers} * kBatchesAhead) {
    for (int i = 0; i < state->options.workers; ++i) {
      threads.emplace_back([this] { prepare_batches(); });
    }
  }

  ~Work() {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      stop = true;
    }
    room.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  // The number of the next batch to prepare, once it is near enough; nothing at the end.
  std::optional<std::int64_t> claim() {
    std::unique_lock<std::mutex> lock(mutex);
    room.wait(lock, [&] { return stop || next_claimed < next_wanted + window; });
    if (stop || next_claimed >= state->batches()) return std::nullopt;
    return next_claimed++;
  }

  void prepare_batches() {
    while (const std::optional<std::int64_t> number = claim()) {
      Result result;
      try {
        result.batch = state->make(epoch, *number, order, stop);
      } catch (...) {
        result.error = std::current_exception();
      }
      const std::lock_guard<std::mutex> lock(mutex);
      ready.emplace(*number, std::move(result));
      arrived.notify_one();
    }
  }

  Result take() {
    std::unique_lock<std::mutex> lock(mutex);
    arrived.wait(lock, [&] { return ready.count(next_wanted) > 0; });
    auto node = ready.extract(next_wanted);
    ++next_wanted;
    room.notify_all();
    return std::move(node.mapped());
  }

  const std::shared_ptr<const Loader::State> state;
  const std::int64_t epoch;
  const std::vector<std::int64_t> order;
  std::int64_t next_wanted;
  std::int64_t next_claimed;
  const std::int64_t window;
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable room;
  std::condition_variable arrived;
  std::map<std::int64_t, Result> ready;
  std::vector<std::thread> threads;
};

BatchStream::BatchStream(std::unique_ptr<Work> work) : work_(std::move(work)) {}
BatchStream::BatchStream(BatchStream&&) noexcept = default;
BatchStream& BatchStream::operator=(BatchStream&&) noexcept = default;
BatchStream::~BatchStream() = default;

std::optional<Batch> BatchStream::next() {
  if (work_ == nullptr || work_->next_wanted >= work_->state->batches()) {
    work_.reset();
    return std::nullopt;
  }
  if (work_->threads.empty()) {
    const std::int64_t number = work_->next_wanted++;
    try {
      return work_->state->make(work_->epoch, number, work_->order, work_->stop);
    } catch (...) {
      work_.reset();
      throw;
    }
  }
  Work::Result result = work_->take();
  if (result.error) {
    work_.reset();
    std::rethrow_exception(result.error);
  }
  return std::move(result.batch);
}

BatchStream Loader::stream(std::int64_t epoch, std::int64_t first) const {
  SCOREVI_CHECK(first >= 0 && first <= batches());
  return BatchStream(std::make_unique<BatchStream::Work>(state_, epoch, first));
}

}  // namespace scorevi::data
