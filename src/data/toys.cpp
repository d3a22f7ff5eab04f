// Generated sets. Row i is a function of (seed, i) alone: the first rows of a larger set are the
// smaller set.
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cmath>

#include "scorevi/core/counter_rng.h"
#include "scorevi/core/error.h"
#include "sources.h"

namespace scorevi::data {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::int64_t kMaxRows = 10'000'000;

// Two independent streams: positions and noise.
struct Streams {
  explicit Streams(std::uint64_t seed) : place(seed, Purpose::kData, 0, 0), noise(seed, Purpose::kData, 0, 1) {}
  CounterRng place;  // uniform
  CounterRng noise;  // normal
};

double noise_std(const DataOptions& options, double own) { return options.noise < 0 ? own : options.noise; }

Dataset empty_set(const DataOptions& options, const std::string& name, Task task, std::int64_t features) {
  if (options.rows < 1 || options.rows > kMaxRows) {
    throw Error(ErrorKind::kUsage, fmt::format("data.rows: got {}, expected 1 to {}", options.rows, kMaxRows));
  }
  Dataset dataset;
  dataset.name = name;
  dataset.description = "generated, seed " + std::to_string(options.seed);
  dataset.task = task;
  dataset.inputs = at::empty({options.rows, features}, at::kFloat);
  dataset.targets =
      task == Task::kClassification ? at::empty({options.rows}, at::kLong) : at::empty({options.rows, 1}, at::kFloat);
  for (std::int64_t f = 0; f < features; ++f) dataset.feature_names.push_back(fmt::format("x{}", f + 1));
  return dataset;
}

// y = f(x) + noise for x drawn by `draw(u)` from a uniform u.
template <class Draw, class Function>
Dataset curve(const DataOptions& options, const std::string& name, double own_noise, Draw draw, Function function) {
  Dataset dataset = empty_set(options, name, Task::kRegression, 1);
  const Streams streams(options.seed);
  const double std = noise_std(options, own_noise);
  auto* x = dataset.inputs.mutable_data_ptr<float>();
  auto* y = dataset.targets.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < options.rows; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    const double place = draw(streams.place.uniform(at));
    x[i] = static_cast<float>(place);
    y[i] = static_cast<float>(function(place) + std * streams.noise.normal(at));
  }
  return dataset;
}

}  // namespace

// Class 0: (cos t, sin t), class 1: (1 - cos t, 1/2 - sin t), t uniform on [0, pi], noise 0.1.
Dataset make_two_moons(const DataOptions& options) {
  Dataset dataset = empty_set(options, "two_moons", Task::kClassification, 2);
  dataset.class_names = {"upper", "lower"};
  const Streams streams(options.seed);
  const double std = noise_std(options, 0.1);
  auto* x = dataset.inputs.mutable_data_ptr<float>();
  auto* label = dataset.targets.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < options.rows; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    const double t = kPi * streams.place.uniform(at);
    label[i] = i % 2;
    const double px = label[i] == 0 ? std::cos(t) : 1.0 - std::cos(t);
    const double py = label[i] == 0 ? std::sin(t) : 0.5 - std::sin(t);
    x[2 * i] = static_cast<float>(px + std * streams.noise.normal(2 * at));
    x[2 * i + 1] = static_cast<float>(py + std * streams.noise.normal(2 * at + 1));
  }
  return dataset;
}

// Class c of C: centre 3 (cos 2 pi c / C, sin 2 pi c / C), noise 1.
Dataset make_blobs(const DataOptions& options) {
  if (options.classes < 2 || options.classes > 1000) {
    throw Error(ErrorKind::kUsage, fmt::format("data.classes: got {}, expected 2 to 1000", options.classes));
  }
  Dataset dataset = empty_set(options, "blobs", Task::kClassification, 2);
  for (std::int64_t c = 0; c < options.classes; ++c) dataset.class_names.push_back(std::to_string(c));
  const Streams streams(options.seed);
  const double std = noise_std(options, 1.0);
  auto* x = dataset.inputs.mutable_data_ptr<float>();
  auto* label = dataset.targets.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < options.rows; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    label[i] = i % options.classes;
    const double angle = 2.0 * kPi * static_cast<double>(label[i]) / static_cast<double>(options.classes);
    x[2 * i] = static_cast<float>(3.0 * std::cos(angle) + std * streams.noise.normal(2 * at));
    x[2 * i + 1] = static_cast<float>(3.0 * std::sin(angle) + std * streams.noise.normal(2 * at + 1));
  }
  return dataset;
}

// y = sin(pi x), x uniform on [-2, -0.5] and [0.5, 2], noise 0.1: no data between -0.5 and 0.5.
Dataset make_sine_gap(const DataOptions& options) {
  return curve(
      options, "sine_gap", 0.1, [](double u) { return u < 0.5 ? -2.0 + 3.0 * u : 0.5 + 3.0 * (u - 0.5); },
      [](double x) { return std::sin(kPi * x); });
}

// y = x^3, x uniform on [-4, 4], noise 3. Source: Hernandez-Lobato, Adams, "Probabilistic
// backpropagation", ICML 2015, section 5.1.
Dataset make_cubic(const DataOptions& options) {
  return curve(
      options, "cubic", 3.0, [](double u) { return -4.0 + 8.0 * u; }, [](double x) { return x * x * x; });
}

}  // namespace scorevi::data
