// Maximum a posteriori: moves a point mass along the score of log_density + log prior.
// Loss reported: loss_scale * (-log_density - log prior). With an uninformative prior this is ordinary training.
#pragma once

#include "scorevi/inference/engine.h"
#include "scorevi/optim/optimizer.h"

namespace scorevi::inference {

class Map final : public Engine {
 public:
  // `like` [D]: element type and device of the family's buffer.
  Map(const optim::OptimizerOptions& optimizer, const params::FlatLayout& layout, const at::Tensor& like);

  StepStats step(LogDensity& target, variational::Family& family, const StepInfo& info) override;
  void save(params::StateDict& state, const params::FlatLayout& layout) const override;
  void load(const params::StateDict& state, const params::FlatLayout& layout) override;
  std::vector<std::string> buffers() const override;

 private:
  optim::Optimizer optimizer_;
};

}  // namespace scorevi::inference
