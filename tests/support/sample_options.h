// An options struct that uses every feature of the visitor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scorevi/config/load.h"

namespace scorevi::config::test {

struct GroupOptions {
  std::string match = "*";
  double std = 1.0;
};

struct SampleOptions {
  std::string name = "run";
  std::int64_t seed = 0;
  std::string device = "auto";
  std::string data = "";
  std::int64_t batch_size = 50;
  bool shuffle = true;
  std::vector<std::int64_t> hidden = {100};
  std::vector<double> betas = {0.9, 0.999};
  std::vector<std::string> tags;
  std::optional<double> clip;
  std::optional<std::int64_t> limit;
  std::optional<std::string> weights;
  double prior_std = 0.3;
  std::vector<GroupOptions> groups;
  std::string optimizer = "adam";
  double lr = 1e-3;
  double momentum = 0.9;
  double epsilon = 1e-8;
};

inline void describe(GroupOptions& o, Visitor& v) {
  v.field("match", o.match, "parameter names, * for any characters", Need::kRequired);
  v.field("std", o.std, "prior standard deviation", or_infinite(positive()));
}

inline void describe_optimizer(SampleOptions& o, Visitor& v) {
  v.variant("name", o.optimizer, "rule",
            {{"sgd", "stochastic gradient descent",
              [&o](Visitor& w) { w.field("momentum", o.momentum, "heavy ball", fraction_below_one()); }},
             {"adam", "adaptive moments",
              [&o](Visitor& w) {
                w.field("epsilon", o.epsilon, "added to the root", positive());
                w.field("betas", o.betas, "decay rates", fraction_below_one());
              }},
             {"none", "no steps", {}}});
  v.field("lr", o.lr, "learning rate", positive());
}

inline void describe(SampleOptions& o, Visitor& v) {
  v.field("name", o.name, "name of the run");
  v.field("seed", o.seed, "random seed", non_negative());
  v.choice("device", o.device, {{"auto", "the fastest"}, {"cpu", "processor"}, {"cuda", "GPU"}}, "where to compute");
  v.section("data", "the data set", [&o](Visitor& w) {
    w.field("name", o.data, "data set", Need::kRequired);
    w.field("batch_size", o.batch_size, "examples per step", at_least(1));
    w.field("shuffle", o.shuffle, "new order every epoch");
    w.field("limit", o.limit, "use the first examples only", at_least(1));
  });
  v.section("model", "the network", [&o](Visitor& w) {
    w.field("hidden", o.hidden, "widths", at_least(1));
    w.field("weights", o.weights, "pretrained file");
    w.field("tags", o.tags, "free texts");
  });
  v.section("prior", "the prior", [&o](Visitor& w) {
    w.field("std", o.prior_std, "standard deviation", or_infinite(positive()));
    w.list("groups", o.groups, "exceptions by parameter name",
           [](GroupOptions& group, Visitor& x) { describe(group, x); });
  });
  v.section("optimizer", "how to step", [&o](Visitor& w) { describe_optimizer(o, w); });
  v.field("clip", o.clip, "largest gradient norm", positive());
}

}  // namespace scorevi::config::test
