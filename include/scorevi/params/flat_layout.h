// How the parameters of a network lie in one flat vector theta of D numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "scorevi/params/state_dict.h"

namespace scorevi::params {

struct FlatEntry {
  std::string name;  // the network's own parameter name, for example "fc1.weight"
  std::vector<int64_t> shape;
  int64_t offset = 0;  // of its first element in theta
  int64_t numel = 0;
};

// A consecutive range of theta whose elements share a setting.
struct Range {
  int64_t begin = 0, end = 0;
};

// Entries follow each other without gaps in the order of named_parameters().
class FlatLayout {
 public:
  FlatLayout() = default;
  // One entry called "theta" of n elements: the layout of an analytic density.
  static FlatLayout single(int64_t n);

  void append(const std::string& name, std::vector<int64_t> shape);
  // The layout of a matrix [D, D] whose rows belong to the elements of theta: every entry with the shape [numel, D].
  FlatLayout matrix_rows() const;

  int64_t dim() const { return dim_; }
  const std::vector<FlatEntry>& entries() const { return entries_; }
  // The entry that holds element `index`, and a readable "name[i,j]" of that element.
  const FlatEntry& entry_at(int64_t index) const;
  std::string element_name(int64_t index) const;
  // The part of a flat buffer that belongs to an entry, as a view in the entry's shape.
  at::Tensor view(const at::Tensor& flat, const FlatEntry& entry) const;

  // Stores the flat buffer as views named "<prefix>.<name>", and reads them back into it.
  // read_from checks names and shapes and throws Error(kData) naming the first that does not fit.
  void add_to(StateDict& state, const std::string& prefix, const at::Tensor& flat) const;
  void read_from(const StateDict& state, const std::string& prefix, at::Tensor flat) const;

 private:
  std::vector<FlatEntry> entries_;
  int64_t dim_ = 0;
};

// Settings by parameter name: every entry takes the setting of the first pattern (glob, * matches any text) that
// fits its name, else -1. Neighbouring entries with the same setting are merged.
// A pattern that fits no entry is Error(kUsage) with a suggestion, unless an earlier pattern took all its entries.
struct GroupRange : Range {
  int group = -1;  // index of the pattern, -1 = none fits
};
std::vector<GroupRange> group_ranges(const FlatLayout& layout, const std::vector<std::string>& patterns,
                                     const std::string& what);

}  // namespace scorevi::params
