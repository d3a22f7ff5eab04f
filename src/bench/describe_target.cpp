// The target section of a bench file.
#include "describe.h"
#include "scorevi/run/schema.h"

namespace scorevi::bench {
namespace {

using config::Visitor;
using Options = targets::TargetOptions;

void describe_seed(Options& o, Visitor& v) {
  v.field("seed", o.seed, "of what is random about the target", config::non_negative());
}

void describe_dim(Options& o, Visitor& v) {
  v.field("dim", o.dim, "D; at most 4096 where there is a full covariance", config::between(1, 1000000));
}

void describe_scale(Options& o, Visitor& v) {
  v.choice("covariance", o.covariance,
           {{"conditioned", "random rotation, eigenvalues in geometric steps"},
            {"random", "A A^T + 0.01 I with A_ij ~ N(0, 1)"},
            {"stretched", "as random, the smallest eigenvalue 0.1, the largest times `condition`"}},
           "covariance, of student_t the scale matrix; the mean is uniform on [0, 1]^D");
  v.field("condition", o.condition, "condition number (conditioned) or factor (stretched)", config::between(1, 1e12));
  describe_seed(o, v);
}

void describe_mixture(Options& o, Visitor& v) {
  describe_dim(o, v);
  v.field("components", o.components, "unit Gaussians at the corners of a regular polygon", config::between(1, 1000));
  v.field("separation", o.separation, "distance of neighbours", config::between(0, 1e6));
  v.field("weights", o.weights, "of the components; [] = equal", config::positive());
}

void describe_sinh_arcsinh(Options& o, Visitor& v) {
  describe_dim(o, v);
  v.field("skew", o.skew, "s", config::between(-10, 10));
  v.field("tail", o.tail, "t", config::between(0.05, 20));
  v.choice("form", o.form,
           {{"coordinates", "z = m + c k sinh((asinh(e) + s) t): independent, heavy tails for large t"},
            {"joint", "z = sinh((asinh(y) + s) / t), y ~ N(m, S): correlated, light tails for large t"}},
           "which of the two definitions in use");
  describe_seed(o, v);
}

void describe_rows(Options& o, Visitor& v) {
  v.field("rows", o.rows, "of generated data; 0 = 1000 for logistic_regression, 20 for cubic, 50 for gap",
          config::between(0, 1000000));
  v.field("batch_frac", o.batch_frac, "share of the rows that a step sees", config::positive_fraction());
  v.field("prior_std", o.prior_std, "prior standard deviation of a weight; .inf = no prior",
          config::or_infinite(config::positive()));
  describe_seed(o, v);
}

run::FieldsByName fields_of(Options& o) {
  const auto gaussian = [&o](Visitor& v) {
    describe_dim(o, v);
    v.field("diagonal", o.diagonal, "no rotation (covariance: conditioned); O(D)");
    describe_scale(o, v);
  };
  const auto student_t = [&o](Visitor& v) {
    describe_dim(o, v);
    v.field("dof", o.dof, "degrees of freedom", config::between(1e-3, 1e8));
    describe_scale(o, v);
  };
  const auto banana = [&o](Visitor& v) {
    describe_dim(o, v);
    v.field("curvature", o.curvature, "of the second coordinate along the first", config::between(-100, 100));
    v.field("width", o.width, "standard deviation across the curve", config::between(1e-6, 1e6));
  };
  const auto funnel = [&o](Visitor& v) {
    describe_dim(o, v);
    v.field("scale", o.scale, "standard deviation of the first coordinate", config::between(1e-6, 20));
  };
  const auto logistic = [&o](Visitor& v) {
    describe_dim(o, v);
    describe_rows(o, v);
  };
  const auto mlp = [&o](Visitor& v) {
    v.choice("curve", o.curve, {{"cubic", "y = x^3, noise 3"}, {"gap", "a sine with a gap in x, noise 0.1"}},
             "what the data come from");
    v.field("hidden", o.hidden, "units of the one hidden layer; D = 3 hidden + 1", config::between(1, 10000));
    describe_rows(o, v);
  };
  const auto posterior = [&o](Visitor& v) {
    v.field("posterior", o.posterior, "its name, see `scorevi list posteriors`", config::Need::kRequired);
    v.field("data_root", o.data_root, "folder that holds posteriordb/<posterior>.json; empty: the bundled ones");
  };
  return {{"gaussian", gaussian},
          {"student_t", student_t},
          {"mixture", [&o](Visitor& v) { describe_mixture(o, v); }},
          {"banana", banana},
          {"funnel", funnel},
          {"sinh_arcsinh", [&o](Visitor& v) { describe_sinh_arcsinh(o, v); }},
          {"logistic_regression", logistic},
          {"mlp_regression", mlp},
          {"posteriordb", posterior}};
}

}  // namespace

void describe_target(TargetEntry& entry, Visitor& v) {
  v.field("label", entry.label, "in tables and file names; empty = made of name and options");
  v.variant("name", entry.target.name, "the density", run::variants_of(targets::targets(), fields_of(entry.target)),
            config::Need::kRequired);
}

}  // namespace scorevi::bench
