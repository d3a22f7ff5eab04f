// What the kinds of members share.
#pragma once

#include <chrono>
#include <string>

#include "run_member.h"

namespace scorevi::bench {

// Seconds since its making, less those left out.
class Stopwatch {
 public:
  double seconds() const { return total() - left_out_; }
  // Everything since seconds() was `then` does not count.
  void leave_out_since(double then) { left_out_ = total() - then; }

 private:
  double total() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double left_out_ = 0;
};

// The family that the entry moves; auto is full_gaussian for gsm, bam, sgld and laplace, else diagonal_gaussian. map
// has point_mass.
std::string family_of(const MethodEntry& entry);

// [D] double, a function of the member's seed.
at::Tensor start_mean(const BenchOptions& options, const Member& member, int64_t dim);

// Keeps mean and covariance of a two-dimensional q.
void keep_picture(const Approximation& q, MemberResult& result);

// The method sees mini-batches where the target has them, measurements see all data.
struct Workplace {
  const BenchOptions& options;
  const Member& member;
  const Truth& truth;
  targets::KnownTarget target;
  targets::KnownTarget all_data;  // without density where `target` has no mini-batches

  const MethodEntry& method() const { return options.methods[member.method]; }
  targets::AnalyticTarget& whole() const { return all_data.density ? *all_data.density : *target.density; }
  uint64_t seed() const { return static_cast<uint64_t>(member.seed); }
};

// Error(kRuntime) "method nuts: needs about 3 GiB, got 1 GiB free" where they are not there.
void require_memory(const std::string& what, int64_t bytes);

// An engine of inference/.
void run_engine_member(Workplace& place, MemberResult& result);
// nuts, sgld and laplace.
void run_sampler_member(Workplace& place, MemberResult& result);

}  // namespace scorevi::bench
