#include "posterior_file.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "scorevi/core/error.h"
#include "scorevi/core/format.h"

namespace scorevi::targets {
namespace {

using nlohmann::json;

std::string text_of(const Bound& bound) {
  const std::string kind = bound.whole ? "a whole number" : "a number";
  if (bound.above) return fmt::format("{} above {}", kind, format_double(bound.low));
  if (std::isinf(bound.low)) return kind;
  if (bound.high >= kCount.high) return fmt::format("{} of at least {}", kind, format_double(bound.low));
  return fmt::format("{} from {} to {}", kind, format_double(bound.low), format_double(bound.high));
}

bool inside(double value, const Bound& bound) {
  if (!std::isfinite(value) || value > bound.high) return false;
  if (bound.above ? value <= bound.low : value < bound.low) return false;
  return !bound.whole || value == std::floor(value);
}

std::string value_of(const json& value) {
  if (value.is_number()) return format_double(value.get<double>());
  if (value.is_string()) return fmt::format("\"{}\"", value.get<std::string>().substr(0, 60));
  return value.is_null() ? "null" : value.is_array() ? "a list" : value.is_object() ? "an object" : "true or false";
}

// One field of the file, with its name in messages.
struct Field {
  const PosteriorFile& file;
  std::string name;
  const json& value;

  [[noreturn]] void refuse(const std::string& expected) const {
    file.refuse(name, fmt::format("got {}, expected {}", value_of(value), expected));
  }

  double number(const Bound& bound) const {
    if (!value.is_number() || !inside(value.get<double>(), bound)) refuse(text_of(bound));
    return value.get<double>();
  }

  // A list of n entries of anything.
  void expect_list(int64_t n, const char* entries) const {
    if (!value.is_array()) refuse(fmt::format("a list of {} {}", n, entries));
    if (value.size() != static_cast<std::size_t>(n))
      file.refuse(name, fmt::format("got {} {}, expected {}", value.size(), entries, n));
  }

  Field entry(int64_t i) const { return {file, fmt::format("{}[{}]", name, i), value[static_cast<std::size_t>(i)]}; }

  void append(int64_t n, const Bound& bound, std::vector<double>& out) const {
    expect_list(n, "numbers");
    for (int64_t i = 0; i < n; ++i) out.push_back(entry(i).number(bound));
  }

  std::vector<double> numbers(int64_t n, const Bound& bound) const {
    std::vector<double> result;
    append(n, bound, result);
    return result;
  }

  std::vector<double> matrix(int64_t rows, int64_t columns, const Bound& bound) const {
    expect_list(rows, "rows");
    std::vector<double> result;
    for (int64_t i = 0; i < rows; ++i) entry(i).append(columns, bound, result);
    return result;
  }
};

Field field_of(const PosteriorFile& file, const json& object, const std::string& prefix, const char* name) {
  const std::string full = prefix.empty() ? name : prefix + "." + name;
  if (!object.is_object()) file.refuse(prefix, fmt::format("got {}, expected an object", value_of(object)));
  const auto found = object.find(name);
  if (found == object.end()) file.refuse(full, "missing field");
  return {file, full, *found};
}

Field data_field(const PosteriorFile& file, const json& root, const char* name) {
  return field_of(file, field_of(file, root, "", "data").value, "data", name);
}

at::Tensor tensor_of(const std::vector<double>& values) { return at::tensor(values, at::TensorOptions(at::kDouble)); }

json parse(std::string_view text, const std::string& path) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    const std::string message = error.what();
    const auto start = message.find("] ");  // behind nlohmann's own error code
    throw Error(ErrorKind::kData,
                path + ": no valid JSON: " + (start == std::string::npos ? message : message.substr(start + 2)));
  }
}

}  // namespace

PosteriorFile::PosteriorFile(std::string_view text, const std::string& path, const std::string& name)
    : path_(path), root_(parse(text, path)) {
  if (!root_.is_object())
    throw Error(ErrorKind::kData, fmt::format("{}: got {}, expected an object", path, value_of(root_)));
  const Field own = field_of(*this, root_, "", "name");
  if (!own.value.is_string() || own.value.get<std::string>() != name) own.refuse('"' + name + '"');
}

void PosteriorFile::refuse(const std::string& field, const std::string& what) const {
  throw Error(ErrorKind::kData, fmt::format("{}: {}: {}", path_, field, what));
}

int64_t PosteriorFile::count(const char* field, int64_t low, int64_t high) const {
  const Bound bound{static_cast<double>(low), static_cast<double>(high), /*above=*/false, /*whole=*/true};
  return static_cast<int64_t>(number(field, bound));
}

double PosteriorFile::number(const char* field, const Bound& bound) const {
  return data_field(*this, root_, field).number(bound);
}

std::vector<double> PosteriorFile::numbers(const char* field, int64_t n, const Bound& bound) const {
  return data_field(*this, root_, field).numbers(n, bound);
}

std::vector<double> PosteriorFile::matrix(const char* field, int64_t rows, int64_t columns, const Bound& bound) const {
  return data_field(*this, root_, field).matrix(rows, columns, bound);
}

std::vector<std::string> PosteriorFile::coordinates(int64_t dim) const {
  const Field list = field_of(*this, root_, "", "unconstrained_names");
  list.expect_list(dim, "names");
  std::vector<std::string> names;
  for (int64_t i = 0; i < dim; ++i) {
    const Field entry = list.entry(i);
    if (!entry.value.is_string()) entry.refuse("a name");
    const std::string name = entry.value.get<std::string>();
    if (std::find(names.begin(), names.end(), name) != names.end()) refuse(entry.name, "the name appears twice");
    names.push_back(name);
  }
  return names;
}

Reference PosteriorFile::reference(int64_t dim) const {
  const Field moments = field_of(*this, root_, "", "reference_unconstrained");
  const auto moment = [&](const char* name) { return field_of(*this, moments.value, moments.name, name); };
  const Field draws = field_of(*this, root_, "", "reference");
  const double n = field_of(*this, draws.value, draws.name, "n_draws").number({2, 1e9, false, /*whole=*/true});
  const Field source = field_of(*this, root_, "", "source");
  const Field origin = field_of(*this, source.value, source.name, "reference");
  if (!origin.value.is_string()) origin.refuse("a text");

  Reference reference;
  reference.mean = tensor_of(moment("mean").numbers(dim, kAnyNumber));
  reference.sd = tensor_of(moment("sd").numbers(dim, kPositive));
  reference.covariance = tensor_of(moment("cov").matrix(dim, dim, kAnyNumber)).view({dim, dim});
  reference.mean_error = reference.sd / std::sqrt(n);
  reference.sd_error = reference.sd / std::sqrt(2 * n);
  reference.source = fmt::format("{} draws, {}", format_double(n), origin.value.get<std::string>());
  return reference;
}

}  // namespace scorevi::targets
