#include "scorevi/optim/optimizer.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/zeros_like.h>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/factory.h"
#include "scorevi/core/format.h"

namespace scorevi::optim {
namespace {

using kernels::OptimizerKind;

OptimizerKind kind_of(const std::string& name) {
  if (name == "sgd") return OptimizerKind::kSgd;
  if (name == "adam") return OptimizerKind::kAdam;
  if (name == "adamw") return OptimizerKind::kAdamW;
  return OptimizerKind::kRmsprop;
}

void require(bool holds, const char* key, double value, const char* expected) {
  if (!holds)
    throw Error(ErrorKind::kUsage,
                std::string("optimizer.") + key + ": got " + format_double(value) + ", expected " + expected);
}

bool has_first(const OptimizerOptions& o) { return o.name == "adam" || o.name == "adamw" || o.momentum > 0; }

bool has_second(const OptimizerOptions& o) { return o.name != "sgd"; }

}  // namespace

const std::vector<OptimizerInfo>& optimizers() {
  static const std::vector<OptimizerInfo> kTable = {
      {"sgd", "stochastic gradient descent with momentum (Nesterov on wish)"},
      {"adam", "adaptive moments"},
      {"adamw", "Adam with decoupled weight decay"},
      {"rmsprop", "root mean square scaling with momentum"},
  };
  return kTable;
}

void validate(const OptimizerOptions& o) {
  find_named(optimizers(), "optimizer.name", o.name);
  const auto finite_positive = [](double v) { return v > 0 && std::isfinite(v); };
  const auto decay = [](double v) { return v >= 0 && v < 1; };
  require(finite_positive(o.lr), "lr", o.lr, "> 0");
  require(o.weight_decay >= 0 && std::isfinite(o.weight_decay), "weight_decay", o.weight_decay, ">= 0");
  require(decay(o.momentum), "momentum", o.momentum, ">= 0 and < 1");
  require(o.dampening >= 0 && o.dampening <= 1, "dampening", o.dampening, ">= 0 and <= 1");
  if (o.name == "sgd" && o.nesterov && (o.momentum == 0 || o.dampening != 0))
    throw Error(ErrorKind::kUsage, "optimizer.nesterov: got true, expected momentum > 0 and dampening 0 with it");
  require(decay(o.beta1), "beta1", o.beta1, ">= 0 and < 1");
  require(decay(o.beta2), "beta2", o.beta2, ">= 0 and < 1");
  require(finite_positive(o.eps), "eps", o.eps, "> 0");
  require(o.clip_norm >= 0, "clip_norm", o.clip_norm, ">= 0");
  require(o.clip_value >= 0, "clip_value", o.clip_value, ">= 0");
  for (const OptimizerGroup& group : o.groups) {
    require(finite_positive(group.lr), "groups.lr", group.lr, "> 0");
    require(!group.weight_decay || *group.weight_decay >= 0, "groups.weight_decay", group.weight_decay.value_or(0),
            ">= 0");
  }
}

Optimizer::Optimizer(const OptimizerOptions& options, const params::FlatLayout& layout, std::vector<std::string> slots,
                     const at::Tensor& like)
    : options_(options) {
  validate(options_);
  std::vector<std::string> patterns;
  for (const OptimizerGroup& group : options_.groups) patterns.push_back(group.match);
  ranges_ = params::group_ranges(layout, patterns, "optimizer.groups");
  for (std::string& name : slots) {
    Slot slot;
    slot.name = std::move(name);
    if (has_first(options_)) slot.first = at::zeros_like(like);
    if (has_second(options_)) slot.second = at::zeros_like(like);
    slots_.push_back(std::move(slot));
  }
}

kernels::OptimizerRule Optimizer::rule(int range_index, double lr_factor) const {
  SCOREVI_CHECK_OP(steps_, >=, 1);
  const int group = ranges_.at(static_cast<std::size_t>(range_index)).group;
  kernels::OptimizerRule rule;
  rule.kind = kind_of(options_.name);
  rule.lr = options_.lr * lr_factor;
  rule.weight_decay = options_.weight_decay;
  if (group >= 0) {
    const OptimizerGroup& own = options_.groups[static_cast<std::size_t>(group)];
    rule.lr = own.lr * lr_factor;
    rule.weight_decay = own.weight_decay.value_or(options_.weight_decay);
  }
  const bool adam = options_.name == "adam" || options_.name == "adamw";
  rule.momentum = adam ? 0 : options_.momentum;
  rule.dampening = options_.dampening;
  rule.nesterov = options_.nesterov;
  rule.first_step = steps_ == 1;
  rule.beta1 = options_.beta1;
  rule.beta2 = options_.beta2;
  rule.eps = options_.eps;
  rule.bias1 = 1 - std::pow(options_.beta1, static_cast<double>(steps_));
  rule.bias2 = 1 - std::pow(options_.beta2, static_cast<double>(steps_));
  rule.clip_value = options_.clip_value;
  return rule;
}

double Optimizer::clip_factor(double gradient_norm) const {
  return std::min(1.0, options_.clip_norm / (gradient_norm + 1e-6));
}

template <class T>
kernels::OptimizerSlot<T> Optimizer::slot(const std::string& name, const at::Tensor& param) const {
  for (const Slot& slot : slots_) {
    if (slot.name != name) continue;
    kernels::OptimizerSlot<T> pointers;
    pointers.param = param.data_ptr<T>();
    if (slot.first.defined()) pointers.first = slot.first.data_ptr<T>();
    if (slot.second.defined()) pointers.second = slot.second.data_ptr<T>();
    return pointers;
  }
  throw InternalError("optimizer has no slot " + name);
}
template kernels::OptimizerSlot<float> Optimizer::slot<float>(const std::string&, const at::Tensor&) const;
template kernels::OptimizerSlot<double> Optimizer::slot<double>(const std::string&, const at::Tensor&) const;

void Optimizer::save(params::StateDict& state, const params::FlatLayout& layout) const {
  state.set_string("optimizer.name", options_.name);
  state.set_int("optimizer.steps", steps_);
  for (const Slot& slot : slots_) {
    if (slot.first.defined()) layout.add_to(state, "optimizer.first." + slot.name, slot.first);
    if (slot.second.defined()) layout.add_to(state, "optimizer.second." + slot.name, slot.second);
  }
}

void Optimizer::load(const params::StateDict& state, const params::FlatLayout& layout) {
  const std::string& saved = state.get_string("optimizer.name");
  if (saved != options_.name)
    throw Error(ErrorKind::kData, "optimizer: the saved state is of " + saved + ", expected " + options_.name);
  for (Slot& slot : slots_) {
    if (slot.first.defined()) layout.read_from(state, "optimizer.first." + slot.name, slot.first);
    if (slot.second.defined()) layout.read_from(state, "optimizer.second." + slot.name, slot.second);
  }
  steps_ = state.get_int("optimizer.steps");
}

std::vector<std::string> Optimizer::buffers() const {
  const bool adam = options_.name == "adam" || options_.name == "adamw";
  std::vector<std::string> result;
  for (const Slot& slot : slots_) {
    if (slot.first.defined()) result.push_back((adam ? "first moment of " : "momentum of ") + slot.name);
    if (slot.second.defined()) result.push_back("second moment of " + slot.name);
  }
  return result;
}

}  // namespace scorevi::optim
