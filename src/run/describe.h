// The parts of the configuration schema, one function per section (see run/options.h).
#pragma once

#include "scorevi/run/schema.h"

namespace scorevi::run {

struct SweepOptions;

void describe_data(DataSection& options, config::Visitor& v);
void describe_image(ImageSection& options, config::Visitor& v);
void describe_augment(AugmentSection& options, config::Visitor& v);
void describe_model(models::ModelOptions& options, PretrainedOptions& pretrained, config::Visitor& v);
void describe_prior(PriorOptions& options, config::Visitor& v);
void describe_likelihood(LikelihoodOptions& options, config::Visitor& v);
void describe_posterior(PosteriorOptions& options, config::Visitor& v);
void describe_method(MethodOptions& options, config::Visitor& v);
void describe_train(TrainOptions& options, config::Visitor& v);
void describe_evaluate(EvaluateOptions& options, config::Visitor& v);

// What reads the free maps of a sweep file.
struct SweepMaps {
  std::function<void(const config::Node&)> common, variants, grid;
};
void describe_sweep(SweepOptions& options, const SweepMaps& maps, config::Visitor& v);

}  // namespace scorevi::run
