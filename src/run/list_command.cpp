#include <ostream>

#include <fmt/format.h>

#include "known_weights.h"
#include "run_info.h"
#include "scorevi/core/check.h"
#include "scorevi/core/suggest.h"
#include "scorevi/data/registry.h"
#include "scorevi/inference/registry.h"
#include "scorevi/models/registry.h"
#include "scorevi/optim/optimizer.h"
#include "scorevi/optim/schedule.h"
#include "scorevi/run/commands.h"
#include "scorevi/run/options.h"
#include "scorevi/targets/registry.h"
#include "scorevi/variational/registry.h"
#include "version.h"

namespace scorevi::run {
namespace {

void line(std::ostream& out, const std::string& name, const std::string& help) {
  out << fmt::format("{:<20}{}\n", name, help);
}

// For tables of {name, help}.
template <class Table>
void lines(std::ostream& out, const Table& table) {
  for (const auto& entry : table) line(out, entry.name, entry.help);
}

void list_models(std::ostream& out) {
  for (const auto& entry : models::networks().entries())
    line(out, entry.name, entry.help + (entry.make.options.empty() ? "" : "; takes " + join(entry.make.options)));
}

void list_targets(std::ostream& out) {
  for (const targets::TargetInfo& info : targets::targets())
    line(out, info.name, info.help + "; takes " + join(info.options));
}

void list_posteriors(std::ostream& out) {
  for (const targets::PosteriorInfo& info : targets::posteriors())
    out << fmt::format("{:<42}{:<5}{}{}\n", info.name, info.dim, info.help,
                       info.has_draws ? "" : "; no reference draws in posteriordb");
}

struct Listing {
  const char* name;
  void (*print)(std::ostream& out);
};

const std::vector<Listing>& listings() {
  static const std::vector<Listing> kTable = {
      {"models", list_models},
      {"weights",
       [](std::ostream& out) {
         for (const KnownWeights& known : known_weights())
           out << fmt::format("{:<28}{:<20}{}\n", known.name, known.model, known.source);
       }},
      {"datasets", [](std::ostream& out) { lines(out, data::datasets().entries()); }},
      {"methods",
       [](std::ostream& out) {
         for (const inference::MethodInfo& method : inference::methods())
           line(out, method.name, method.help + "; takes " + inference::describe_needs(method));
       }},
      {"optimizers", [](std::ostream& out) { lines(out, optim::optimizers()); }},
      {"schedules", [](std::ostream& out) { lines(out, optim::schedules()); }},
      {"families", [](std::ostream& out) { lines(out, variational::families()); }},
      {"targets", list_targets},
      {"posteriors", list_posteriors},
      {"keys", [](std::ostream& out) { out << key_reference_text(); }},
      {"keys-markdown", [](std::ostream& out) { out << key_reference_markdown(); }},
  };
  return kTable;
}

}  // namespace

const std::vector<std::string>& list_kinds() {
  static const std::vector<std::string> kKinds = [] {
    std::vector<std::string> names;
    for (const Listing& listing : listings()) names.emplace_back(listing.name);
    return names;
  }();
  return kKinds;
}

int list(const std::string& what, std::ostream& out) {
  for (const Listing& listing : listings()) {
    if (what != listing.name) continue;
    listing.print(out);
    return 0;
  }
  throw InternalError("list: unknown kind " + what);
}

int info(std::ostream& out) {
  const nlohmann::json environment = environment_info();
  for (auto it = environment.begin(); it != environment.end(); ++it) line(out, it.key(), it->get<std::string>());
  return 0;
}

const char* version() { return SCOREVI_VERSION; }

}  // namespace scorevi::run
