#include "member.h"

#include <fmt/format.h>

#include "scorevi/core/error.h"

namespace scorevi::bench {
namespace {

constexpr std::size_t kLongestId = 200;  // it names a file

}  // namespace

std::string label_of(const MethodEntry& method) { return method.label.empty() ? method.method.name : method.label; }

std::vector<Member> members_of(const BenchOptions& options, const std::vector<std::string>& names) {
  const bool study = !options.robustness.start_std.empty();
  const std::vector<double> stds = study ? options.robustness.start_std : std::vector<double>{options.start.std};
  const std::vector<double> rates = study ? options.robustness.rate_factors : std::vector<double>{1.0};
  std::vector<Member> members;
  for (std::size_t t = 0; t < options.targets.size(); ++t)
    for (std::size_t m = 0; m < options.methods.size(); ++m)
      for (const double std : stds)
        for (const double rate : rates)
          for (int64_t seed = 0; seed < options.seeds; ++seed) {
            const std::string setting = study ? fmt::format("__std={:g}__rate={:g}", std, rate) : "";
            const std::string id =
                fmt::format("{}__{}{}__seed={}", names[t], label_of(options.methods[m]), setting, seed);
            if (id.size() > kLongestId)
              throw Error(ErrorKind::kUsage, fmt::format("member {}...: its name has {} letters, expected at most {}; "
                                                         "give the target or the method a shorter label",
                                                         id.substr(0, 60), id.size(), kLongestId));
            members.push_back({id, t, m, seed, std, rate});
          }
  return members;
}

}  // namespace scorevi::bench
