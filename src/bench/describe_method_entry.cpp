// An entry of `methods` in a bench file.
#include "describe.h"
#include "scorevi/run/schema.h"

namespace scorevi::bench {
namespace {

using config::Visitor;

void describe_nuts(inference::NutsOptions& o, Visitor& v) {
  v.field("chains", o.chains, "chains, one after the other", config::between(1, 64));
  v.field("warmup", o.warmup, "iterations of each that adapt", config::between(10, 1e6));
  v.field("draws", o.draws, "iterations of each that count", config::between(10, 1e7));
  v.field("target_accept", o.target_accept, "mean acceptance probability", config::between(0.1, 0.99));
}

void describe_sgld(inference::SgldOptions& o, Visitor& v) {
  v.field("step_size", o.step_size, "eps_0; should stay below the smallest variance of the target", config::positive());
  v.field("decay_power", o.decay_power, "steps fall with (1 + t / decay_start)^-power; 0 = constant",
          config::fraction());
  v.field("decay_start", o.decay_start, "see decay_power", config::positive());
}

// The methods of `train`, and what serves as a reference.
std::vector<config::Variant> variants(MethodEntry& o) {
  std::vector<config::Variant> all = run::method_variants(o.method);
  all.push_back({"nuts", "No-U-Turn Sampler, as a reference", [&o](Visitor& v) { describe_nuts(o.nuts, v); }});
  all.push_back({"sgld", "stochastic gradient Langevin dynamics, and a Gaussian fitted to its draws",
                 [&o](Visitor& v) { describe_sgld(o.sgld, v); }});
  all.push_back({"laplace", "Gaussian at the mode, by the curvature there", {}});
  return all;
}

}  // namespace

void describe_method_entry(MethodEntry& o, Visitor& v) {
  v.field("label", o.label, "row of the tables; empty = the method's name");
  v.choice("family", o.family,
           {{"auto", "full_gaussian for gsm, bam, sgld and laplace, else diagonal_gaussian"},
            {"diagonal_gaussian", ""},
            {"full_gaussian", ""}},
           "what q is (map moves a point)");
  v.section("method", "as in a configuration of `scorevi train`", [&o](Visitor& i) {
    i.variant("name", o.method.name, "inference method", variants(o), config::Need::kRequired);
  });
  v.section("optimizer", "as there", [&o](Visitor& i) { run::describe_optimizer(o.optimizer, i); });
  v.section("schedule", "as there; an epoch is one step", [&o](Visitor& i) { run::describe_schedule(o.schedule, i); });
}

}  // namespace scorevi::bench
