// Pictures per second of the loader on one core: decoding, random resized crop and flip (train), or resize and crop
// from the middle (evaluation), to normalised floats of 224 x 224. Needs the pictures of DTD in
// $SCOREVI_DATA/dtd/images. loader_torchvision.py does the same work with Pillow and torchvision.
//   SCOREVI_DATA=DIR bench_scorevi --benchmark_filter=Loader
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "scorevi/data/loader.h"
#include "scorevi/data/registry.h"

namespace scorevi {
namespace {

constexpr int64_t kBatch = 32;

std::string pictures_folder() {
  const char* const root = std::getenv("SCOREVI_DATA");
  return std::string(root == nullptr ? "." : root) + "/dtd/images";
}

void load_pictures(benchmark::State& state, bool train) {
  if (!std::filesystem::is_directory(pictures_folder())) {
    state.SkipWithError("no folder $SCOREVI_DATA/dtd/images");
    return;
  }
  data::DataOptions options;
  options.name = "image_folder";
  options.root = pictures_folder();
  const data::Dataset dataset = data::load_dataset(options);
  std::vector<int64_t> rows(static_cast<std::size_t>(dataset.size()));
  std::iota(rows.begin(), rows.end(), 0);
  data::LoaderOptions loading;
  loading.batch_size = kBatch;
  loading.shuffle = false;
  if (train) loading.augment = data::AugmentOptions{};
  const data::Loader loader(dataset, rows, {}, loading);
  int64_t epoch = 0;
  for (auto _ : state) {
    for (int64_t b = 0; b < loader.batches(); ++b) benchmark::DoNotOptimize(loader.get(epoch, b));
    ++epoch;
  }
  state.SetItemsProcessed(state.iterations() * dataset.size());
}

void loader_train(benchmark::State& state) { load_pictures(state, true); }
void loader_evaluation(benchmark::State& state) { load_pictures(state, false); }

BENCHMARK(loader_train)->Name("Loader/train")->Unit(benchmark::kMillisecond);
BENCHMARK(loader_evaluation)->Name("Loader/evaluation")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scorevi
