// The parts of the configuration schema, one function per section (see run/options.h).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scorevi/config/visitor.h"
#include "scorevi/core/check.h"
#include "scorevi/run/options.h"

namespace scorevi::run {

struct SweepOptions;

// The keys that stand beside a name, for the names that have any.
using FieldsByName = std::map<std::string, std::function<void(config::Visitor&)>>;

// The variants of a registry: a list of entries with name and help.
template <class Entries>
std::vector<config::Variant> variants_of(const Entries& entries, const FieldsByName& fields) {
  std::vector<config::Variant> variants;
  std::size_t used = 0;
  for (const auto& entry : entries) {
    const auto found = fields.find(entry.name);
    used += found != fields.end() ? 1 : 0;
    variants.push_back({entry.name, entry.help, found != fields.end() ? found->second : nullptr});
  }
  SCOREVI_CHECK_OP(used, ==, fields.size());  // no fields for a name that does not exist
  return variants;
}

void describe_data(DataSection& options, config::Visitor& v);
void describe_image(ImageSection& options, config::Visitor& v);
void describe_augment(AugmentSection& options, config::Visitor& v);
void describe_model(models::ModelOptions& options, PretrainedOptions& pretrained, config::Visitor& v);
void describe_prior(PriorOptions& options, config::Visitor& v);
void describe_likelihood(LikelihoodOptions& options, config::Visitor& v);
void describe_posterior(PosteriorOptions& options, config::Visitor& v);
void describe_method(MethodOptions& options, config::Visitor& v);
void describe_optimizer(optim::OptimizerOptions& options, config::Visitor& v);
void describe_schedule(optim::ScheduleOptions& options, config::Visitor& v);
void describe_train(TrainOptions& options, config::Visitor& v);
void describe_evaluate(EvaluateOptions& options, config::Visitor& v);

// What reads the free maps of a sweep file.
struct SweepMaps {
  std::function<void(const config::Node&)> common, variants, grid;
};
void describe_sweep(SweepOptions& options, const SweepMaps& maps, config::Visitor& v);

}  // namespace scorevi::run
