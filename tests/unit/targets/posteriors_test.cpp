// Every posterior against the check points of its file, and files that are wrong.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "scorevi/targets/registry.h"
#include "support/error_of.h"
#include "support/finite_difference.h"
#include "support/temp_dir.h"
#include "unit/inference/tools.h"

namespace scorevi::targets {
namespace {

using test::Json;
using test::vec;

constexpr const char* kGolden = "data";

Json golden_file(const std::string& name) {
  return Json::parse(std::ifstream(std::string(kGolden) + "/posteriordb/" + name + ".json"));
}

KnownTarget posterior(const std::string& name, const std::string& root = kGolden) {
  TargetOptions options;
  options.name = "posteriordb";
  options.posterior = name;
  options.data_root = root;
  return make_target(options);
}

// Gradients are compared on the scale of the posterior: |difference| <= tolerance (|grad_i| + 1 / sd_i).
void expect_check_points(const std::string& name, double value_tolerance, double grad_tolerance) {
  SCOPED_TRACE(name);
  KnownTarget target = posterior(name);
  const Json golden = golden_file(name);
  ASSERT_GE(golden["check"].size(), 2u);
  for (const Json& point : golden["check"]) {
    const inference::Evaluation actual = target.density->evaluate(vec(point["theta"]));
    const double expected = point["log_density"].get<double>();
    EXPECT_NEAR(actual.log_density, expected, value_tolerance * std::abs(expected));
    const at::Tensor grad = vec(point["grad"]);
    const at::Tensor error = (actual.score - grad).abs() / (grad.abs() + target.reference.sd.reciprocal());
    EXPECT_LE(error.max().item<double>(), grad_tolerance) << "coordinate " << error.argmax().item<int64_t>();
    EXPECT_EQ(actual.data_used, 0);
  }
}

// Behind the Cholesky factor of a nearly singular matrix (jitter 1e-10), rounding in the kernel counts 1e5 times as
// much.
bool ill_conditioned(const std::string& name) { return name == "gp_pois_regr-gp_pois_regr"; }

TEST(Posteriors, CheckPoints) {
  for (const PosteriorInfo& info : posteriors()) {
    const bool ill = ill_conditioned(info.name);
    expect_check_points(info.name, ill ? 1e-9 : 1e-10, ill ? 1e-6 : 1e-8);
  }
}

TEST(Posteriors, ScoreIsTheDerivative) {
  for (const PosteriorInfo& info : posteriors()) {
    KnownTarget target = posterior(info.name);
    SCOPED_TRACE(info.name);
    for (uint32_t i = 0; i < 4; ++i) {
      const at::Tensor noise = test::noise(target.reference.mean, /*seed=*/5, /*step=*/i);
      const at::Tensor theta = target.reference.mean + target.reference.sd * noise;
      test::expect_score_is_derivative(*target.density, theta, ill_conditioned(info.name) ? 1e-5 : 1e-6,
                                       target.reference.sd);
    }
  }
}

TEST(Posteriors, TableMatchesTheFiles) {
  EXPECT_EQ(posteriors().size(), 19u);
  for (const PosteriorInfo& info : posteriors()) {
    const KnownTarget target = posterior(info.name);
    SCOPED_TRACE(info.name);
    EXPECT_EQ(target.name, info.name);
    EXPECT_EQ(target.density->dim(), info.dim);
    EXPECT_EQ(target.density->layout().element_name(0),
              golden_file(info.name)["unconstrained_names"][0].get<std::string>());
    EXPECT_EQ(info.has_draws, golden_file(info.name)["source"]["reference"].get<std::string>().substr(0, 4) != "own:");
    EXPECT_FALSE(target.sample);
  }
}

TEST(Posteriors, Reference) {
  const Reference reference = posterior("arma-arma11").reference;
  EXPECT_NEAR(reference.sd[0].item<double>(), 0.011438961854112204, 1e-17);
  EXPECT_NEAR(reference.mean_error[0].item<double>(), 0.011438961854112204 / 100, 1e-12);
  EXPECT_NEAR(reference.sd_error[0].item<double>(), 0.011438961854112204 / std::sqrt(20000), 1e-12);
  EXPECT_TRUE(at::allclose(reference.covariance.diagonal().sqrt(), reference.sd, 1e-10, 0));
  EXPECT_TRUE(std::isnan(reference.log_normaliser));
  EXPECT_EQ(reference.source, "10000 draws, posteriordb reference_posterior_name=arma-arma11");
}

// pi_noncentered(z, mu, log tau) = pi_centered(mu + tau z, mu, log tau) tau^8.
TEST(Posteriors, EightSchoolsAgree) {
  KnownTarget centered = posterior("eight_schools-eight_schools_centered");
  KnownTarget noncentered = posterior("eight_schools-eight_schools_noncentered");
  at::Tensor z = test::noise(centered.reference.mean, /*seed=*/2, /*step=*/0);
  at::Tensor theta = z.clone();
  theta.slice(0, 0, 8).mul_(z[9].exp()).add_(z[8]);
  EXPECT_NEAR(noncentered.density->evaluate(z).log_density,
              centered.density->evaluate(theta).log_density + 8 * z[9].item<double>(), 1e-11);
}

// Far from the posterior the answer may be infinite; it must never be a crash, and NaN only beside it.
TEST(Posteriors, FarAwayIsNoCrash) {
  for (const PosteriorInfo& info : posteriors()) {
    KnownTarget target = posterior(info.name);
    for (const double far : {-1000.0, -30.0, 30.0, 1000.0}) {
      const at::Tensor theta = at::full({info.dim}, far, at::kDouble);
      const inference::Evaluation evaluation = target.density->evaluate(theta);
      EXPECT_FALSE(evaluation.log_density > 1e12) << info.name << " at " << far;
    }
  }
}

// Writes a changed copy of a golden file and returns what make_target says about it, without the folder.
std::string message_for(const std::string& name, const std::function<void(Json&)>& change) {
  const test::TempDir folder;
  Json json = golden_file(name);
  change(json);
  std::ofstream(folder.file(name + ".json")) << json.dump();
  const std::string message = test::message_of(ErrorKind::kData, [&] { posterior(name, folder.path().string()); });
  const std::string path = folder.file(name + ".json");
  EXPECT_THAT(message, ::testing::StartsWith(path + ": "));
  return message.substr(std::min(message.size(), path.size() + 2));
}

TEST(PosteriorFiles, WrongFieldsAreNamed) {
  const std::string ark = "arK-arK";
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"].erase("y"); }), "data.y: missing field");
  EXPECT_EQ(message_for(ark, [](Json& j) { j.erase("data"); }), "data: missing field");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"] = 3; }), "data: got 3, expected an object");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"]["y"].erase(0); }), "data.y: got 199 numbers, expected 200");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"]["y"] = "text"; }),
            "data.y: got \"text\", expected a list of 200 numbers");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"]["y"][7] = nullptr; }), "data.y[7]: got null, expected a number");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"]["T"] = 200.5; }),
            "data.T: got 200.5, expected a whole number from 12 to 10000000");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"]["T"] = -1; }),
            "data.T: got -1, expected a whole number from 12 to 10000000");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"]["K"] = 1e300; }),
            "data.K: got 1e+300, expected a whole number from 1 to 100");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["data"]["K"] = 4; }), "unconstrained_names: got 7 names, expected 6");
  const auto smaller = [](Json& j) {
    j["data"]["K"] = 4;
    j["unconstrained_names"].erase(6);
  };
  EXPECT_EQ(message_for(ark, smaller), "data: got the data of 6 parameters, expected 7");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["name"] = "arK"; }), "name: got \"arK\", expected \"arK-arK\"");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["unconstrained_names"][1] = "alpha"; }),
            "unconstrained_names[1]: the name appears twice");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["reference_unconstrained"]["sd"][2] = 0; }),
            "reference_unconstrained.sd[2]: got 0, expected a number above 0");
  EXPECT_EQ(message_for(ark, [](Json& j) { j["reference_unconstrained"]["cov"][3].erase(0); }),
            "reference_unconstrained.cov[3]: got 6 numbers, expected 7");
  EXPECT_EQ(message_for("nes2000-nes", [](Json& j) { j["data"]["age_discrete"][1] = 5; }),
            "data.age_discrete[1]: got 5, expected a whole number from 1 to 4");
  EXPECT_EQ(message_for("mesquite-logmesquite", [](Json& j) { j["data"]["weight"][0] = 0; }),
            "data.weight[0]: got 0, expected a number above 0");
  EXPECT_EQ(message_for("radon_mn-radon_partially_pooled_centered", [](Json& j) { j["data"]["county_idx"][2] = 86; }),
            "data.county_idx[2]: got 86, expected a whole number from 1 to 85");
  EXPECT_EQ(message_for("gp_pois_regr-gp_pois_regr", [](Json& j) { j["data"]["k"][0] = 1.5; }),
            "data.k[0]: got 1.5, expected a whole number of at least 0");
  EXPECT_EQ(message_for("diamonds-diamonds", [](Json& j) { j["data"]["Sxx"][0][0] = -1; }),
            "data.Sxx: the matrix is not positive definite");
  EXPECT_THAT(message_for("diamonds-diamonds", [](Json& j) { j["data"]["Syy"] = 1; }),
              ::testing::StartsWith("data.Syy: got 1, expected more than the fit explains"));
}

TEST(PosteriorFiles, BrokenJson) {
  const test::TempDir folder;
  const std::string path = folder.file("arK-arK.json");
  const auto message = [&](const std::string& text) {
    std::ofstream(path) << text;
    return test::message_of(ErrorKind::kData, [&] { posterior("arK-arK", folder.path().string()); });
  };
  const std::string whole = golden_file("arK-arK").dump();
  EXPECT_THAT(message(whole.substr(0, whole.size() / 2)), ::testing::HasSubstr("no valid JSON: "));
  EXPECT_THAT(message(""), ::testing::HasSubstr("no valid JSON: "));
  EXPECT_THAT(message("[1, 2]"), ::testing::HasSubstr("got a list, expected an object"));
  EXPECT_THAT(message("{\"name\": 1e999}"), ::testing::HasSubstr("no valid JSON: "));
  EXPECT_THAT(message("{\"name\": \"\xff\"}"), ::testing::HasSubstr("no valid JSON: "));
  EXPECT_THAT(message(std::string(1'000'000, '[')), ::testing::HasSubstr("no valid JSON: "));
}

TEST(PosteriorFiles, MissingFileAndUnknownName) {
  const test::TempDir folder;
  EXPECT_THAT(test::message_of(ErrorKind::kData, [&] { posterior("arK-arK", folder.path().string()); }),
              ::testing::AllOf(::testing::HasSubstr("arK-arK.json"), ::testing::HasSubstr(folder.path().string())));
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [] { posterior("arK-ark"); }),
              ::testing::HasSubstr("did you mean \"arK-arK\"?"));
}

}  // namespace
}  // namespace scorevi::targets
