#include "scorevi/params/state_dict.h"

#include <algorithm>
#include <optional>

#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/format.h"
#include "scorevi/core/numbers.h"

namespace scorevi::params {
namespace {

auto find_tensor(const StateDict& state, const std::string& name) {
  return std::find_if(state.tensors.begin(), state.tensors.end(),
                      [&](const auto& entry) { return entry.first == name; });
}

[[noreturn]] void bad_value(const std::string& key, const std::string& value, const char* expected) {
  throw Error(ErrorKind::kData, "state: " + key + ": got \"" + value + "\", expected " + expected);
}

}  // namespace

void StateDict::add(const std::string& name, const at::Tensor& tensor) {
  SCOREVI_CHECK(tensor.defined());
  if (has_tensor(name)) throw InternalError("state: tensor \"" + name + "\" was added twice");
  tensors.emplace_back(name, tensor);
}

const at::Tensor& StateDict::tensor(const std::string& name) const {
  const auto found = find_tensor(*this, name);
  if (found == tensors.end()) {
    throw Error(ErrorKind::kData,
                "state: tensor \"" + name + "\" is missing, got " + std::to_string(tensors.size()) + " other tensors");
  }
  return found->second;
}

bool StateDict::has_tensor(const std::string& name) const { return find_tensor(*this, name) != tensors.end(); }

void StateDict::set_int(const std::string& key, int64_t value) { metadata[key] = std::to_string(value); }

void StateDict::set_double(const std::string& key, double value) { metadata[key] = format_double(value); }

void StateDict::set_string(const std::string& key, const std::string& value) { metadata[key] = value; }

int64_t StateDict::get_int(const std::string& key) const {
  const std::string& text = get_string(key);
  const std::optional<int64_t> value = parse_int(text);
  if (!value) bad_value(key, text, "a whole number");
  return *value;
}

double StateDict::get_double(const std::string& key) const {
  const std::string& text = get_string(key);
  const std::optional<double> value = parse_double(text);
  if (!value) bad_value(key, text, "a number");
  return *value;
}

const std::string& StateDict::get_string(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw Error(ErrorKind::kData, "state: " + key + " is missing");
  return found->second;
}

}  // namespace scorevi::params
