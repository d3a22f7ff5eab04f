// The inference methods there are, which families each of them takes, and what each of them needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scorevi/inference/log_density.h"

namespace scorevi::inference {

struct MethodNeeds {
  // Meant for exact scores: the noise of a mini-batch goes straight into q. The others take mini-batches as they are.
  bool exact_score = false;
  bool hessian_product = false;
  // With the full family: matrices of D x D doubles at the peak of a step, q and an optimiser with two moments
  // included; some of [samples, D] come beside them. 0 = it has no full family.
  int64_t matrices = 0;
};

struct MethodInfo {
  std::string name;
  std::string help;                   // one line
  std::vector<std::string> families;  // that it can move
  MethodNeeds needs;
};

// In the order in which they are listed to people.
const std::vector<MethodInfo>& methods();

// Error(kUsage) for an unknown name.
const MethodInfo& find_method(const std::string& name);

// Evaluations of the score that a Hessian product stands for: it is their difference, or costs as much.
inline constexpr int64_t kHessianProductCost = 2;

// What it needs as text, for example "exact scores, 9 matrices of D x D doubles (full_gaussian)".
std::string describe_needs(const MethodInfo& method);

// Refuses what cannot work, before any data is read: an unknown method or a family that it cannot move.
// Throws Error(kUsage) naming what would be possible.
void check_combination(const std::string& method, const std::string& family);

// Throws Error(kUsage) with the reason when the target cannot give what the method needs.
void check_target(const std::string& method, const LogDensity& target);

// Bytes of the D x D matrices that a method holds at the peak of a step; 0 for families without any.
double matrix_bytes(const std::string& method, const std::string& family, int64_t dim);

// Throws Error(kRuntime) "method bam: needs about X for N matrices of D x D doubles, got Y free" where these are more
// than `free` bytes; below 0 the machine does not say and nothing is refused. Ask before anything is allocated.
void check_matrices(const std::string& method, const std::string& family, int64_t dim, int64_t free);

}  // namespace scorevi::inference
