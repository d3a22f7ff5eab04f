// fuzz_runner TARGET [--runs N] [--seed S] [--max-seconds T] [--max-rss-mib M] [--max-input-s X]
// [FILE...]
//
// Feeds seeded mutations of valid files to one reader. Ends with 1, and writes the input to
// fuzz-TARGET-SEED-RUN.bin, when an exception other than a data error escapes, when the process
// grows by more than M MiB over its start, or when one input takes more than X seconds. A crash or
// a sanitizer report ends the process; --runs 1 --first RUN repeats an input. With FILEs, runs
// those.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "corpus.h"
#include "guard.h"
#include "scorevi/core/factory.h"
#include "targets.h"

namespace {

using namespace scorevi;

struct Target {
  int (*run)(const std::uint8_t* data, std::size_t size);
  fuzz::Corpus (*corpus)();
};

const Factory<Target>& targets() {
  static const Factory<Target> table(
      "fuzz target", {{"checkpoint", "checkpoints", {fuzz_checkpoint, fuzz::checkpoint_corpus}},
                      {"config", "configuration files", {fuzz_config, fuzz::config_corpus}},
                      {"csv", "tables, raw and gzip", {fuzz_csv, fuzz::csv_corpus}},
                      {"idx", "idx files, raw and gzip", {fuzz_idx, fuzz::idx_corpus}},
                      {"image", "pictures", {fuzz_image, fuzz::image_corpus}},
                      {"lists", "lists of pictures", {fuzz_lists, fuzz::lists_corpus}},
                      {"mat", "MATLAB files, plain and packed", {fuzz_mat, fuzz::mat_corpus}},
                      {"posterior", "data of posteriors", {fuzz_posterior, fuzz::posterior_corpus}},
                      {"safetensors", "weights", {fuzz_safetensors, fuzz::safetensors_corpus}},
                      {"weight_file", "files of PyTorch", {fuzz_weight_file, fuzz::weight_file_corpus}}});
  return table;
}

struct Limits {
  std::uint64_t runs = 20000;
  std::uint64_t first = 0;
  std::uint64_t seed = 1;
  double max_seconds = 600;
  double max_rss_mib = 256;  // above the start
  double max_input_s = 1;
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Resident memory of this process, from /proc/self/statm.
double rss_mib() {
  std::ifstream in("/proc/self/statm");
  double total = 0;
  double resident = 0;
  in >> total >> resident;
  return resident * 4096 / (1 << 20);
}

// Why the input fails, or "".
std::string verdict(const Target& target, const std::string& input, const Limits& limits) {
  const auto start = Clock::now();
  try {
    target.run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  } catch (const std::exception& error) {
    return std::string("exception: ") + error.what();
  }
  const double taken = seconds_since(start);
  return taken > limits.max_input_s ? "took " + std::to_string(taken) + " s" : "";
}

int run_mutations(const std::string& name, const Target& target, const Limits& limits) {
  const fuzz::Corpus corpus = target.corpus();
  for (const std::string& valid : corpus) {
    const std::string why = verdict(target, valid, limits);
    if (!why.empty()) {
      std::fprintf(stderr, "%s: valid file: %s\n", name.c_str(), why.c_str());
      return 1;
    }
  }
  const double rss_at_start = rss_mib();
  const auto start = Clock::now();
  std::uint64_t done = 0;
  for (; done < limits.runs && seconds_since(start) < limits.max_seconds; ++done) {
    const std::uint64_t run = limits.first + done;
    const std::string input = fuzz::mutated(corpus, limits.seed, run);
    std::string why = verdict(target, input, limits);
    if (why.empty() && done % 64 == 0 && rss_mib() - rss_at_start > limits.max_rss_mib) {
      why = "resident memory grew above the limit";
    }
    if (why.empty()) continue;
    const std::string file = "fuzz-" + name + "-" + std::to_string(limits.seed) + "-" + std::to_string(run) + ".bin";
    std::ofstream(file, std::ios::binary) << input;
    std::fprintf(stderr, "%s run %llu: %s; input in %s\n", name.c_str(), static_cast<unsigned long long>(run),
                 why.c_str(), file.c_str());
    return 1;
  }
  const std::string read = fuzz::inputs_read == 0 ? "" : " (" + std::to_string(fuzz::inputs_read) + " read)";
  std::printf("%s: %llu inputs%s in %.1f s, memory +%.1f MiB\n", name.c_str(), static_cast<unsigned long long>(done),
              read.c_str(), seconds_since(start), rss_mib() - rss_at_start);
  return 0;
}

int run_files(const Target& target, const std::vector<std::string>& files, const Limits& limits) {
  int status = 0;
  for (const std::string& file : files) {
    std::stringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string why = verdict(target, bytes.str(), limits);
    std::printf("%s: %s\n", file.c_str(), why.empty() ? "ok" : why.c_str());
    if (!why.empty()) status = 1;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name;
  std::vector<std::string> files;
  Limits limits;
  CLI::App app("Seeded mutation fuzzing of scorevi's readers");
  app.add_option("target", name, "one of " + join(targets().names()))->required();
  app.add_option("--runs", limits.runs, "inputs to try")->capture_default_str();
  app.add_option("--first", limits.first, "number of the first input")->capture_default_str();
  app.add_option("--seed", limits.seed, "of the mutations")->capture_default_str();
  app.add_option("--max-seconds", limits.max_seconds, "stop after this time")->capture_default_str();
  app.add_option("--max-rss-mib", limits.max_rss_mib, "memory allowed above the start")->capture_default_str();
  app.add_option("--max-input-s", limits.max_input_s, "time allowed for one input")->capture_default_str();
  app.add_option("files", files, "run these files instead");
  CLI11_PARSE(app, argc, argv);
  try {
    const Target target = targets().find(name).make;
    return files.empty() ? run_mutations(name, target, limits) : run_files(target, files, limits);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
