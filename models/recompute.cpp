#include "recompute.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <mutex>

namespace scorevi::models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor generator_state(const c10::Device& device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void set_generator_state(const c10::Device& device, const at::Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

// Runs a function from a given state of the generator and puts the current one back, also after an exception.
class GeneratorGuard {
 public:
  GeneratorGuard(const c10::Device& device, const at::Tensor& state) : device_(device) {
    if (!state.defined()) return;
    before_ = generator_state(device_);
    set_generator_state(device_, state);
  }
  GeneratorGuard(const GeneratorGuard&) = delete;
  GeneratorGuard& operator=(const GeneratorGuard&) = delete;
  ~GeneratorGuard() {
    if (before_.defined()) set_generator_state(device_, before_);
  }

 private:
  c10::Device device_;
  at::Tensor before_;
};

// What the graph carries from forward to backward beside tensors.
struct PartHolder : torch::CustomClassHolder {
  PartHolder(Part p, at::Tensor state) : part(std::move(p)), generator_state(std::move(state)) {}
  Part part;
  at::Tensor generator_state;  // before the first run; undefined without random numbers
};

struct Recompute : torch::autograd::Function<Recompute> {
  // inputs: x, then the parameters.
  static at::Tensor forward(AutogradContext* context, at::TensorList inputs, c10::intrusive_ptr<PartHolder> holder) {
    context->save_for_backward(inputs.vec());
    at::Tensor result = holder->part(inputs[0]);
    context->saved_data["part"] = c10::IValue::make_capsule(std::move(holder));
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& result_gradient) {
    variable_list inputs = context->get_saved_variables();
    const auto holder = c10::static_intrusive_pointer_cast<PartHolder>(context->saved_data["part"].toCapsule());
    inputs[0] = inputs[0].detach().requires_grad_(inputs[0].requires_grad());
    variable_list wanted;
    for (const at::Tensor& input : inputs)
      if (input.requires_grad()) wanted.push_back(input);

    const c10::AutoGradMode with_gradients(true);
    const GeneratorGuard generator(inputs[0].device(), holder->generator_state);
    const variable_list gradients =
        torch::autograd::grad({holder->part(inputs[0])}, wanted, result_gradient, /*retain_graph=*/std::nullopt,
                              /*create_graph=*/false, /*allow_unused=*/true);
    variable_list all(inputs.size() + 1);  // the holder has none
    auto next = gradients.begin();
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].requires_grad()) all[i] = *next++;
    return all;
  }
};

}  // namespace

at::Tensor recompute_in_backward(const Part& part, const at::Tensor& x, const std::vector<at::Tensor>& parameters,
                                 bool random) {
  if (!c10::GradMode::is_enabled()) return part(x);
  std::vector<at::Tensor> inputs = {x};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  auto holder = c10::make_intrusive<PartHolder>(part, random ? generator_state(x.device()) : at::Tensor());
  return Recompute::apply(at::TensorList(inputs), std::move(holder));
}

}  // namespace scorevi::models
