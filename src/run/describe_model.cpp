#include "describe.h"
#include "scorevi/models/registry.h"

namespace scorevi::run {
namespace {

// By the names in models::Recipe::options.
FieldsByName option_fields(models::ModelOptions& o) {
  std::vector<config::Choice> activations;
  for (const auto& entry : models::activations().entries()) activations.push_back({entry.name, entry.help});
  const auto hidden = [&o](config::Visitor& i) {
    i.field("hidden", o.hidden, "width of each hidden fully connected layer; [] = none", config::between(1, 1000000));
  };
  const auto channels = [&o](config::Visitor& i) {
    i.field("channels", o.channels, "channels of each convolution", config::between(1, 100000));
  };
  const auto activation = [&o, activations](config::Visitor& i) {
    i.choice("activation", o.activation, activations, "after every hidden layer");
  };
  const auto dropout = [&o](config::Visitor& i) {
    i.field("dropout", o.dropout, "share of units dropped in training", config::fraction_below_one());
  };
  const auto stochastic_depth = [&o](config::Visitor& i) {
    i.field("stochastic_depth", o.stochastic_depth,
            "how often the last residual block is left out in training; earlier ones in proportion",
            config::fraction_below_one());
  };
  const auto checkpointing = [&o](config::Visitor& i) {
    i.field("activation_checkpointing", o.activation_checkpointing,
            "compute layers anew in the backward pass: less memory, about a third more time");
  };
  return {{"hidden", hidden},
          {"channels", channels},
          {"activation", activation},
          {"dropout", dropout},
          {"stochastic_depth", stochastic_depth},
          {"activation_checkpointing", checkpointing}};
}

}  // namespace

void describe_model(models::ModelOptions& o, PretrainedOptions& pretrained, config::Visitor& v) {
  const FieldsByName options = option_fields(o);
  FieldsByName fields;
  for (const auto& entry : models::networks().entries())
    fields[entry.name] = [&options, taken = entry.make.options](config::Visitor& i) {
      for (const std::string& name : taken) options.at(name)(i);
    };
  v.variant("name", o.name, "network", variants_of(models::networks().entries(), fields));
  v.field("weights", pretrained.weights,
          "weights to begin with: a file (safetensors, .pth, .pt), a name of `scorevi list weights`, or the folder of "
          "a run (its means); empty = random");
  v.field("strict", pretrained.strict, "every parameter but those of the head must be in the weight file");
  v.choice("head_start", pretrained.head_start,
           {{"auto", "a head of the same classes is kept; another one begins at zero, for method map at random"},
            {"zero", "a new head in any case"},
            {"random", "a new head in any case, as in a new network"}},
           "the last layer, where there are model.weights");
}

}  // namespace scorevi::run
