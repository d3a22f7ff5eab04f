#include "scorevi/inference/registry.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scorevi/core/error.h"
#include "scorevi/core/factory.h"
#include "scorevi/core/format.h"

namespace scorevi::inference {
namespace {

const char* const kFull = "full_gaussian";

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> kTable = {
      {"psm",
       "proximal score matching (solver gradient or closed_form)",
       {"diagonal_gaussian", kFull},
       {/*exact_score=*/false, /*hessian_product=*/false, /*matrices=*/14}},
      {"advi", "reparametrised evidence lower bound", {"diagonal_gaussian", kFull}, {false, false, 5}},
      {"map", "point estimate with the same prior", {"point_mass"}, {}},
      {"fisher", "score matching through the draw, by Hessian products", {"diagonal_gaussian"}, {true, true, 0}},
      {"gsm", "Gaussian score matching, without a learning rate", {kFull}, {true, false, 5}},
      {"bam",
       "batch and match: regularised score matching in closed form",
       {kFull, "diagonal_gaussian"},
       {true, false, 8}},
  };
  return kTable;
}

const MethodInfo& find_method(const std::string& name) { return find_named(methods(), "method.name", name); }

std::string describe_needs(const MethodInfo& method) {
  std::vector<std::string> parts = {method.needs.exact_score ? "exact scores" : "mini-batch scores"};
  if (method.needs.hessian_product) parts.push_back("Hessian products");
  if (method.needs.matrices > 0)
    parts.push_back(fmt::format("{} matrices of D x D doubles ({})", method.needs.matrices, kFull));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void check_combination(const std::string& method, const std::string& family) {
  const std::vector<std::string>& families = find_method(method).families;
  if (std::find(families.begin(), families.end(), family) == families.end())
    throw Error(ErrorKind::kUsage, "posterior.family: method " + method + " cannot move this family, got \"" + family +
                                       "\", expected one of " + join(families));
}

void check_target(const std::string& method, const LogDensity& target) {
  if (find_method(method).needs.hessian_product && !target.has_hessian_product())
    throw Error(ErrorKind::kUsage, "method " + method +
                                       ": needs Hessian products, got a target that has none; use "
                                       "another method");
}

double matrix_bytes(const std::string& method, const std::string& family, int64_t dim) {
  if (family != kFull) return 0;
  const auto size = static_cast<double>(dim);
  return static_cast<double>(find_method(method).needs.matrices) * size * size * sizeof(double);
}

void check_matrices(const std::string& method, const std::string& family, int64_t dim, int64_t free) {
  const double need = matrix_bytes(method, family, dim);
  if (free < 0 || need <= static_cast<double>(free)) return;
  constexpr double kLargest = 9e18;
  throw Error(ErrorKind::kRuntime,
              fmt::format("method {}: needs about {} for {} matrices of D x D doubles (D = {}), got {} free; use "
                          "posterior.family diagonal_gaussian where the method has it",
                          method, format_bytes(static_cast<int64_t>(std::min(need, kLargest))),
                          find_method(method).needs.matrices, dim, format_bytes(free)));
}

}  // namespace scorevi::inference
