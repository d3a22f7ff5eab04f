// Everything a run must remember, as named tensors and named strings: what checkpoints store.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace scorevi::params {

// Tensor names are unique, in the order they were added. Flat buffers are stored per parameter as
// "<prefix>.<parameter name>" (see FlatLayout::add_to), so that a file is readable without scorevi.
// Scalars (step counts, best values, random state) go into `metadata` as text, doubles in round-trip form.
struct StateDict {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  std::map<std::string, std::string> metadata;

  void add(const std::string& name, const at::Tensor& tensor);
  // Throws Error(kData) when there is no such tensor.
  const at::Tensor& tensor(const std::string& name) const;
  bool has_tensor(const std::string& name) const;

  void set_int(const std::string& key, int64_t value);
  void set_double(const std::string& key, double value);
  void set_string(const std::string& key, const std::string& value);
  // Throw Error(kData) when the key is missing or is not such a value.
  int64_t get_int(const std::string& key) const;
  double get_double(const std::string& key) const;
  const std::string& get_string(const std::string& key) const;
};

}  // namespace scorevi::params
