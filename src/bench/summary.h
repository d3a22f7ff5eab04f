// Results of a bench, put together over seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "member.h"
#include "result.h"

namespace scorevi::bench {

// Of the values that are not NaN; infinite ones count. NaN where there are none.
struct Quartiles {
  double low = Measurement::kNaN, median = Measurement::kNaN, high = Measurement::kNaN;
};
Quartiles quartiles(std::vector<double> values);

// A method on a target at one starting sigma and rate. Quartiles of errors and divergences are over all members that
// were not refused: where the target and the method have such a number, a member that diverged or failed counts as
// infinite.
struct Cell {
  std::size_t method = 0;
  double start_std = 1, rate_factor = 1;
  std::vector<const MemberResult*> members;
  Quartiles mean_error, sd_error, forward_kl, reverse_kl, elbo, k_hat;
  // Score evaluations and seconds until both relative errors are below the tolerance; infinite for members that never
  // get there, NaN where the target has no reference.
  Quartiles reached, reached_seconds;
  Quartiles seconds, evaluations;
  int64_t finished = 0, diverged = 0, refused = 0, failed = 0;
};

struct TargetSummary {
  std::string name;
  std::string reference;                   // where it comes from; "" = none
  std::vector<double> mode_weights;        // empty: not multimodal
  targets::KnownTarget* target = nullptr;  // for its pictures
  std::vector<Cell> cells;                 // in the order of the members
};

struct FinishedMember {
  Member member;
  const MemberResult* result;
};

// `targets`: names and references, the cells are filled here.
std::vector<TargetSummary> summarise(const BenchOptions& options, const std::vector<FinishedMember>& members,
                                     std::vector<TargetSummary> targets);

// The first point of the curve with both errors below the tolerance, or null.
const CurvePoint* reached(const MemberResult& result, double tolerance);

// The larger of the two relative errors at the end; infinite for a member without a result.
double final_error(const MemberResult& result);

}  // namespace scorevi::bench
