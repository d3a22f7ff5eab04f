#include "scorevi/params/flat_params.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi::params {
namespace {

using Named = std::pair<std::string, at::Tensor>;

// The trained parameters, each tensor once.
std::vector<Named> trained_parameters(const std::vector<Named>& named_parameters) {
  std::vector<Named> result;
  for (const Named& candidate : named_parameters) {
    const at::Tensor& tensor = candidate.second;
    SCOREVI_CHECK(tensor.defined());
    if (!tensor.requires_grad()) continue;
    const bool tied =
        std::any_of(result.begin(), result.end(), [&](const Named& other) { return other.second.is_same(tensor); });
    if (!tied) result.push_back(candidate);
  }
  return result;
}

void check_one_kind(const std::vector<Named>& parameters) {
  if (parameters.empty()) {
    throw Error(ErrorKind::kUsage,
                "parameters: nothing to train, got 0 parameters that require a gradient, expected "
                "at least 1");
  }
  const Named& first = parameters.front();
  for (const auto& [name, tensor] : parameters) {
    if (!tensor.is_floating_point() || tensor.layout() != at::kStrided) {
      throw Error(ErrorKind::kUsage,
                  "parameters: " + name + ": got " + tensor.toString() + ", expected a dense floating-point tensor");
    }
    if (tensor.options().type_equal(first.second.options()) && tensor.device() == first.second.device()) continue;
    throw Error(ErrorKind::kUsage, "parameters: type or device differ, got " + name + " " + tensor.toString() + " on " +
                                       tensor.device().str() + ", expected " + first.second.toString() + " on " +
                                       first.second.device().str() + " as for " + first.first);
  }
}

// Two different tensors over one piece of memory would come apart in the flat buffer.
void check_no_overlap(const std::vector<Named>& parameters) {
  struct Span {
    const char *begin, *end;
    const std::string* name;
  };
  std::vector<Span> spans;
  for (const auto& [name, tensor] : parameters) {
    if (tensor.numel() == 0) continue;
    int64_t last = 0;
    for (int64_t axis = 0; axis < tensor.dim(); ++axis) last += (tensor.size(axis) - 1) * tensor.stride(axis);
    const char* begin = static_cast<const char*>(tensor.const_data_ptr());
    spans.push_back({begin, begin + (last + 1) * static_cast<int64_t>(tensor.element_size()), &name});
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < spans.size(); ++i) {
    if (spans[i].begin >= spans[i - 1].end) continue;
    throw Error(ErrorKind::kUsage,
                "parameters: " + *spans[i - 1].name + " and " + *spans[i].name +
                    " overlap in memory, got two tensors, expected the same tensor or separate ones");
  }
}

}  // namespace

FlatParams::FlatParams(const std::vector<Named>& named_parameters, const FlatParamsOptions& options) {
  const std::vector<Named> parameters = trained_parameters(named_parameters);
  check_one_kind(parameters);
  check_no_overlap(parameters);
  for (const auto& [name, tensor] : parameters) layout_.append(name, tensor.sizes().vec());

  const c10::NoGradGuard no_grad;
  const at::TensorOptions kind = parameters.front().second.options().requires_grad(false);
  values_ = at::empty({layout_.dim()}, kind);
  if (options.gradients) gradients_ = at::zeros({layout_.dim()}, kind);
  for (size_t i = 0; i < parameters.size(); ++i) {
    Slot slot;
    slot.parameter = parameters[i].second;
    const at::Tensor view = layout_.view(values_, layout_.entries()[i]);
    view.copy_(slot.parameter);
    slot.parameter.set_data(view);
    slot.data = view.const_data_ptr();
    if (options.gradients) slot.gradient = layout_.view(gradients_, layout_.entries()[i]);
    slot.parameter.mutable_grad() = slot.gradient;
    slots_.push_back(std::move(slot));
  }
}

void FlatParams::zero_gradients() {
  SCOREVI_CHECK(gradients_.defined());
  gradients_.zero_();
  for (Slot& slot : slots_) {
    if (!slot.parameter.grad().is_same(slot.gradient)) slot.parameter.mutable_grad() = slot.gradient;
  }
}

int FlatParams::gather_gradients() {
  SCOREVI_CHECK(gradients_.defined());
  const c10::NoGradGuard no_grad;
  int repaired = 0;
  for (Slot& slot : slots_) {
    at::Tensor& gradient = slot.parameter.mutable_grad();
    if (gradient.is_same(slot.gradient)) continue;
    ++repaired;
    if (gradient.defined()) {
      slot.gradient.copy_(gradient);
    } else {
      slot.gradient.zero_();
    }
    gradient = slot.gradient;
  }
  return repaired;
}

std::vector<at::Tensor> FlatParams::parameters() const {
  std::vector<at::Tensor> parameters;
  for (const Slot& slot : slots_) parameters.push_back(slot.parameter);
  return parameters;
}

bool FlatParams::aliased() const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.parameter.const_data_ptr() == slot.data; });
}

}  // namespace scorevi::params
