// Targets in double on the CPU, written as loops over plain numbers: no tensor is made in an evaluation.
#pragma once

#include <string>
#include <vector>

#include "scorevi/targets/analytic_target.h"

namespace scorevi::targets {

// Not thread safe: the score and the scratch memory of subclasses are shared by all evaluations.
class PlainTarget : public AnalyticTarget {
 public:
  // One parameter "theta" of `dim` elements.
  explicit PlainTarget(int64_t dim);
  // Named coordinates, one each.
  explicit PlainTarget(const std::vector<std::string>& coordinates);
  explicit PlainTarget(params::FlatLayout layout);

  // theta [D]: double, on the CPU, contiguous.
  inference::Evaluation evaluate(const at::Tensor& theta) final;

 protected:
  // The log density at theta [D], without prior(). Writes its gradient into every element of score [D].
  virtual double log_density(const double* theta, double* score) = 0;
  // What Evaluation::data_used says.
  virtual int64_t data_used() const { return 0; }

 private:
  at::Tensor score_;  // [D]
};

}  // namespace scorevi::targets
