#include "scorevi/inference/map.h"

#include "scorevi/variational/point_mass.h"
#include "step_frame.h"

namespace scorevi::inference {
namespace {

template <class T>
StepStats map_step(optim::Optimizer& optimizer, LogDensity& target, const at::Tensor& mean, const StepInfo& info) {
  const kernels::Exec exec = params::exec_for(mean);
  StepStats stats = blank_stats();
  const std::optional<at::Tensor> score = checked_score(target, info, stats);
  if (!score) return stats;

  kernels::UpdateInput<T> in = update_input<T>(target, info);
  in.score = score->data_ptr<T>();
  const auto slot = optimizer.slot<T>("mean", mean);
  const auto ranges = joint_ranges(target.prior(), &optimizer, target.dim());
  const kernels::UpdateStats total =
      optimizer_pass<T>(optimizer, ranges, in, info.lr_factor, mean, stats,
                        [&](const kernels::UpdateInput<T>& part, const kernels::OptimizerRule& rule) {
                          return kernels::map_update<T>(exec, part, rule, slot);
                        });
  stats.loss = target.loss_scale() * (-stats.log_density - total.log_prior);
  stats.nonfinite = total.nonfinite;
  if (total.nonfinite > 0) {
    stats.status = StepStatus::kDiverged;
    stats.bad_index = first_nonfinite(mean);
  }
  return stats;
}

}  // namespace

Map::Map(const optim::OptimizerOptions& optimizer, const params::FlatLayout& layout, const at::Tensor& like)
    : optimizer_(optimizer, layout, {"mean"}, like) {}

StepStats Map::step(LogDensity& target, variational::Family& family, const StepInfo& info) {
  auto* point_mass = dynamic_cast<variational::PointMass*>(&family);
  SCOREVI_CHECK(point_mass != nullptr);
  SCOREVI_CHECK_OP(point_mass->dim(), ==, target.dim());
  point_mass->mean_into(target.point());
  const at::Tensor& mean = point_mass->mean();
  return variational::for_dtype(mean,
                                [&](auto tag) { return map_step<decltype(tag)>(optimizer_, target, mean, info); });
}

void Map::save(params::StateDict& state, const params::FlatLayout& layout) const { optimizer_.save(state, layout); }

void Map::load(const params::StateDict& state, const params::FlatLayout& layout) { optimizer_.load(state, layout); }

std::vector<std::string> Map::buffers() const { return optimizer_.buffers(); }

}  // namespace scorevi::inference
