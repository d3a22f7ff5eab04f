#include "describe.h"
#include "scorevi/optim/optimizer.h"
#include "scorevi/optim/schedule.h"

namespace scorevi::run {
namespace {

void describe_momentum(optim::OptimizerOptions& o, config::Visitor& v) {
  v.field("momentum", o.momentum, "momentum; 0 = none", config::fraction_below_one());
}

void describe_adam(optim::OptimizerOptions& o, config::Visitor& v) {
  v.field("beta1", o.beta1, "decay of the gradient average", config::fraction_below_one());
  v.field("beta2", o.beta2, "decay of the squared-gradient average", config::fraction_below_one());
  v.field("eps", o.eps, "added to the root of the squared-gradient average", config::positive());
}

}  // namespace

void describe_optimizer(optim::OptimizerOptions& o, config::Visitor& v) {
  const auto adam = [&o](config::Visitor& i) { describe_adam(o, i); };
  const auto sgd = [&o](config::Visitor& i) {
    describe_momentum(o, i);
    i.field("dampening", o.dampening, "dampening of the momentum", config::fraction());
    i.field("nesterov", o.nesterov, "Nesterov momentum");
  };
  const auto rmsprop = [&o](config::Visitor& i) {
    describe_momentum(o, i);
    i.field("beta2", o.beta2, "decay of the squared-gradient average", config::fraction_below_one());
    i.field("eps", o.eps, "added to its root", config::positive());
  };
  v.variant("name", o.name, "optimiser",
            variants_of(optim::optimizers(), {{"sgd", sgd}, {"adam", adam}, {"adamw", adam}, {"rmsprop", rmsprop}}));
  v.field("lr", o.lr, "learning rate", config::positive());
  v.field("weight_decay", o.weight_decay, "extra pull of the means to 0; the prior does this already",
          config::non_negative());
  v.field("clip_norm", o.clip_norm, "largest 2-norm of the gradient; 0 = off", config::non_negative());
  v.field("clip_value", o.clip_value, "largest entry of the gradient; 0 = off", config::non_negative());
  v.list("groups", o.groups, "other rates by parameter name; the first pattern that fits counts",
         [](optim::OptimizerGroup& g, config::Visitor& i) {
           i.field("match", g.match, "parameter name, * matches any text; @head is the last layer of a vision network",
                   config::Need::kRequired);
           i.field("lr", g.lr, "learning rate", config::positive(), config::Need::kRequired);
           i.field("weight_decay", g.weight_decay, "null = as the optimiser's", config::non_negative());
         });
}

void describe_schedule(optim::ScheduleOptions& o, config::Visitor& v) {
  const auto gamma = [&o](config::Visitor& i, const char* help) {
    i.field("gamma", o.gamma, help, config::positive_fraction());
  };
  const auto final_rate = [&o](config::Visitor& i) {
    i.field("min_lr_frac", o.min_lr_frac, "final rate as a share of lr", config::fraction());
  };
  const FieldsByName fields = {
      {"step",
       [&o, gamma](config::Visitor& i) {
         i.field("step_size", o.step_size, "epochs", config::at_least(1));
         gamma(i, "factor at each step");
       }},
      {"multistep",
       [&o, gamma](config::Visitor& i) {
         i.field("milestones", o.milestones, "epochs", config::non_negative());
         gamma(i, "factor at each milestone");
       }},
      {"exponential", [gamma](config::Visitor& i) { gamma(i, "factor per epoch"); }},
      {"cosine", final_rate},
      {"linear", final_rate},
      {"polynomial",
       [&o, final_rate](config::Visitor& i) {
         i.field("power", o.power, "exponent", config::positive());
         final_rate(i);
       }},
      {"plateau", [&o](config::Visitor& i) {
         i.field("factor", o.factor, "factor", config::positive_fraction());
         i.field("patience", o.patience, "evaluations without improvement", config::non_negative());
         i.field("threshold", o.threshold, "relative improvement that counts", config::non_negative());
         i.field("cooldown", o.cooldown, "evaluations after a change that do not count", config::non_negative());
         i.field("min_lr_frac", o.min_lr_frac, "lowest rate as a share of lr", config::fraction());
       }}};
  v.variant("name", o.name, "learning-rate schedule", variants_of(optim::schedules(), fields));
  v.field("warmup_steps", o.warmup_steps, "linear rise over this many steps", config::non_negative());
}

}  // namespace scorevi::run
