#include "describe.h"
#include "scorevi/inference/registry.h"

namespace scorevi::run {
namespace {

void describe_psm_gradient(MethodOptions& o, config::Visitor& v) {
  v.choice("estimator", o.estimator,
           {{"analytic", "known expectations of the noise taken exactly: the quieter choice for deep networks"},
            {"sampled", "the literal stochastic loss"},
            {"adaptive", "per weight the quieter of the two; one more parameter-sized buffer"}},
           "how the expectation over the noise is taken");
  v.choice("norm", o.norm, {{"euclidean", "plain squared norm"}, {"covariance", "coordinate j weighted by sigma_j^2"}},
           "norm of the score difference");
  v.field("inner_steps", o.inner_steps,
          "K, steps per frozen copy; the proximal term acts from K = 2 on (two more parameter-sized buffers)",
          config::between(1, 10000));
  v.field("alpha_max", o.alpha_max, "alpha_t grows linearly from 0 to this proximal weight", config::fraction());
  v.field("curvature_decay", o.curvature_decay, "decay of the running curvature (estimator: adaptive)",
          config::fraction_below_one());
}

void describe_psm_closed_form(MethodOptions& o, config::Visitor& v) {
  v.choice("mean_update", o.mean_update,
           {{"newton", "m moves by mean_step times the mean score over the precision"},
            {"optimizer", "the optimizer section moves m along the mean score"}},
           "how the mean moves");
  v.field("beta", o.beta, "step of the precision towards the mean curvature; 1e-2 is too fast for noisy scores",
          config::positive_fraction());
  v.field("mean_step", o.mean_step,
          "step of the mean (newton), follows the schedule; about 0.4 temperature / (N init_std^2) or less is stable",
          config::positive_fraction());
  v.field("average", o.average, "decay of the running mean score (newton, diagonal_gaussian); 0 = none",
          config::fraction_below_one());
}

void describe_common(MethodOptions& o, config::Visitor& v) {
  v.field("samples", o.samples, "M, weight samples per step; each is one network evaluation",
          config::between(1, 10000));
  v.field("min_std", o.min_std, "a smaller standard deviation ends the run", config::positive());
  v.field("max_std", o.max_std, "a larger standard deviation ends the run", config::positive());
}

}  // namespace

std::vector<config::Variant> method_variants(MethodOptions& o) {
  const auto psm = [&o](config::Visitor& in) {
    in.variant("solver", o.solver, "how the inner problem is solved",
               {{"gradient", "stochastic gradient steps with the optimizer",
                 [&o](config::Visitor& i) { describe_psm_gradient(o, i); }},
                {"closed_form", "exact solution with damped steps",
                 [&o](config::Visitor& i) { describe_psm_closed_form(o, i); }}});
    describe_common(o, in);
  };
  const auto advi = [&o](config::Visitor& in) {
    in.choice("kl", o.kl, {{"analytic", "closed form"}, {"sampled", "prior score at the sampled weights"}},
              "gradient of the Kullback-Leibler term");
    describe_common(o, in);
  };
  const auto fisher = [&o](config::Visitor& in) { describe_common(o, in); };
  const auto gsm = [&o](config::Visitor& in) { describe_common(o, in); };
  const auto bam = [&o](config::Visitor& in) {
    in.choice("decay", o.decay,
              {{"constant", "lambda at every step: does not settle where the target is not Gaussian"},
               {"sqrt", "lambda / sqrt(t + 1)"},
               {"linear", "lambda / (t + 1)"}},
              "how lambda falls over the steps t = 0, 1, ...");
    in.field("lambda", o.lambda,
             "how far a step goes; 0 = samples times the dimension, for diagonal_gaussian the number of samples",
             config::non_negative());
    in.field("jitter", o.jitter, "added to the variances after every step", config::non_negative());
    describe_common(o, in);
  };
  return variants_of(inference::methods(),
                     {{"psm", psm}, {"advi", advi}, {"fisher", fisher}, {"gsm", gsm}, {"bam", bam}});
}

void describe_method(MethodOptions& o, config::Visitor& v) {
  v.variant("name", o.name, "inference method", method_variants(o));
}

namespace {

std::vector<config::Choice> prior_means(const std::string& automatic) {
  return {{"auto", automatic},
          {"zero", "prior centred at 0"},
          {"pretrained", "centred at the pretrained weights; a head that is new is centred at 0"}};
}

}  // namespace

void describe_prior(PriorOptions& o, config::Visitor& v) {
  v.choice("mean", o.mean, prior_means("pretrained where model.weights is given, else zero"),
           "prior mean of the weights");
  v.field("std", o.std, "prior standard deviation; .inf = uninformative", config::or_infinite(config::at_least(1e-6)));
  v.list("groups", o.groups, "other standard deviations by parameter name; the first pattern that fits counts",
         [](PriorGroupOptions& g, config::Visitor& i) {
           i.field("match", g.match, "parameter name, * matches any text; @head is the last layer of a vision network",
                   config::Need::kRequired);
           i.field("std", g.std, "prior standard deviation; .inf = uninformative",
                   config::or_infinite(config::at_least(1e-6)), config::Need::kRequired);
           i.choice("mean", g.mean, prior_means("as prior.mean"), "prior mean of these weights");
         });
}

void describe_likelihood(LikelihoodOptions& o, config::Visitor& v) {
  v.field(
      "temperature", o.temperature,
      "tau: the log-likelihood is divided by it. 1 = Bayes, below 1 = colder posterior; the same as a factor on KL/N",
      config::between(1e-8, 1e8));
  v.variant("name", o.name, "observation model",
            {{"auto", "categorical for classes, gaussian for numbers", {}},
             {"categorical", "softmax over classes", {}},
             {"gaussian", "normal noise around the output", [&o](config::Visitor& i) {
                i.variant("noise", o.noise, "noise of the observations",
                          {{"learned", "one noise level, part of the weights",
                            [&o](config::Visitor& learned) {
                              learned.field("noise_std", o.learned_noise_start,
                                            "where the learning of its standard deviation starts, in units of the "
                                            "standardised target; with model.weights of a run that learned it, it goes "
                                            "on from there",
                                            config::positive());
                            }},
                           {"fixed", "noise_std", [&o](config::Visitor& fixed) {
                              fixed.field("noise_std", o.fixed_noise_std,
                                          "its standard deviation, in units of the standardised target",
                                          config::positive());
                            }}});
              }}});
}

void describe_posterior(PosteriorOptions& o, config::Visitor& v) {
  v.choice("family", o.family,
           {{"diagonal_gaussian", "independent normal distribution for every weight"},
            {"full_gaussian", "normal distribution with all covariances, for scorevi bench"}},
           "variational family (method map uses a point)");
  v.field("init_std", o.init_std, "starting standard deviation of every weight", config::between(1e-8, 1e4));
  v.list("groups", o.groups, "other starting values by parameter name; the first pattern that fits counts",
         [](PosteriorGroupOptions& g, config::Visitor& i) {
           i.field("match", g.match, "parameter name, * matches any text; @head is the last layer of a vision network",
                   config::Need::kRequired);
           i.field("init_std", g.init_std, "starting standard deviation", config::between(1e-8, 1e4),
                   config::Need::kRequired);
         });
  v.field("match", o.match, "names of the parameters that have a distribution; [] = none, with rest: map");
  v.choice("rest", o.rest,
           {{"frozen", "they keep their values and cost no buffer"},
            {"map", "points that the optimiser moves to the maximum of the posterior (methods psm and advi)"}},
           "what becomes of the other parameters");
}

}  // namespace scorevi::run
