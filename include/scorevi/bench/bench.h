// `scorevi bench`: inference methods against targets with known answers, at equal numbers of score evaluations.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace scorevi::bench {

struct BenchRequest {
  std::string config;
  std::vector<std::string> overrides;  // "key.path=value"
  std::string out;                     // folder of the results; "" = runs/<name>
  int jobs = 0;                        // members at the same time, 0 = one per core, at most 8
  bool redo = false;                   // members made with another configuration are made again
  bool check_only = false;             // only read the file and make its targets
};

// Runs every target x method x seed (x rate x starting sigma of a robustness study) that is not finished yet and writes
// table.md, results.csv, curves.csv, report.html and figures/*.svg. Finished members are kept in members/*.json, so an
// interrupted bench goes on where it was. Returns the exit code: 1 where a member failed by something else than
// numerical trouble, which is a result. Throws config::ConfigError and Error.
int run_bench(const BenchRequest& request, std::ostream& out);

// The keys of a bench file: as a Markdown table.
std::string bench_key_reference_markdown();

}  // namespace scorevi::bench
