// The densities of the posteriors, each read from its file. One source per family; the equations, with all constants
// and the log Jacobian of the constrained parameters, stand there.
#pragma once

#include <memory>

#include "posterior_file.h"
#include "scorevi/targets/plain_target.h"

namespace scorevi::targets {

using PosteriorDensity = std::unique_ptr<PlainTarget>;

// The target of a name of posteriors(), from the text of its file at `path`.
KnownTarget read_posterior(const std::string& name, std::string_view text, const std::string& path);

// posterior_regression.cpp
PosteriorDensity make_ark(const PosteriorFile& file);
PosteriorDensity make_blr(const PosteriorFile& file);
PosteriorDensity make_diamonds(const PosteriorFile& file);
PosteriorDensity make_earn_height(const PosteriorFile& file);
PosteriorDensity make_kidscore_interaction(const PosteriorFile& file);
PosteriorDensity make_logearn_interaction(const PosteriorFile& file);
PosteriorDensity make_logmesquite(const PosteriorFile& file);
PosteriorDensity make_nes(const PosteriorFile& file);
// posterior_hierarchical.cpp
PosteriorDensity make_eight_schools_centered(const PosteriorFile& file);
PosteriorDensity make_eight_schools_noncentered(const PosteriorFile& file);
PosteriorDensity make_radon_partially_pooled_centered(const PosteriorFile& file);
// posterior_gp.cpp
PosteriorDensity make_gp_pois_regr(const PosteriorFile& file);
PosteriorDensity make_gp_regr(const PosteriorFile& file);
// posterior_hmm.cpp
PosteriorDensity make_hmm_drive_0(const PosteriorFile& file);
PosteriorDensity make_hmm_drive_1(const PosteriorFile& file);
PosteriorDensity make_hmm_example(const PosteriorFile& file);
// posterior_time_series.cpp
PosteriorDensity make_arma11(const PosteriorFile& file);
PosteriorDensity make_garch11(const PosteriorFile& file);
// posterior_mixture.cpp
PosteriorDensity make_low_dim_gauss_mix(const PosteriorFile& file);

}  // namespace scorevi::targets
