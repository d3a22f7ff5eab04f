// One step of the methods on targets with known answers at D = 10, 100 and 1000, and beside gsm and bam the matrix
// operations that they cannot do without. The target costs O(D), so that the time is the method's.
#include <memory>

#include <ATen/ATen.h>
#include <benchmark/benchmark.h>

#include "scorevi/inference/advi.h"
#include "scorevi/inference/advi_full.h"
#include "scorevi/inference/bam.h"
#include "scorevi/inference/closed_form.h"
#include "scorevi/inference/fisher.h"
#include "scorevi/inference/gsm.h"
#include "scorevi/inference/psm.h"
#include "scorevi/inference/psm_full.h"
#include "scorevi/targets/gaussian.h"
#include "scorevi/variational/diagonal_gaussian.h"
#include "scorevi/variational/full_gaussian.h"

namespace scorevi {
namespace {

using namespace inference;

constexpr int64_t kSamples = 8;

at::Tensor zeros(int64_t dim) { return at::zeros({dim}, at::kDouble); }

template <class Options>
Options options_of() {
  Options options;
  options.samples = kSamples;
  return options;
}

optim::OptimizerOptions small_adam() {
  optim::OptimizerOptions options;
  options.name = "adam";
  options.lr = 1e-4;
  return options;
}

template <class Family>
void run_steps(benchmark::State& state, Engine& engine, int64_t dim) {
  targets::DiagonalGaussianTarget target(zeros(dim), zeros(dim) + 1);
  Family q = Family::from_mean(zeros(dim), 1);
  StepInfo info;
  info.total_steps = 1 << 20;
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine.step(target, q, info));
    ++info.step;
  }
}

// Engines whose constructors take the options alone, and those with an optimiser.
template <class Method, class Options, class Family>
void plain_step(benchmark::State& state) {
  Method engine(options_of<Options>());
  run_steps<Family>(state, engine, state.range(0));
}

template <class Method, class Options, class Family>
void optimizer_step(benchmark::State& state) {
  const int64_t dim = state.range(0);
  Method engine(options_of<Options>(), small_adam(), params::FlatLayout::single(dim), zeros(dim));
  run_steps<Family>(state, engine, dim);
}

void bam_diagonal_step(benchmark::State& state) {
  BamDiagonal engine(options_of<BamOptions>(), zeros(state.range(0)));
  run_steps<variational::DiagonalGaussian>(state, engine, state.range(0));
}

// A well conditioned factor, and scores [B, D].
struct Matrices {
  explicit Matrices(int64_t dim)
      : factor((at::eye(dim, at::kDouble) + at::randn({dim, dim}, at::kDouble) / (4 * dim)).tril_()),
        draws(at::randn({kSamples, dim}, at::kDouble)) {}
  at::Tensor factor, draws;
};

// White scores, two updates of rank B, the Cholesky factor, and its product with the old one.
void gsm_matrices(benchmark::State& state) {
  const Matrices m(state.range(0));
  for (auto _ : state) {
    const at::Tensor white = m.draws.matmul(m.factor);
    at::Tensor covariance = at::eye(m.factor.size(0), at::kDouble);
    covariance.addmm_(white.t(), white, 1, 0.01).addmm_(m.draws.t(), m.draws, 1, 0.01);
    const auto [root, failed] = at::linalg_cholesky_ex(covariance);
    benchmark::DoNotOptimize(m.factor.matmul(root));
  }
}

// White scores, a basis of 2 B directions, the factor moved along them, and made triangular again.
void bam_matrices(benchmark::State& state) {
  const Matrices m(state.range(0));
  for (auto _ : state) {
    const at::Tensor white = m.draws.matmul(m.factor);
    const at::Tensor basis = std::get<0>(at::linalg_qr(at::cat({m.draws, white}).t(), "reduced"));
    const at::Tensor moved = at::addmm(m.factor, m.factor.matmul(basis), basis.t());
    benchmark::DoNotOptimize(std::get<1>(at::linalg_qr(moved.t(), "r")));
  }
}

using Full = variational::FullGaussian;
using Diagonal = variational::DiagonalGaussian;

void at_sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int64_t dim : {10, 100, 1000}) benchmark->Arg(dim);
  benchmark->Unit(benchmark::kMicrosecond);
}

BENCHMARK(plain_step<Gsm, GaussianOptions, Full>)->Name("full/gsm")->Apply(at_sizes);
BENCHMARK(gsm_matrices)->Name("full/gsm_matrices")->Apply(at_sizes);
BENCHMARK(plain_step<Bam, BamOptions, Full>)->Name("full/bam")->Apply(at_sizes);
BENCHMARK(bam_matrices)->Name("full/bam_matrices")->Apply(at_sizes);
BENCHMARK(plain_step<ClosedFormFull, ClosedFormOptions, Full>)->Name("full/psm_closed_form")->Apply(at_sizes);
BENCHMARK(optimizer_step<ProximalScoreMatchingFull, PsmOptions, Full>)->Name("full/psm")->Apply(at_sizes);
BENCHMARK(optimizer_step<AdviFull, AdviOptions, Full>)->Name("full/advi")->Apply(at_sizes);
BENCHMARK(bam_diagonal_step)->Name("diagonal/bam")->Apply(at_sizes);
BENCHMARK(optimizer_step<ClosedForm, ClosedFormOptions, Diagonal>)->Name("diagonal/psm_closed_form")->Apply(at_sizes);
BENCHMARK(optimizer_step<ProximalScoreMatching, PsmOptions, Diagonal>)->Name("diagonal/psm")->Apply(at_sizes);
BENCHMARK(optimizer_step<Advi, AdviOptions, Diagonal>)->Name("diagonal/advi")->Apply(at_sizes);
BENCHMARK(optimizer_step<Fisher, GaussianOptions, Diagonal>)->Name("diagonal/fisher")->Apply(at_sizes);

}  // namespace
}  // namespace scorevi
