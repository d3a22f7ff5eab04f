#include "scorevi/variational/family.h"

namespace scorevi::variational {

void Family::save(params::StateDict& state, const params::FlatLayout& layout) const {
  for (const auto& [name, flat] : parameters()) layout.add_to(state, name, flat);
}

void Family::load(const params::StateDict& state, const params::FlatLayout& layout) {
  for (const auto& [name, flat] : parameters()) layout.read_from(state, name, flat);
}

}  // namespace scorevi::variational
