// The parts of the configuration schema, one function per section (see run/options.h).
#pragma once

#include "scorevi/config/visitor.h"
#include "scorevi/run/options.h"

namespace scorevi::run {

void describe_data(DataSection& options, config::Visitor& v);
void describe_model(models::ModelOptions& options, config::Visitor& v);
void describe_prior(PriorOptions& options, config::Visitor& v);
void describe_likelihood(LikelihoodOptions& options, config::Visitor& v);
void describe_posterior(PosteriorOptions& options, config::Visitor& v);
void describe_method(MethodOptions& options, config::Visitor& v);
void describe_optimizer(optim::OptimizerOptions& options, config::Visitor& v);
void describe_schedule(optim::ScheduleOptions& options, config::Visitor& v);
void describe_train(TrainOptions& options, config::Visitor& v);
void describe_evaluate(EvaluateOptions& options, config::Visitor& v);

}  // namespace scorevi::run
