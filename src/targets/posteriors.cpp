// The posteriors of posteriordb that there are, and the target made of one.
#include "makers.h"
#include "posterior_models.h"
#include "scorevi/core/factory.h"
#include "scorevi/core/sha256.h"
#include "scorevi/data/data_root.h"
#include "scorevi/io/gzip.h"

namespace scorevi::targets {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

struct Posterior {
  PosteriorDensity (*make)(const PosteriorFile& file);
  int64_t dim;
  bool has_draws = true;
};

const Factory<Posterior>& table() {
  static const Factory<Posterior> kTable(
      "target.posterior",
      {
          {"arK-arK", "autoregression of order 5", {make_ark, 7}},
          {"arma-arma11", "ARMA(1, 1)", {make_arma11, 4}},
          {"bball_drive_event_0-hmm_drive_0", "hidden Markov model, exponential channels", {make_hmm_drive_0, 6}},
          {"bball_drive_event_1-hmm_drive_1", "hidden Markov model, Gaussian channels", {make_hmm_drive_1, 6}},
          {"diamonds-diamonds", "linear regression with 24 correlated columns", {make_diamonds, 26}},
          {"earnings-earn_height", "linear regression in dollars: badly scaled", {make_earn_height, 3}},
          {"earnings-logearn_interaction", "linear regression: badly conditioned", {make_logearn_interaction, 5}},
          {"eight_schools-eight_schools_centered", "hierarchy with a funnel", {make_eight_schools_centered, 10}},
          {"eight_schools-eight_schools_noncentered", "the same without", {make_eight_schools_noncentered, 10}},
          {"garch-garch11", "GARCH(1, 1)", {make_garch11, 4}},
          {"gp_pois_regr-gp_pois_regr", "Gaussian process with Poisson counts", {make_gp_pois_regr, 13}},
          {"gp_pois_regr-gp_regr", "Gaussian process with Gaussian noise", {make_gp_regr, 3}},
          {"hmm_example-hmm_example", "hidden Markov model", {make_hmm_example, 4}},
          {"kidiq-kidscore_interaction", "linear regression: badly conditioned", {make_kidscore_interaction, 5}},
          {"low_dim_gauss_mix-low_dim_gauss_mix", "mixture of two Gaussians", {make_low_dim_gauss_mix, 5}},
          {"mesquite-logmesquite", "linear regression on logarithms", {make_logmesquite, 8}},
          {"nes2000-nes", "linear regression on survey answers", {make_nes, 10}},
          {"radon_mn-radon_partially_pooled_centered",
           "hierarchy of 85 counties",
           {make_radon_partially_pooled_centered, 88, /*has_draws=*/false}},
          {"sblrc-blr", "Bayesian linear regression", {make_blr, 6}},
      });
  return kTable;
}

}  // namespace

KnownTarget read_posterior(const std::string& name, std::string_view text, const std::string& path) {
  const PosteriorFile file(text, path, name);
  const Posterior& posterior = table().find(name).make;
  KnownTarget target;
  target.name = name;
  target.density = posterior.make(file);
  if (target.density->dim() != posterior.dim)
    file.refuse("data",
                fmt::format("got the data of {} parameters, expected {}", target.density->dim(), posterior.dim));
  target.reference = file.reference(posterior.dim);
  target.fingerprint = sha256_hex(text);
  return target;
}

KnownTarget make_posteriordb(const TargetOptions& options) {
  const std::string& name = table().find(options.posterior).name;
  const std::string root = options.data_root.empty() ? data::bundled_data_dir() : options.data_root;
  const std::string path = data::find_data_files(root, "posteriordb", {name + ".json"}).front();
  return read_posterior(name, io::read_raw_or_gzip(path, kMaxBytes), path);
}

const std::vector<PosteriorInfo>& posteriors() {
  static const std::vector<PosteriorInfo> kInfos = [] {
    std::vector<PosteriorInfo> infos;
    for (const auto& entry : table().entries())
      infos.push_back({entry.name, entry.help, entry.make.dim, entry.make.has_draws});
    return infos;
  }();
  return kInfos;
}

}  // namespace scorevi::targets
