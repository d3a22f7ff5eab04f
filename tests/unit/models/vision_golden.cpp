#include "vision_golden.h"

#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>

#include "scorevi/models/vision.h"

namespace scorevi::test {
namespace {

constexpr uint64_t kInputKey = uint64_t{1} << 20;

double fill_unit(uint64_t k, uint64_t j) {
  return static_cast<double>(fill_hash(k, j) >> 40) / (uint64_t{1} << 24) * 2 - 1;
}

at::Tensor filled(uint64_t k, at::IntArrayRef sizes, double offset, double scale) {
  at::Tensor result = at::empty(sizes, at::kFloat);
  float* out = result.mutable_data_ptr<float>();
  const auto count = static_cast<uint64_t>(result.numel());
  for (uint64_t j = 0; j < count; ++j) out[j] = static_cast<float>(offset + scale * fill_unit(k, j));
  return result;
}

// The table of fill_rule.md.
at::Tensor filled(uint64_t k, const std::string& name, at::IntArrayRef sizes) {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (last == "num_batches_tracked") return at::zeros(sizes, at::kLong);
  if (last == "class_token" || last == "pos_embedding") return filled(k, sizes, 0, 0.02);
  if (sizes.size() >= 2) {
    const int64_t fan_in = c10::multiply_integers(sizes) / sizes[0];
    return filled(k, sizes, 0, std::sqrt(3.0 / static_cast<double>(fan_in)));
  }
  if (last == "weight") return filled(k, sizes, 1, 0.1);
  if (last == "running_var") return filled(k, sizes, 1, 0.5);
  return filled(k, sizes, 0, 0.1);
}

}  // namespace

nlohmann::json vision_golden(const std::string& name) {
  std::ifstream file("tests/golden/vision/" + name);
  return nlohmann::json::parse(file);
}

nlohmann::json architecture(const std::string& model, int64_t outputs) {
  static const nlohmann::json all = vision_golden("models.json");
  for (const nlohmann::json& entry : all["models"])
    if (entry["model"] == model && entry["num_classes"] == outputs) return entry;
  throw std::runtime_error("models.json: no entry for " + model);
}

uint64_t fill_hash(uint64_t k, uint64_t j) {
  uint64_t z = ((k << 32) | j) + 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

at::Tensor fill_input(at::IntArrayRef sizes) { return filled(kInputKey, sizes, 0, 1); }

std::vector<std::pair<std::string, at::Tensor>> state_of(const models::Network& network) {
  std::vector<std::pair<std::string, at::Tensor>> state;
  for (const auto& item : network.named_parameters()) state.emplace_back(item.key(), item.value());
  for (const auto& item : network.named_buffers()) state.emplace_back(item.key(), item.value());
  return state;
}

void fill_network(models::Network& network, const std::string& model, int64_t outputs) {
  const torch::NoGradGuard no_grad;
  std::map<std::string, at::Tensor> state;
  for (const auto& [name, tensor] : state_of(network)) state.emplace(name, tensor);
  const nlohmann::json entry = architecture(model, outputs);
  uint64_t k = 0;
  for (const nlohmann::json& item : entry["state"]) {
    at::Tensor& tensor = state.at(item[0].get<std::string>());
    at::Tensor values = filled(k++, item[0], item[1].get<std::vector<int64_t>>()).to(tensor.scalar_type());
    if (values.sizes() != tensor.sizes()) {
      const double grid = std::sqrt(static_cast<double>(tensor.size(1) - 1));
      values = models::resize_position_embedding(values, std::lround(grid));
    }
    tensor.copy_(values);
  }
}

std::shared_ptr<models::Network> build(const std::string& model, int64_t size, int64_t outputs) {
  models::ModelOptions options;
  options.name = model;
  return models::build_network(options, {{3, size, size}}, outputs);
}

}  // namespace scorevi::test
