#include "summary.h"

#include <algorithm>
#include <cmath>

#include "scorevi/metrics/quantile.h"

namespace scorevi::bench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The quartiles of a final number; of a member that did not end well `lost` takes its place.
Quartiles final_quartiles(const Cell& cell, double Measurement::*value, double lost) {
  std::vector<double> values;
  bool known = false;
  for (const MemberResult* result : cell.members) {
    if (result->outcome == "refused") continue;
    const double got = result->has_points() ? result->final().*value : Measurement::kNaN;
    known = known || !std::isnan(got) || (result->outcome == "diverged" && !result->has_points());
    values.push_back(result->ended_well() ? got : lost);
  }
  return known ? quartiles(std::move(values)) : Quartiles{};
}

void count_outcomes(Cell& cell) {
  for (const MemberResult* result : cell.members) {
    cell.finished += result->ended_well() ? 1 : 0;
    cell.diverged += result->outcome == "diverged" ? 1 : 0;
    cell.refused += result->outcome == "refused" ? 1 : 0;
    cell.failed += result->outcome == "failed" ? 1 : 0;
  }
}

void fill(Cell& cell, double tolerance) {
  count_outcomes(cell);
  cell.mean_error = final_quartiles(cell, &Measurement::mean_error, kInfinity);
  cell.sd_error = final_quartiles(cell, &Measurement::sd_error, kInfinity);
  cell.forward_kl = final_quartiles(cell, &Measurement::forward_kl, kInfinity);
  cell.reverse_kl = final_quartiles(cell, &Measurement::reverse_kl, kInfinity);
  cell.elbo = final_quartiles(cell, &Measurement::elbo, -kInfinity);
  cell.k_hat = final_quartiles(cell, &Measurement::k_hat, kInfinity);
  const bool has_errors = !std::isnan(cell.sd_error.median);
  std::vector<double> evaluations, when, seconds, used;
  for (const MemberResult* result : cell.members) {
    if (result->outcome == "refused") continue;
    seconds.push_back(result->seconds);
    const CurvePoint* point = reached(*result, tolerance);
    used.push_back(static_cast<double>(result->evaluations));
    if (has_errors) evaluations.push_back(point ? static_cast<double>(point->evaluations) : kInfinity);
    if (has_errors) when.push_back(point ? point->seconds : kInfinity);
  }
  cell.reached = quartiles(std::move(evaluations));
  cell.reached_seconds = quartiles(std::move(when));
  cell.seconds = quartiles(std::move(seconds));
  cell.evaluations = quartiles(std::move(used));
}

}  // namespace

Quartiles quartiles(std::vector<double> values) {
  values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return std::isnan(v); }), values.end());
  std::sort(values.begin(), values.end());
  return {metrics::sorted_quantile(values, 0.25), metrics::sorted_quantile(values, 0.5),
          metrics::sorted_quantile(values, 0.75)};
}

const CurvePoint* reached(const MemberResult& result, double tolerance) {
  if (!result.ended_well()) return nullptr;
  const auto good = [tolerance](const CurvePoint& point) {
    return point.at.mean_error < tolerance && point.at.sd_error < tolerance;
  };
  const auto found = std::find_if(result.curve.begin(), result.curve.end(), good);
  return found == result.curve.end() ? nullptr : &*found;
}

double final_error(const MemberResult& result) {
  if (!result.has_points()) return kInfinity;
  const Measurement& at = result.final();
  return std::isnan(at.sd_error) ? at.mean_error : std::max(at.mean_error, at.sd_error);
}

std::vector<TargetSummary> summarise(const BenchOptions& options, const std::vector<FinishedMember>& members,
                                     std::vector<TargetSummary> targets) {
  for (const FinishedMember& one : members) {
    std::vector<Cell>& cells = targets[one.member.target].cells;
    const auto same = [&one](const Cell& cell) {
      return cell.method == one.member.method && cell.start_std == one.member.start_std &&
             cell.rate_factor == one.member.rate_factor;
    };
    auto cell = std::find_if(cells.begin(), cells.end(), same);
    if (cell == cells.end()) {
      cells.push_back({});
      cell = cells.end() - 1;
      cell->method = one.member.method;
      cell->start_std = one.member.start_std;
      cell->rate_factor = one.member.rate_factor;
    }
    cell->members.push_back(one.result);
  }
  for (TargetSummary& target : targets)
    for (Cell& cell : target.cells) fill(cell, options.tolerance);
  return targets;
}

}  // namespace scorevi::bench
