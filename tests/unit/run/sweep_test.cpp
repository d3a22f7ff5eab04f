#include "scorevi/run/sweep.h"

#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_run.h"
#include "scorevi/config/document.h"
#include "scorevi/core/signals.h"
#include "scorevi/io/checkpoint.h"
#include "scorevi/run/options.h"
#include "stored_run.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kSweep = R"(name: digits
base: base.yaml
variants:
  map: {method.name: map}
  psm: {method.name: psm, model.hidden: [100, 50], data.target: "a b"}
grid:
  seed: [0, 1]
  likelihood.temperature: [1, 0.1]
baseline: map
metrics: [error, ece]
axis: likelihood.temperature
)";

// A stand-in for `scorevi train`: writes what a run leaves; method.name=bad fails, =slow waits for a signal.
constexpr const char* kProgram = R"(#!/bin/sh
echo "arguments: $*"
all="$*"
while [ $# -gt 0 ]; do
  case "$1" in --out|--resume) out="$2"; mode="$1";; esac
  shift
done
mkdir -p "$out/evaluation" "$out/checkpoints"
echo "$mode" > "$out/mode"
echo "$OMP_NUM_THREADS" > "$out/threads"
case "$all" in *method.name=bad*)
  echo '{"status": "failed", "reason": "score not finite"}' > "$out/run.json"
  echo "fc1.weight: score not finite" >&2; exit 4;;
esac
case "$all" in *method.name=slow*)
  trap 'echo "{\"status\": \"interrupted\"}" > "$out/run.json"; cp "$(dirname "$0")/checkpoint" "$out/checkpoints/last.safetensors"; exit 130' INT
  : > "$out/config.resolved.yaml"
  touch "$out/started"
  i=0; while [ $i -lt 600 ]; do sleep 0.05; i=$((i+1)); done;;
esac
: > "$out/config.resolved.yaml"
echo '{"status": "finished", "evaluations": 10, "train_s": 0.5}' > "$out/run.json"
echo '{"split": "test", "n": 10, "samples": 5, "method": "x", "metrics": {"accuracy": {"value": 0.9, "low": 0.8, "high": 1.0}, "ece": {"value": 0.1, "low": 0, "high": 0.2}}}' > "$out/evaluation/report.json"
)";

std::vector<std::string> texts(const std::vector<SweepOverride>& overrides) {
  std::vector<std::string> all;
  for (const SweepOverride& item : overrides) all.push_back(item.text);
  return all;
}

class Sweep : public ::testing::Test {
 protected:
  Sweep() {
    folder_.write("base.yaml", "seed: 0\n");
    program_ = folder_.write("program", kProgram);
    ::chmod(program_.c_str(), 0755);
    params::StateDict checkpoint;
    checkpoint.set_string(kRunIdKey, "");
    io::save_checkpoint(folder_.file("checkpoint"), checkpoint);
  }
  ~Sweep() override { set_pending_signal(0); }

  SweepOptions load(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    return load_sweep(folder_.write("sweep.yaml", text), overrides);
  }
  std::string refused(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    return test::message_of(ErrorKind::kUsage, [&] { load(text, overrides); });
  }
  SweepRunOptions options() const {
    SweepRunOptions run;
    run.out = folder_.file("out");
    run.program = program_;
    run.jobs = 2;
    run.validate = [](const std::string&, const std::vector<SweepOverride>&) { return std::string(); };
    return run;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_.file(name)).rdbuf();
    return text.str();
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_.file(name)); }

  test::TempDir folder_;
  std::string program_;
};

TEST_F(Sweep, ReadsTheFile) {
  const SweepOptions sweep = load(kSweep, {"train.epochs=3"});
  EXPECT_EQ(sweep.name, "digits");
  EXPECT_EQ(sweep.base, folder_.file("base.yaml"));
  ASSERT_THAT(sweep.variants, SizeIs(2));
  EXPECT_THAT(texts(sweep.variants[1].overrides),
              ElementsAre("method.name=psm", "model.hidden=[100, 50]", "data.target=\"a b\""));
  EXPECT_THAT(sweep_axes(sweep), ElementsAre("likelihood.temperature"));
  EXPECT_EQ(sweep.baseline, "map");
  EXPECT_THAT(sweep.metrics, ElementsAre("error", "ece"));
  EXPECT_THAT(texts(sweep.overrides), ElementsAre("train.epochs=3"));
}

TEST_F(Sweep, ExpandsTheGrid) {
  const std::vector<SweepMember> members = expand_sweep(load(kSweep, {"train.epochs=3"}));
  ASSERT_THAT(members, SizeIs(8));
  std::set<std::string> ids;
  for (const SweepMember& member : members) ids.insert(member.id);
  EXPECT_THAT(ids, SizeIs(8));
  EXPECT_EQ(members[0].id, "map__likelihood.temperature=1__seed=0");
  EXPECT_EQ(members[1].id, "map__likelihood.temperature=1__seed=1");
  EXPECT_EQ(members[2].id, "psm__likelihood.temperature=1__seed=0");
  EXPECT_EQ(members[7].id, "psm__likelihood.temperature=0.1__seed=1");
  EXPECT_THAT(texts(members[7].overrides),
              ElementsAre("method.name=psm", "model.hidden=[100, 50]", "data.target=\"a b\"",
                          "likelihood.temperature=0.1", "seed=1", "train.epochs=3"));
  EXPECT_THAT(members[7].axes, ElementsAre("0.1"));
  EXPECT_EQ(members[7].seed, "1");
}

TEST_F(Sweep, IdsAreSafeAndUnique) {
  const auto members =
      expand_sweep(load("name: s\nbase: base.yaml\nvariants: {a: {}}\ngrid:\n"
                        "  data.path: [\"../x y\", \"../x:y\", \"/\"]\n  model.hidden: [[100, 50]]\n"));
  EXPECT_EQ(members[0].id, "a__data.path=..-x-y__model.hidden=100-50");
  EXPECT_EQ(members[1].id, "a__data.path=..-x-y__model.hidden=100-50__2");
  EXPECT_EQ(members[2].id, "a__data.path=__model.hidden=100-50");
  EXPECT_EQ(members[0].overrides[0].text, "data.path=\"../x y\"");
}

TEST_F(Sweep, CommonOverridesComeFirstAndValuesMayBringMore) {
  const auto members =
      expand_sweep(load("name: s\nbase: base.yaml\ncommon: {optimizer.lr: 1e-3, data.name: mnist}\n"
                        "variants: {a: {optimizer.lr: 1e-2}}\n"
                        "grid:\n  data.train_size: {100: {train.epochs: 600}, 300: {}}\n"));
  ASSERT_THAT(members, SizeIs(2));
  EXPECT_THAT(texts(members[0].overrides), ElementsAre("optimizer.lr=1e-3", "data.name=mnist", "optimizer.lr=1e-2",
                                                       "data.train_size=100", "train.epochs=600"));
  EXPECT_THAT(members[1].axes, ElementsAre("300"));
  EXPECT_THAT(refused("name: s\nbase: base.yaml\ncommon: {lr: 1}\nvariants: {a: {}}\ngrid: {lr: [1, 2]}\n"),
              HasSubstr("sweep.yaml:3:10: common.lr: is an axis of the grid too"));
}

TEST_F(Sweep, AllErrorsAtOnceWithTheirPlaces) {
  const std::string message = refused(
      "name: a/b\nbase: none.yaml\nvariant: {}\nvariants:\n  x: 3\n  y: {seed: 1, lr: 2}\n"
      "grid:\n  lr: [1, 1]\n  seed: []\nbaseline: xx\naxis: lrr\nmetrics: ece\n");
  const std::string metrics = refused("name: x\nbase: base.yaml\nvariants: {a: {}}\nmetrics: [nll, erorr]\n");
  EXPECT_THAT(metrics, HasSubstr(":4:16: metrics[1]: unknown metric, got \"erorr\""));
  EXPECT_THAT(metrics, HasSubstr("did you mean \"error\"?"));
  const std::string file = folder_.file("sweep.yaml");
  EXPECT_THAT(message, HasSubstr(file + ":1:7: name: expected letters"));
  EXPECT_THAT(message, HasSubstr(file + ":3:1: unknown key, got \"variant\""));
  EXPECT_THAT(message, HasSubstr("did you mean \"variants\"?"));
  EXPECT_THAT(message, HasSubstr(file + ":5:6: variants.x: expected a map of overrides, got \"3\""));
  EXPECT_THAT(message, HasSubstr(file + ":6:7: variants.y.seed: seeds belong to the grid"));
  EXPECT_THAT(message, HasSubstr(file + ":6:16: variants.y.lr: is an axis of the grid too"));
  EXPECT_THAT(message, HasSubstr(file + ":8:11: grid.lr: the value 1 stands here twice"));
  EXPECT_THAT(message, HasSubstr(file + ":9:9: grid.seed: expected a list of values, got an empty list"));
  EXPECT_THAT(message, HasSubstr(file + ":10:11: baseline: unknown variant, got \"xx\", expected one of x, y"));
  EXPECT_THAT(message, HasSubstr(file + ":11:7: axis: not in the grid, got \"lrr\", expected one of lr"));
  EXPECT_THAT(message, HasSubstr(file + ":12:10: metrics: expected a list"));
}

TEST_F(Sweep, OneNumberInTwoTextsIsOneValue) {
  const std::string message =
      refused("name: x\nbase: base.yaml\nvariants: {a: {}}\ngrid: {seed: [0, 0.0, 1], optimizer.lr: [1e-3, 0.001]}\n");
  EXPECT_THAT(message, HasSubstr("grid.seed: the value 0.0 stands here twice, first as 0"));
  EXPECT_THAT(message, HasSubstr("grid.optimizer.lr: the value 0.001 stands here twice, first as 1e-3"));
}

TEST_F(Sweep, OverridesKnowTheirPlaces) {
  const auto members =
      expand_sweep(load("name: s\nbase: base.yaml\ncommon: {a.b: 1}\nvariants:\n  x: {c: 2}\ngrid:\n"
                        "  d: [3, 4]\n  e: {5: {f: 6}}\n",
                        {"g=7", "grid.h=[8]"}));
  std::vector<std::string> places;
  for (const SweepOverride& item : members[1].overrides) places.push_back(item.text + " " + item.place);
  const std::string file = folder_.file("sweep.yaml");
  EXPECT_THAT(places, ElementsAre("a.b=1 " + file + ":3:10", "c=2 " + file + ":5:7", "d=4 " + file + ":7:10",
                                  "e=5 " + file + ":8:7", "f=6 " + file + ":8:11", "h=8 -s grid.h=[8]", "g=7 "));
}

TEST_F(Sweep, AConfigurationIsNoSweepAndASweepNoConfiguration) {
  EXPECT_THAT(refused("data: {name: digits}\nmethod: {name: psm}\n"),
              HasSubstr("is the configuration of one run (it has data or method), expected a sweep file (with base and "
                        "variants); run it with: scorevi train " +
                        folder_.file("sweep.yaml")));
  EXPECT_THAT(refused("name: b\ntargets: []\nmethods: []\n"),
              HasSubstr("is a bench file (it has targets and methods), expected a sweep file (with base and variants); "
                        "run it with: scorevi bench " +
                        folder_.file("sweep.yaml")));
  const auto no_run = [this](const std::string& text) {
    const std::string path = folder_.write("s.yaml", text);
    return test::message_of(ErrorKind::kUsage, [&] { load_options(path); });
  };
  EXPECT_THAT(no_run(kSweep), HasSubstr("is a sweep file (it has base and variants), expected the configuration of one "
                                        "run (with data or method); run it with: scorevi sweep " +
                                        folder_.file("s.yaml")));
  EXPECT_THAT(no_run("targets: []\nmethods: []\n"), HasSubstr("run it with: scorevi bench"));
}

TEST_F(Sweep, MissingPartsAreTold) {
  const std::string message = refused("grid: {}\n");
  EXPECT_THAT(message, HasSubstr("missing required key \"name\""));
  EXPECT_THAT(message, HasSubstr("missing required key \"base\""));
  EXPECT_THAT(message, HasSubstr("missing required key \"variants\""));
  EXPECT_THAT(refused("name: a\nbase: none.yaml\nvariants: {a: {}}\n"),
              HasSubstr("sweep.yaml:2:7: base: no such file, got "));
}

TEST_F(Sweep, OverridesChangeTheSweepOrItsMembers) {
  const SweepOptions sweep =
      load(kSweep, {"grid.seed=[7]", "grid.data.train_size=[100, 300]", "metrics=[nll]", "optimizer.lr=1e-3"});
  EXPECT_THAT(sweep_axes(sweep), ElementsAre("likelihood.temperature", "data.train_size"));
  EXPECT_THAT(sweep.metrics, ElementsAre("nll"));
  EXPECT_THAT(texts(sweep.overrides), ElementsAre("optimizer.lr=1e-3"));
  EXPECT_EQ(expand_sweep(sweep)[0].id, "map__likelihood.temperature=1__data.train_size=100__seed=7");
  EXPECT_THAT(refused(kSweep, {"seed=3"}), HasSubstr("-s seed=3 would undo this axis; use -s grid.seed=[...]"));
  EXPECT_THAT(refused(kSweep, {"grid.seed=3"}), HasSubstr("grid.seed: expected a list of values"));
}

TEST_F(Sweep, RunsEveryMemberAndWritesTheResults) {
  const SweepOptions sweep = load(kSweep);
  SweepRunOptions run = options();
  run.train_arguments = {"--limit-batches", "3"};
  const SweepOutcome outcome = run_sweep(sweep, run);
  EXPECT_EQ(outcome.finished, 8);
  EXPECT_EQ(outcome.skipped, 0);
  EXPECT_THAT(outcome.failed, SizeIs(0));
  const std::string member = "out/psm__likelihood.temperature=0.1__seed=1";
  EXPECT_THAT(read(member + "/console.txt"),
              HasSubstr("arguments: train " + folder_.file("base.yaml") +
                        " -s method.name=psm -s model.hidden=[100, 50] -s data.target=\"a b\""
                        " -s likelihood.temperature=0.1 -s seed=1 --out " +
                        folder_.file(member) + " --limit-batches 3\n"));

  const ResultTable table = sweep_results(sweep, outcome.folder);
  EXPECT_THAT(table.rows, SizeIs(8));
  EXPECT_EQ(table.rows[7].variant, "psm");
  EXPECT_NEAR(table.rows[7].values[0].value, 0.1, 1e-15);
  write_sweep_results(sweep, table, outcome.folder);
  EXPECT_THAT(read("out/table.md"), HasSubstr("| psm | **10.00 ± 0.00** |"));
  EXPECT_THAT(read("out/results.csv"), HasSubstr("psm,0.1,1,0.09999999999999998"));
  EXPECT_THAT(read("out/report.html"), HasSubstr("<svg"));
  EXPECT_TRUE(exists("out/figures/error.svg"));
}

TEST_F(Sweep, MembersTakeNoMoreThreadsThanTheirCallerAllows) {
  SweepRunOptions run = options();
  run.jobs = 1;  // which would give a member all cores
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string saved = before == nullptr ? "" : before;
  setenv("OMP_NUM_THREADS", "1", 1);
  run_sweep(load(kSweep), run);
  if (before == nullptr)
    unsetenv("OMP_NUM_THREADS");
  else
    setenv("OMP_NUM_THREADS", saved.c_str(), 1);
  EXPECT_EQ(read("out/map__likelihood.temperature=1__seed=0/threads"), "1\n");
}

TEST_F(Sweep, FinishedMembersAreSkipped) {
  const SweepOptions sweep = load(kSweep);
  ASSERT_EQ(run_sweep(sweep, options()).finished, 8);
  std::filesystem::remove_all(folder_.file("out/map__likelihood.temperature=1__seed=0"));
  const SweepOutcome again = run_sweep(sweep, options());
  EXPECT_EQ(again.finished, 1);
  EXPECT_EQ(again.skipped, 7);
}

TEST_F(Sweep, AMemberWithoutItsReportIsEvaluatedAndADamagedOneNamesTheRemedy) {
  const SweepOptions sweep = load("name: s\nbase: base.yaml\nvariants: {a: {}}\ngrid: {seed: [0, 1]}\n");
  ASSERT_EQ(run_sweep(sweep, options()).finished, 2);
  const std::string member = "out/a__seed=1/";
  std::filesystem::copy(folder_.file("checkpoint"), folder_.file(member + "checkpoints/last.safetensors"));
  std::filesystem::remove(folder_.file(member + "evaluation/report.json"));
  EXPECT_THAT(sweep_results(sweep, folder_.file("out")).notes,
              ElementsAre(HasSubstr("evaluate it with: scorevi evaluate " + folder_.file("out"))));
  const SweepOutcome resumed = run_sweep(sweep, options());
  EXPECT_EQ(resumed.skipped, 1);
  EXPECT_EQ(resumed.finished, 1);
  EXPECT_EQ(read(member + "mode"), "--resume\n");
  for (const char* file : {"evaluation/report.json", "run.json"}) {
    folder_.write(member + file, "{\"sta");
    const std::string message = test::message_of(ErrorKind::kUsage, [&] { run_sweep(sweep, options()); });
    EXPECT_THAT(message, HasSubstr("or run them again with --redo:\n  " + folder_.file("out/a__seed=1") + ": "));
    EXPECT_THAT(message, HasSubstr(file));
    SweepRunOptions redo = options();
    redo.redo = true;
    EXPECT_EQ(run_sweep(sweep, redo).finished, 1);
  }
}

TEST_F(Sweep, WhatASweepCannotGoOnWithIsToldAndRedone) {
  const SweepOptions sweep = load("name: s\nbase: base.yaml\nvariants: {a: {}}\ngrid: {seed: [0, 1]}\n");
  const std::string member = folder_.file("out/a__seed=1");
  SweepRunOptions redo = options();
  redo.redo = true;
  ASSERT_EQ(run_sweep(sweep, options()).finished, 2);
  const auto expect_told = [&](const std::string& how) {
    const std::string message = test::message_of(ErrorKind::kUsage, [&] { run_sweep(sweep, options()); });
    EXPECT_THAT(message, HasSubstr(member + ": " + how));
    EXPECT_EQ(run_sweep(sweep, redo).finished, 1) << how;
  };
  std::filesystem::remove(member + "/run.json");
  expect_told("it has results, and no run.json");
  folder_.write("out/a__seed=1/run.json", R"({"status": "running"})");
  folder_.write("out/a__seed=1/checkpoints/last.safetensors", "half");
  expect_told(member + "/checkpoints/last.safetensors: ");
  folder_.write("out/a__seed=1/run.json", R"({"status": "running"})");
  expect_told(member + "/checkpoints/last.safetensors: ");  // a report and no checkpoint
  std::filesystem::remove_all(member);
  folder_.write("out/a__seed=1", "");
  expect_told("it is a file");
}

TEST_F(Sweep, AFailingMemberIsReportedAndTheOthersGoOn) {
  const SweepOptions sweep =
      load("name: s\nbase: base.yaml\nvariants: {bad: {method.name: bad}, good: {}}\ngrid: {seed: [0]}\n");
  SweepRunOptions run = options();
  run.jobs = 1;
  const SweepOutcome outcome = run_sweep(sweep, run);
  EXPECT_EQ(outcome.finished, 1);
  ASSERT_THAT(outcome.failed, SizeIs(1));
  EXPECT_EQ(outcome.failed[0].first, "bad__seed=0");
  EXPECT_THAT(outcome.failed[0].second, HasSubstr("exit code 4\n"));
  EXPECT_THAT(outcome.failed[0].second, HasSubstr("fc1.weight: score not finite"));
  const ResultTable table = sweep_results(sweep, outcome.folder);
  EXPECT_THAT(table.rows, SizeIs(1));
  EXPECT_THAT(table.notes, ElementsAre("No result of bad__seed=0: failed, score not finite."));
  folder_.write("out/bad__seed=0/console.txt", "an earlier attempt\n");
  const SweepOutcome again = run_sweep(sweep, run);  // the failed one runs again
  EXPECT_EQ(again.skipped, 1);
  EXPECT_THAT(again.failed.at(0).second, Not(HasSubstr("an earlier attempt")));
  EXPECT_THAT(again.failed.at(0).second, HasSubstr("fc1.weight: score not finite"));
}

TEST_F(Sweep, AnInvalidMemberStopsTheSweepBeforeItStarts) {
  SweepRunOptions run = options();
  run.validate = [](const std::string& base, const std::vector<SweepOverride>& overrides) -> std::string {
    if (overrides[0].text == "method.name=psm")
      throw config::ConfigError(overrides[0].place + ": method.name: wrong\n" + base + ":1:1: name: wrong");
    throw config::ConfigError(base + ":1:1: name: wrong");
  };
  const std::string message = test::message_of(ErrorKind::kUsage, [&] { run_sweep(load(kSweep), run); });
  const std::string file = folder_.file("sweep.yaml");
  EXPECT_EQ(message, file + ": 8 of 8 members cannot be trained:\n" + folder_.file("base.yaml") +
                         ":1:1: name: wrong\n" + file +
                         ":5:9: method.name: wrong (in psm__likelihood.temperature=1__seed=0 and 3 more)");
  EXPECT_FALSE(exists("out"));
}

TEST_F(Sweep, MembersOfAnotherConfigurationAreRefusedOrRedone) {
  const SweepOptions sweep = load("name: s\nbase: base.yaml\nvariants: {a: {}}\ngrid: {seed: [0]}\n");
  ASSERT_EQ(run_sweep(sweep, options()).finished, 1);
  folder_.write("out/.sweep.lock", "");
  folder_.write("out/a__seed=0/config.resolved.yaml", "optimizer:\n  lr: 0.01\n");
  SweepRunOptions run = options();
  run.validate = [](const std::string&, const std::vector<SweepOverride>&) {
    return std::string("optimizer:\n  lr: 0.001\n");
  };
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { run_sweep(sweep, run); }),
              HasSubstr("a__seed=0: optimizer.lr: 0.01, now 0.001"));
  run.redo = true;
  EXPECT_EQ(run_sweep(sweep, run).finished, 1);
}

TEST_F(Sweep, MembersFromOtherWeightsAreRefused) {
  const SweepOptions sweep = load("name: s\nbase: base.yaml\nvariants: {a: {}}\n");
  SweepRunOptions run = options();
  MemberInputs now;
  run.inputs = [&now](const std::string&, const std::vector<SweepOverride>&) { return now; };
  ASSERT_EQ(run_sweep(sweep, run).finished, 1);
  folder_.write("out/a/run.json", R"({"status": "finished", "weights": {"sha256": "aaaaaaaaaaaaaaaa"}})");
  EXPECT_EQ(run_sweep(sweep, run).skipped, 1);  // the file is gone
  now.weights = "bbbbbbbbbbbbbbbb";
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { run_sweep(sweep, run); }),
              HasSubstr("model.weights: SHA-256 aaaaaaaaaaaa..., now bbbbbbbbbbbb..."));
}

TEST_F(Sweep, MembersOnOtherDataAreRefusedOrRedone) {
  const SweepOptions sweep = load("name: s\nbase: base.yaml\nvariants: {a: {}}\ngrid: {seed: [0, 1]}\n");
  SweepRunOptions run = options();
  int asked = 0;
  run.inputs = [&asked](const std::string&, const std::vector<SweepOverride>& overrides) {
    ++asked;
    return MemberInputs{overrides[0].text == "seed=0" ? std::string(64, 'a') : std::string(64, 'b'),
                        std::string(64, 'e')};
  };
  ASSERT_EQ(run_sweep(sweep, run).finished, 2);
  EXPECT_EQ(asked, 0);                          // nothing had been trained yet
  EXPECT_EQ(run_sweep(sweep, run).skipped, 2);  // runs that do not say what they were trained on
  const auto trained_on = [&](const std::string& sha256) {
    folder_.write("out/a__seed=1/run.json", R"({"status": "finished", "data": {"sha256": ")" + sha256 + "\"}}");
  };
  trained_on(std::string(64, 'b'));
  EXPECT_EQ(run_sweep(sweep, run).skipped, 2);
  trained_on(std::string(64, 'c'));
  const std::string message = test::message_of(ErrorKind::kUsage, [&] { run_sweep(sweep, run); });
  EXPECT_THAT(message, HasSubstr("a__seed=1: data: SHA-256 cccccccccccc..., now bbbbbbbbbbbb..."));
  EXPECT_THAT(message, Not(HasSubstr("a__seed=0")));
  run.redo = true;
  const SweepOutcome redone = run_sweep(sweep, run);
  EXPECT_EQ(redone.finished, 1);
  EXPECT_EQ(redone.skipped, 1);
}

TEST_F(Sweep, ASignalStopsTheChildrenAndTheSweepGoesOnLater) {
  const SweepOptions sweep =
      load("name: s\nbase: base.yaml\nvariants: {slow: {method.name: slow}, after: {}}\ngrid: {seed: [0]}\n");
  SweepRunOptions run = options();
  run.jobs = 1;
  std::thread stopper([&] {
    while (!exists("out/slow__seed=0/started")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    set_pending_signal(SIGINT);
  });
  const SweepOutcome outcome = run_sweep(sweep, run);
  stopper.join();
  EXPECT_EQ(outcome.signal, SIGINT);
  EXPECT_EQ(outcome.finished, 0);
  EXPECT_THAT(outcome.failed, SizeIs(0));
  EXPECT_THAT(read("out/slow__seed=0/run.json"), HasSubstr("interrupted"));
  EXPECT_FALSE(exists("out/after__seed=0"));

  set_pending_signal(0);
  folder_.write("program",
                std::string(kProgram).replace(std::string(kProgram).find("method.name=slow"), 16, "method.name=none"));
  EXPECT_EQ(run_sweep(sweep, run).finished, 2);
  EXPECT_EQ(read("out/slow__seed=0/mode"), "--resume\n");
  EXPECT_EQ(read("out/after__seed=0/mode"), "--out\n");
}

TEST_F(Sweep, AFolderOfOthersIsLeftAlone) {
  folder_.write("out/table.md", "precious");
  const SweepOptions sweep = load("name: s\nbase: base.yaml\nvariants: {a: {}}\n");
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { run_sweep(sweep, options()); }),
              HasSubstr("holds files that are not of a sweep"));
  EXPECT_EQ(read("out/table.md"), "precious");
  EXPECT_FALSE(exists("out/a"));
}

TEST_F(Sweep, TwoSweepsDoNotShareAFolder) {
  const SweepOptions sweep = load("name: s\nbase: base.yaml\nvariants: {slow: {method.name: slow}}\n");
  std::thread first([&] { run_sweep(sweep, options()); });
  while (!exists("out/slow/started")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(test::message_of(ErrorKind::kUsage, [&] { run_sweep(sweep, options()); }),
              HasSubstr("another sweep process is at work here"));
  set_pending_signal(SIGINT);
  first.join();
}

}  // namespace
}  // namespace scorevi::run
