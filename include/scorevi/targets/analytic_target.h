// What the analytic densities share: buffers and an optional Gaussian prior.
#pragma once

#include <optional>

#include "scorevi/inference/log_density.h"

namespace scorevi::targets {

// A density on R^D. Element type and device are those of `like`.
class AnalyticTarget : public inference::LogDensity {
 public:
  // One parameter "theta".
  explicit AnalyticTarget(const at::Tensor& like);
  // The parameters of `layout`, in double on the CPU.
  explicit AnalyticTarget(params::FlatLayout layout);

  int64_t dim() const override { return layout_.dim(); }
  const params::FlatLayout& layout() const override { return layout_; }
  at::Tensor point() override { return point_; }
  const inference::GaussianPrior* prior() const override { return prior_ ? &*prior_ : nullptr; }

  // Chooses the rows behind the next evaluations where the target has data and works in mini-batches: a function of
  // (seed, step) alone. Without a call all rows count.
  virtual void begin_step(uint64_t /*seed*/, int64_t /*step*/) {}

  // By central differences of the score where a target knows no better: two evaluations, about 1e-9 relative where
  // coordinates vary over about 1 or more. In double only.
  bool has_hessian_product() const override { return point_.scalar_type() == at::kDouble; }
  at::Tensor hessian_product(const at::Tensor& theta, const at::Tensor& v) override;

  // Adds a prior that evaluate() does not contain. Its groups must cover 0..D without gaps.
  // Throws Error(kUsage) when they do not, or when a standard deviation is not above 0 (inf is allowed).
  void set_prior(inference::GaussianPrior prior);
  // The same for one standard deviation and mean 0 everywhere.
  void set_prior(double std);

 protected:
  params::FlatLayout layout_;
  at::Tensor point_;  // [D]

 private:
  std::optional<inference::GaussianPrior> prior_;
};

}  // namespace scorevi::targets
