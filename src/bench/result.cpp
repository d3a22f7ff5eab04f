#include "result.h"

#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "json_numbers.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"

namespace scorevi::bench {
namespace {

using nlohmann::json;

json point_json(const CurvePoint& point) {
  json object = {{"evaluations", point.evaluations}, {"seconds", number_json(point.seconds)}};
  for (const MeasurementColumn& column : kMeasurementColumns) object[column.name] = number_json(point.at.*column.value);
  object["mode_shares"] = numbers_json(point.at.mode_shares);
  return object;
}

CurvePoint point_from(const json& object) {
  CurvePoint point;
  point.evaluations = object.at("evaluations").get<int64_t>();
  point.seconds = number_of(object.at("seconds"));
  for (const MeasurementColumn& column : kMeasurementColumns)
    point.at.*column.value = number_of(object.at(column.name));
  point.at.mode_shares = numbers_of(object.at("mode_shares"));
  return point;
}

void check(const MemberResult& result) {
  static const std::set<std::string> kOutcomes = {"finished", "converged", "diverged", "refused", "failed"};
  if (kOutcomes.count(result.outcome) == 0) throw std::runtime_error("unknown outcome " + result.outcome);
  if (result.evaluations < 0 || result.seconds < 0) throw std::runtime_error("negative evaluations or seconds");
  if (result.ended_well() && !result.has_points()) throw std::runtime_error("no point of a curve");
  if (result.covariance.size() != result.mean.size() * result.mean.size())
    throw std::runtime_error("covariance of another size");
}

}  // namespace

void save_result(const std::string& path, const MemberResult& result) {
  json curve = json::array();
  for (const CurvePoint& point : result.curve) curve.push_back(point_json(point));
  const json object = {{"id", result.id},
                       {"key", result.key},
                       {"outcome", result.outcome},
                       {"message", result.message},
                       {"evaluations", result.evaluations},
                       {"seconds", number_json(result.seconds)},
                       {"curve", curve},
                       {"mean", numbers_json(result.mean)},
                       {"covariance", numbers_json(result.covariance)}};
  write_file_atomic(path, object.dump() + "\n");
}

MemberResult load_result(const std::string& path) {
  try {
    const json object = json::parse(read_file(path, 64 << 20));
    MemberResult result;
    result.id = object.at("id").get<std::string>();
    result.key = object.at("key").get<std::string>();
    result.outcome = object.at("outcome").get<std::string>();
    result.message = object.at("message").get<std::string>();
    result.evaluations = object.at("evaluations").get<int64_t>();
    result.seconds = number_of(object.at("seconds"));
    for (const json& point : object.at("curve")) result.curve.push_back(point_from(point));
    result.mean = numbers_of(object.at("mean"));
    result.covariance = numbers_of(object.at("covariance"));
    check(result);
    return result;
  } catch (const std::exception& e) {
    throw Error(ErrorKind::kData, path + ": damaged, delete it or give --redo to run this member again: " + e.what());
  }
}

}  // namespace scorevi::bench
