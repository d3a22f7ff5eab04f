#include "summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "result.h"
#include "scorevi/core/atomic_file.h"
#include "support/error_of.h"
#include "support/temp_dir.h"

namespace scorevi::bench {
namespace {

constexpr double kNaN = Measurement::kNaN;

CurvePoint point(int64_t evaluations, double mean_error, double sd_error) {
  CurvePoint made;
  made.evaluations = evaluations;
  made.seconds = static_cast<double>(evaluations) / 100;
  made.at.mean_error = mean_error;
  made.at.sd_error = sd_error;
  return made;
}

TEST(Quartiles, OfSortedValuesWithoutThoseThatAreUnknown) {
  const Quartiles q = quartiles({5, 1, kNaN, 3, 2, 4});
  EXPECT_EQ(q.low, 2);
  EXPECT_EQ(q.median, 3);
  EXPECT_EQ(q.high, 4);
  EXPECT_EQ(quartiles({1, 2}).median, 1.5);
  EXPECT_EQ(quartiles({1, 2}).low, 1.25);
  EXPECT_TRUE(std::isnan(quartiles({kNaN}).median));
}

TEST(Quartiles, InfiniteValuesCount) {
  const Quartiles q = quartiles({1, INFINITY, INFINITY});
  EXPECT_EQ(q.median, INFINITY);
  EXPECT_EQ(q.low, INFINITY);  // between 1 and infinity
  EXPECT_EQ(quartiles({1, 2, INFINITY}).median, 2);
  EXPECT_EQ(quartiles({INFINITY, INFINITY}).median, INFINITY);
}

TEST(Reached, IsTheFirstPointWithBothErrorsBelow) {
  MemberResult result;
  result.outcome = "finished";
  result.curve = {point(1, 1, 1), point(10, 0.05, 0.5), point(100, 0.05, 0.09), point(1000, 0.3, 0.01)};
  ASSERT_NE(reached(result, 0.1), nullptr);
  EXPECT_EQ(reached(result, 0.1)->evaluations, 100);
  EXPECT_EQ(reached(result, 0.01), nullptr);
  EXPECT_EQ(final_error(result), 0.3);
  EXPECT_EQ(final_error({}), INFINITY);
  result.outcome = "diverged";
  EXPECT_EQ(reached(result, 0.1), nullptr);
}

TEST(Summary, OneCellForEachMethodAndSetting) {
  BenchOptions options;
  options.seeds = 3;
  options.tolerance = 0.1;
  options.targets.resize(1);
  options.methods.resize(2);
  options.methods[0].method.name = "psm";
  options.methods[1].method.name = "advi";
  const std::vector<Member> members = members_of(options, {"t"});
  ASSERT_EQ(members.size(), 6U);
  EXPECT_EQ(members[4].id, "t__advi__seed=1");
  std::vector<MemberResult> results(6);
  for (int i = 0; i < 6; ++i) {
    results[i].outcome = i == 5 ? "diverged" : "finished";
    results[i].seconds = i;
    if (i < 5) results[i].curve = {point(10, 0.2, 0.2), point(100 * (i + 1), i < 3 ? 0.01 * (i + 1) : 0.5, 0.05)};
  }
  std::vector<FinishedMember> finished;
  for (int i = 0; i < 6; ++i) finished.push_back({members[i], &results[i]});
  const auto summary = summarise(options, finished, {TargetSummary{}});
  ASSERT_EQ(summary[0].cells.size(), 2U);
  const Cell &psm = summary[0].cells[0], &advi = summary[0].cells[1];
  EXPECT_EQ(psm.finished, 3);
  EXPECT_DOUBLE_EQ(psm.mean_error.median, 0.02);
  EXPECT_EQ(psm.reached.median, 200);
  EXPECT_EQ(psm.seconds.median, 1);
  EXPECT_EQ(advi.finished, 2);
  EXPECT_EQ(advi.diverged, 1);
  EXPECT_DOUBLE_EQ(advi.mean_error.median, 0.5);
  EXPECT_EQ(advi.mean_error.high, INFINITY);  // the one that diverged counts
  EXPECT_EQ(advi.reached.median, INFINITY);
}

TEST(Summary, AMemberThatDivergedDoesNotWinByWhereItStopped) {
  BenchOptions options;
  options.seeds = 1;
  options.targets.resize(1);
  options.methods.resize(1);
  MemberResult result;
  result.outcome = "diverged";
  result.curve = {point(10, 0.01, 0.01)};
  const auto summary = summarise(options, {{members_of(options, {"t"})[0], &result}}, {TargetSummary{}});
  const Cell& cell = summary[0].cells[0];
  EXPECT_EQ(cell.mean_error.median, INFINITY);
  EXPECT_EQ(cell.reached.median, INFINITY);
  EXPECT_TRUE(std::isnan(cell.forward_kl.median));  // the target has none
}

TEST(Members, HaveNamesThatAreShortEnoughForAFile) {
  BenchOptions options;
  options.targets.resize(1);
  options.methods.resize(1);
  EXPECT_EQ(members_of(options, {std::string(100, 't')}).size(), 5U);
  EXPECT_NE(test::message_of(ErrorKind::kUsage, [&] { members_of(options, {std::string(300, 't')}); }).find("shorter"),
            std::string::npos);
}

TEST(Members, OfARobustnessStudyNameTheirSetting) {
  BenchOptions options;
  options.seeds = 1;
  options.targets.resize(1);
  options.methods.resize(1);
  options.robustness.start_std = {1e-4, 10};
  options.robustness.rate_factors = {0.1, 1, 10};
  const std::vector<Member> members = members_of(options, {"t"});
  ASSERT_EQ(members.size(), 6U);
  EXPECT_EQ(members[5].id, "t__psm__std=10__rate=10__seed=0");
  EXPECT_EQ(members[5].start_std, 10);
}

TEST(ResultFile, ReadsBackWhatWasWritten) {
  const test::TempDir folder;
  MemberResult result;
  result.id = "a__b__seed=0";
  result.key = "0123";
  result.outcome = "diverged";
  result.message = "sigma left \"its\" limits";
  result.evaluations = 123;
  result.seconds = 0.1;
  result.curve = {point(1, kNaN, INFINITY), point(2, 0.3, -INFINITY)};
  result.curve[1].at.mode_shares = {0.25, 0.75};
  result.mean = {1, 2};
  result.covariance = {1, 0.5, 0.5, 2};
  const std::string path = folder.file("r.json");
  save_result(path, result);
  const MemberResult back = load_result(path);
  EXPECT_EQ(back.id, result.id);
  EXPECT_EQ(back.key, result.key);
  EXPECT_EQ(back.message, result.message);
  EXPECT_EQ(back.seconds, 0.1);
  ASSERT_EQ(back.curve.size(), 2U);
  EXPECT_TRUE(std::isnan(back.curve[0].at.mean_error));
  EXPECT_EQ(back.curve[0].at.sd_error, INFINITY);
  EXPECT_EQ(back.curve[1].at.sd_error, -INFINITY);
  EXPECT_EQ(back.curve[1].at.mode_shares, result.curve[1].at.mode_shares);
  EXPECT_EQ(back.covariance, result.covariance);
  for (const auto& [text, other] : std::vector<std::pair<std::string, std::string>>{
           {"diverged", "excellent"}, {":123", ":-5"}, {"\"nan\"", "\"none\""}}) {
    save_result(path, result);
    std::string bytes = read_file(path, 1 << 20);
    folder.write("r.json", bytes.replace(bytes.find(text), text.size(), other));
    EXPECT_NE(test::message_of(ErrorKind::kData, [&] { load_result(path); }).find("damaged"), std::string::npos)
        << other;
  }
  folder.write("r.json", "{\"id\": 3}");
  EXPECT_NE(test::message_of(ErrorKind::kData, [&] { load_result(path); }).find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace scorevi::bench
