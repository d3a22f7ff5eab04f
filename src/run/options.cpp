#include "scorevi/run/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "describe.h"
#include "scorevi/config/load.h"
#include "scorevi/data/registry.h"
#include "scorevi/inference/registry.h"
#include "scorevi/run/config_kind.h"
#include "scorevi/run/sweep.h"

namespace scorevi::run {

void describe_train(TrainOptions& o, config::Visitor& v) {
  v.field("epochs", o.epochs, "passes over the train split", config::between(0, 1e7));
  v.field("eval_every", o.eval_every, "epochs between validations; the last epoch is always validated",
          config::at_least(1));
  v.field("eval_samples", o.eval_samples, "weight samples of a validation; 0 = posterior mean",
          config::between(0, 100000));
  v.choice(
      "monitor", o.monitor,
      {{"val_nll", ""}, {"val_error", "classification"}, {"val_ece", "classification"}, {"val_rmse", "regression"}},
      "validation value that chooses the best checkpoint; lower is better");
  v.field("patience", o.patience, "validations without improvement before training stops; 0 = never",
          config::non_negative());
  v.field("checkpoint_every", o.checkpoint_every, "epochs between checkpoints", config::at_least(1));
  v.field("checkpoint_every_steps", o.checkpoint_every_steps, "steps between checkpoints within an epoch; 0 = none",
          config::non_negative());
  v.field("log_every_steps", o.log_every_steps, "steps between lines of steps.jsonl; 0 = none", config::non_negative());
  v.choice("batch_norm", o.batch_norm,
           {{"auto", "frozen with model.weights, else running"},
            {"frozen", "statistics are kept as they are, in training too"},
            {"running", "updated in training under sampled weights, used in evaluation"},
            {"recalibrate", "as running, and estimated anew for every weight sample of an evaluation"}},
           "batch-norm statistics under sampled weights");
  v.choice("precision", o.precision,
           {{"float32", ""},
            {"bfloat16", "mixed precision; weights, score and all that follows stay float32"},
            {"float16", "the same with scaled gradients, for GPUs without bfloat16"}},
           "of the network's forward and backward pass in training");
  v.field(
      "micro_batch", o.micro_batch,
      "rows that go through the network at once, for less memory; 0 = the whole batch, same score but for rounding, "
      "except with batch norm that is not frozen or model.stochastic_depth",
      config::between(0, 1000000));
  v.field("max_loss", o.max_loss, "a batch whose mean negative log-likelihood exceeds this counts as exploded",
          config::positive());
  v.field("max_refused_steps", o.max_refused_steps,
          "steps in a row that are left out when loss or score are not finite or exploded; one more ends the run",
          config::non_negative());
}

void describe_evaluate(EvaluateOptions& o, config::Visitor& v) {
  v.field("samples", o.samples,
          "S, weight samples of the final evaluation; 0 = posterior mean. At most 10000 for a regression",
          config::between(0, 1000000));
  v.field("ece_bins", o.ece_bins, "bins of calibration errors", config::between(1, 1000));
  v.field("bootstrap", o.bootstrap, "resamples behind the 95 % intervals", config::between(10, 1000000));
  v.choice("split", o.split,
           {{"auto", "test where there are test rows, else validation"},
            {"test", ""},
            {"validation", "to tune on, with the test rows untouched"}},
           "rows of the final evaluation");
  v.choice("checkpoint", o.checkpoint,
           {{"auto", "best where there is a validation split, else last"}, {"best", ""}, {"last", ""}},
           "which weights are evaluated");
  v.choice("views", o.views,
           {{"center", ""},
            {"flip", "and its mirror image"},
            {"five_crop", "corners and middle"},
            {"ten_crop", "these and their mirror images"}},
           "views of a picture whose probabilities are averaged");
  v.field("recalibrate_batches", o.recalibrate_batches,
          "training batches for the batch-norm statistics of each weight sample (train.batch_norm: recalibrate)",
          config::between(1, 1000000));
  v.field("batch_size", o.batch_size,
          "rows per forward pass, never changes a result; 0 = 500, fewer for large pictures",
          config::between(0, 1000000));
}

void describe(RunOptions& o, config::Visitor& v) {
  v.field("name", o.name, "begins the name of the run folder");
  v.field("seed", o.seed, "everything random follows from it", config::between(0, 9007199254740991.0));
  v.field("device", o.device, "auto, cpu, cuda or cuda:N");
  v.field("threads", o.threads, "CPU threads; 0 = all cores", config::between(0, 4096));
  v.section("data", "what is learned from", [&o](config::Visitor& i) { describe_data(o.data, i); });
  v.section("model", "the network", [&o](config::Visitor& i) { describe_model(o.model, o.pretrained, i); });
  v.section("prior", "normal prior of every weight", [&o](config::Visitor& i) { describe_prior(o.prior, i); });
  v.section("likelihood", "how outputs explain targets",
            [&o](config::Visitor& i) { describe_likelihood(o.likelihood, i); });
  v.section("posterior", "the approximation q", [&o](config::Visitor& i) { describe_posterior(o.posterior, i); });
  v.section("method", "how q is found", [&o](config::Visitor& i) { describe_method(o.method, i); });
  v.section("optimizer", "moves the parameters of q", [&o](config::Visitor& i) { describe_optimizer(o.optimizer, i); });
  v.section("schedule", "learning rate over time", [&o](config::Visitor& i) { describe_schedule(o.schedule, i); });
  v.section("train", "length, validation, checkpoints", [&o](config::Visitor& i) { describe_train(o.train, i); });
  v.section("evaluate", "the final numbers", [&o](config::Visitor& i) { describe_evaluate(o.evaluate, i); });
}

namespace {

bool valid_device(const std::string& device) {
  if (device == "auto" || device == "cpu" || device == "cuda") return true;
  return device.rfind("cuda:", 0) == 0 && device.size() > 5 && device.size() < 9 &&
         device.find_first_not_of("0123456789", 5) == std::string::npos;
}

bool valid_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name.front() != '.' && name.front() != '-' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+=") ==
             std::string::npos;
}

// Errors that concern more than one key, each at the key to change.
void check_combinations(config::Document& document, const RunOptions& o) {
  const auto complain = [&document](bool wrong, const std::string& key, const std::string& message) {
    if (wrong) document.add_error(key, message);
  };
  complain(!valid_name(o.name), "name",
           "got \"" + o.name + "\", expected letters, digits and _ . - + = (it becomes a folder name)");
  complain(!valid_device(o.device), "device", "got \"" + o.device + "\", expected auto, cpu, cuda or cuda:N");
  complain(o.method.min_std >= o.method.max_std, "method.min_std", "expected less than method.max_std");
  complain(
      !o.method.is_point() && (o.posterior.init_std <= o.method.min_std || o.posterior.init_std >= o.method.max_std),
      "posterior.init_std", "expected a value between method.min_std and method.max_std");
  complain(
      o.optimizer.name == "sgd" && o.optimizer.nesterov && (o.optimizer.momentum == 0 || o.optimizer.dampening != 0),
      "optimizer.nesterov", "needs momentum > 0 and dampening 0");
  complain(o.method.name == "gsm", "method.name",
           "gsm moves a full covariance along exact scores: it is for scorevi bench, not for networks on mini-batches; "
           "use bam, psm or advi");
  complain(o.posterior.family == "full_gaussian", "posterior.family",
           "full_gaussian needs matrices of D x D doubles for D weights: it is for scorevi bench; use "
           "diagonal_gaussian");
  complain(inference::find_method(o.method.name).needs.hessian_product && o.train.precision != "float32",
           "train.precision", "method " + o.method.name + " differentiates the network twice, in float32");
  const bool weights = !o.pretrained.weights.empty();
  const auto needs_weights = [&](bool asked, const std::string& key) {
    complain(asked && !weights, key, "pretrained needs model.weights");
  };
  needs_weights(o.prior.mean == "pretrained", "prior.mean");
  for (std::size_t i = 0; i < o.prior.groups.size(); ++i)
    needs_weights(o.prior.groups[i].mean == "pretrained", fmt::format("prior.groups[{}].mean", i));
  complain(o.pretrained.strict && !weights, "model.strict", "needs model.weights");
  complain(o.pretrained.head_start != "auto" && !weights, "model.head_start", "needs model.weights");
  const bool rest_learns = o.posterior.rest == "map";
  complain(o.posterior.match.empty() && !rest_learns, "posterior.match", "is empty: nothing would be learned");
  complain(rest_learns && o.method.name != "psm" && o.method.name != "advi", "posterior.rest",
           "map is for methods psm and advi, got method " + o.method.name);
  for (std::size_t i = 0; i < o.posterior.groups.size(); ++i) {
    const double std = o.posterior.groups[i].init_std;
    complain(!o.method.is_point() && (std <= o.method.min_std || std >= o.method.max_std),
             fmt::format("posterior.groups[{}].init_std", i),
             "expected a value between method.min_std and method.max_std");
  }
  complain(o.data.source.on_bad_image == "substitute" && o.data.image.resize == 0, "data.image.resize",
           "0 takes pictures as they are, and a substitute has another size: use another data.on_bad_image");
  // Whether your own pictures have a validation part is seen in their folder.
  const std::string& set = o.data.source.name;
  const bool may_have_part = o.data.validation == "auto" && data::is_own_pictures(set);
  const bool validates = o.data.validation_frac > 0 || o.data.validation == "official" || may_have_part;
  complain(!validates && o.evaluate.split == "validation", "evaluate.split",
           "validation needs a validation split: set data.validation_frac above 0");
  complain(!validates && o.evaluate.checkpoint == "best", "evaluate.checkpoint",
           "best needs a validation split: set data.validation_frac above 0, or use last");
  complain(!validates && o.train.patience > 0, "train.patience",
           "needs a validation split: set data.validation_frac above 0");
  complain(!validates && o.schedule.name == "plateau", "schedule.name",
           "plateau needs a validation split: set data.validation_frac above 0");
  complain(o.train.monitor == "val_rmse" && o.likelihood.name == "categorical", "train.monitor",
           "val_rmse is for regression; use val_nll, val_error or val_ece");
  complain(o.likelihood.name == "gaussian" && (o.train.monitor == "val_error" || o.train.monitor == "val_ece"),
           "train.monitor", "is for classification; use val_nll or val_rmse");
  complain(!std::is_sorted(o.schedule.milestones.begin(), o.schedule.milestones.end()), "schedule.milestones",
           "expected ascending epochs");
}

LoadedOptions load_document(config::Document document) {
  LoadedOptions loaded;
  config::read(document, loaded.options, [](RunOptions& o, config::Visitor& v) { describe(o, v); });
  if (!document.has_errors()) check_combinations(document, loaded.options);
  document.throw_if_errors();
  loaded.resolved = resolved_text(loaded.options);
  return loaded;
}

config::Documenter document_sweep_keys() {
  return config::document_keys<SweepOptions>(
      [](SweepOptions& o, config::Visitor& v) { describe_sweep(o, SweepMaps(), v); });
}

}  // namespace

LoadedOptions load_options(const std::string& path, const std::vector<std::string>& overrides,
                           const std::vector<std::string>& places) {
  config::Document document = config::Document::from_file(path, overrides, places);
  refuse_other_kind(document.root(), path, ConfigKind::kRun);
  return load_document(std::move(document));
}

LoadedOptions load_options_text(const std::string& text, const std::string& name,
                                const std::vector<std::string>& overrides) {
  return load_document(config::Document::from_text(text, name, overrides));
}

std::string resolved_text(const RunOptions& options) {
  return config::dump(options, [](RunOptions& o, config::Visitor& v) { describe(o, v); });
}

std::string key_reference_markdown() {
  return config::document_keys<RunOptions>([](RunOptions& o, config::Visitor& v) { describe(o, v); }).markdown() +
         "\n## Keys of a sweep\n\n" + document_sweep_keys().markdown();
}

std::string key_reference_text() {
  return config::document_keys<RunOptions>([](RunOptions& o, config::Visitor& v) { describe(o, v); }).plain_text() +
         "\nKeys of a sweep\n\n" + document_sweep_keys().plain_text();
}

}  // namespace scorevi::run
