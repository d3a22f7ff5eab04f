// Schedules against golden tables.
#include "scorevi/optim/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "scorevi/core/error.h"

namespace scorevi::optim {
namespace {

using Json = nlohmann::json;

const Json& golden() {
  static const Json file = [] {
    std::ifstream in("tests/golden/numbers/schedules.json");
    if (!in) throw std::runtime_error("run the test in the project root");
    return Json::parse(in);
  }();
  return file;
}

// factor(t, base rate) of a golden schedule; empty where scorevi does not offer it.
std::function<double(int64_t, double)> curve_of(const Json& s) {
  const std::string kind = s["kind"].get<std::string>();
  const Json& o = s["options"];
  const auto get = [&](const char* key) { return o[key].get<double>(); };
  const auto whole = [&](const char* key) { return o[key].get<int64_t>(); };
  if (kind == "constant") return [](int64_t, double) { return 1.0; };
  if (kind == "step") return [=](int64_t t, double) { return step_factor(t, whole("step_size"), get("gamma")); };
  if (kind == "exponential") return [=](int64_t t, double) { return exponential_factor(t, get("gamma")); };
  if (kind == "multistep") {
    const auto milestones = o["milestones"].get<std::vector<int64_t>>();
    return [=](int64_t t, double) { return multistep_factor(t, milestones, get("gamma")); };
  }
  if (kind == "cosine") {
    return [=](int64_t t, double base) {
      return cosine_factor(static_cast<double>(t), get("t_max"), get("eta_min") / base);
    };
  }
  if (kind == "linear") {
    return [=](int64_t t, double) {
      return linear_factor(static_cast<double>(t), get("total_iters"), get("start_factor"), get("end_factor"));
    };
  }
  if (kind == "polynomial") {
    return
        [=](int64_t t, double) { return polynomial_factor(static_cast<double>(t), get("total_iters"), get("power")); };
  }
  if (kind == "cosine_warmup") {
    return [=](int64_t t, double base) {
      ScheduleOptions options;
      options.name = "cosine";
      options.warmup_steps = whole("warmup");
      options.min_lr_frac = get("eta_min") / base;
      return Schedule(options, whole("total"), 1).factor(t);
    };
  }
  return {};
}

TEST(Schedule, EqualsTheGoldenTables) {
  int compared = 0;
  for (const Json& s : golden()["schedules"]) {
    const auto curve = curve_of(s);
    if (!curve) continue;
    ++compared;
    for (std::size_t t = 0; t < s["lr"].size(); ++t) {
      for (std::size_t g = 0; g < s["base_lr"].size(); ++g) {
        const double base = s["base_lr"][g].get<double>(), want = s["lr"][t][g].get<double>();
        EXPECT_NEAR(base * curve(static_cast<int64_t>(t), base), want, 1e-11 * std::max(want, 1e-4))
            << s["name"] << " t " << t;
      }
    }
  }
  EXPECT_GE(compared, 19);
}

TEST(Plateau, EqualsTheGoldenTables) {
  int compared = 0;
  for (const Json& s : golden()["schedules"]) {
    if (s["kind"] != "plateau") continue;
    const Json& o = s["options"];
    for (std::size_t g = 0; g < s["base_lr"].size(); ++g) {
      const double base = s["base_lr"][g].get<double>();
      ScheduleOptions options;
      options.name = "plateau";
      options.factor = o["factor"].get<double>();
      options.patience = o["patience"].get<int64_t>();
      options.threshold = o["threshold"].get<double>();
      options.cooldown = o["cooldown"].get<int64_t>();
      options.min_lr_frac = o.value("min_lr", 0.0) / base;
      const double sign = o["mode"] == "max" ? -1.0 : 1.0;
      Plateau plateau(options);
      for (std::size_t t = 0; t < s["lr"].size(); ++t) {
        // lr[t] is the rate after epoch t was observed.
        plateau.observe(sign * s["metrics"][t].get<double>());
        const double want = s["lr"][t][g].get<double>();
        EXPECT_NEAR(base * plateau.factor(), want, 1e-11 * std::max(want, 1e-4)) << s["name"] << " t " << t;
        if (t == 3) {  // a resumed run goes on as it would have
          params::StateDict state;
          plateau.save(state);
          plateau = Plateau(options);
          plateau.load(state);
        }
      }
      ++compared;
    }
  }
  EXPECT_GE(compared, 2);
}

TEST(Plateau, NotANumberCountsAsBad) {
  ScheduleOptions options;
  options.patience = 1;
  options.factor = 0.5;
  Plateau plateau(options);
  plateau.observe(1.0);
  plateau.observe(std::nan(""));
  EXPECT_EQ(plateau.factor(), 1.0);
  plateau.observe(std::nan(""));
  EXPECT_EQ(plateau.factor(), 0.5);
}

TEST(Alpha, EqualsTheGoldenTables) {
  for (const Json& row : golden()["alpha"]) {
    for (std::size_t t = 0; t < row["alpha"].size(); ++t) {
      EXPECT_NEAR(alpha_at(static_cast<int64_t>(t), row["T"].get<int64_t>(), row["alpha_max"].get<double>()),
                  row["alpha"][t].get<double>(), 1e-15);
    }
  }
}

TEST(Schedule, CountsEpochsOrSteps) {
  ScheduleOptions options;
  options.name = "step";
  options.step_size = 2;
  options.gamma = 0.5;
  options.warmup_steps = 4;
  const Schedule schedule(options, 100, 10);
  EXPECT_DOUBLE_EQ(schedule.factor(0), 0.25);
  EXPECT_DOUBLE_EQ(schedule.factor(3), 1.0);
  EXPECT_DOUBLE_EQ(schedule.factor(19), 1.0);
  EXPECT_DOUBLE_EQ(schedule.factor(20), 0.5);
  options.name = "linear";
  options.min_lr_frac = 0.1;
  EXPECT_NEAR(Schedule(options, 104, 10).factor(54), 0.55, 1e-15);
}

TEST(Schedule, ARateOfZeroStepsOrABadOptionIsExplained) {
  ScheduleOptions options;
  options.name = "cosin";
  try {
    Schedule(options, 10, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("did you mean \"cosine\""), std::string::npos) << error.what();
  }
  options.name = "step";
  options.step_size = 0;
  EXPECT_THROW(Schedule(options, 10, 1), Error);
  options = {};
  options.name = "cosine";
  for (const int64_t total : {0, 1}) EXPECT_TRUE(std::isfinite(Schedule(options, total, 0).factor(0)));
}

}  // namespace
}  // namespace scorevi::optim
