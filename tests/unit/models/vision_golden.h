// The golden networks of tests/golden/vision: weights and inputs by the fill rule.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scorevi/models/registry.h"

namespace scorevi::test {

// logits.json or models.json.
nlohmann::json vision_golden(const std::string& name);

// The entry of models.json.
nlohmann::json architecture(const std::string& model, int64_t outputs);

// hash(k, j) of fill_rule.md.
uint64_t fill_hash(uint64_t k, uint64_t j);

// u(k, .) as float [sizes].
at::Tensor fill_input(at::IntArrayRef sizes);

// Parameters, then buffers, by name.
std::vector<std::pair<std::string, at::Tensor>> state_of(const models::Network& network);

// Fills the state of a network, whatever its dtype; a position embedding as that of 224 px, resized.
void fill_network(models::Network& network, const std::string& model, int64_t outputs);

std::shared_ptr<models::Network> build(const std::string& model, int64_t size, int64_t outputs);

}  // namespace scorevi::test
