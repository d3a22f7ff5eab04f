// What a network may be told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scorevi::models {

// Each network takes some of these; the registry says which.
struct ModelOptions {
  std::string name = "mlp";
  std::vector<int64_t> hidden = {100};      // widths of the hidden fully connected layers, each >= 1; may be empty
  std::vector<int64_t> channels = {6, 16};  // widths of the convolution blocks, each >= 1
  std::string activation = "relu";          // relu | tanh | gelu | silu | sigmoid
  double dropout = 0;                       // share of hidden units dropped in training, in [0, 1)
  double stochastic_depth = 0;              // how often the last residual block is left out in training, in [0, 1)
  bool activation_checkpointing = false;    // recompute blocks in the backward pass: less memory, more time
};

// One input as the network sees it.
struct InputSpec {
  std::vector<int64_t> shape;  // without the batch: {64} or {channels, height, width}
};

}  // namespace scorevi::models
