// What one member of a bench gave, and the file that keeps it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure.h"
#include "member.h"

namespace scorevi::bench {

struct CurvePoint {
  int64_t evaluations = 0;
  double seconds = 0;  // of the method alone, measuring not counted
  Measurement at;
};

struct MemberResult {
  std::string id;
  std::string key;      // what the result depends on; another key is another result
  std::string outcome;  // finished | converged | diverged | refused | failed
  std::string message;  // why it ended so, or what its sampler says of itself
  int64_t evaluations = 0;
  double seconds = 0;
  std::vector<CurvePoint> curve;  // the last point is the final one
  // Mean and covariance of q in row-major order where the target has two dimensions, for pictures; else empty.
  std::vector<double> mean, covariance;

  bool ended_well() const { return outcome == "finished" || outcome == "converged"; }
  bool has_points() const { return !curve.empty(); }
  const Measurement& final() const { return curve.back().at; }
};

// Written in one piece. Numbers that are not finite become texts ("nan", "inf", "-inf").
void save_result(const std::string& path, const MemberResult& result);

// Error(kData) with the path where the file is no such result.
MemberResult load_result(const std::string& path);

}  // namespace scorevi::bench
