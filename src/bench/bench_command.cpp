#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <ostream>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "options.h"
#include "reference.h"
#include "report.h"
#include "result.h"
#include "run_member.h"
#include "scorevi/bench/bench.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/cores.h"
#include "scorevi/core/error.h"
#include "scorevi/core/folder.h"
#include "scorevi/core/log.h"
#include "scorevi/core/sha256.h"
#include "scorevi/core/signals.h"
#include "scorevi/run/folder_lock.h"

namespace scorevi::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBench = "bench";

struct PreparedTarget {
  targets::KnownTarget known;
  bool sampled = false;  // the answer; else it is in closed form or by reference draws
  std::unique_ptr<Truth> truth;
};

// The targets of the file under their names. Error(kUsage) naming the entry.
std::vector<PreparedTarget> make_targets(const BenchOptions& options) {
  std::vector<PreparedTarget> made;
  for (std::size_t i = 0; i < options.targets.size(); ++i) {
    const std::string where = fmt::format("targets.{}: ", i);
    try {
      targets::KnownTarget known = make_target(options.targets[i]);
      const bool sampled = !known.reference.mean.defined() && !known.sample;
      made.push_back({std::move(known), sampled, nullptr});
    } catch (const Error& error) {
      throw Error(error.kind(), where + error.what());
    }
    for (std::size_t j = 0; j < i; ++j)
      if (made[j].known.name == made[i].known.name)
        throw Error(ErrorKind::kUsage, where + "another target is named \"" + made[i].known.name +
                                           "\" too, expected a label that differs");
  }
  return made;
}

// "posteriordb, 10,000 draws; its own errors: mean 0.03, sd 0.02": in the units of the tables.
std::string reference_text(const targets::Reference& reference) {
  if (!reference.mean_error.defined() || !reference.sd.defined()) return reference.source;
  return fmt::format("{}; its own errors: mean {:.2g}, sd {:.2g}", reference.source,
                     (reference.mean_error / reference.sd).norm().item<double>(),
                     (reference.sd_error / reference.sd).norm().item<double>());
}

std::string file_of(const std::string& folder, const Member& member) {
  return folder + "/members/" + member.id + ".json";
}

// Everything of a bench at work.
class Bench {
 public:
  Bench(const LoadedBench& loaded, const BenchRequest& request, std::string folder)
      : options_(loaded.options), request_(request), folder_(std::move(folder)) {
    make_folder(folder_ + "/members");
    for (const char* place : {"", "/members", "/references", "/figures"}) remove_stale_temporaries(folder_ + place);
    prepared_ = make_targets(options_);
    std::vector<std::string> names;
    for (const PreparedTarget& target : prepared_) names.push_back(target.known.name);
    members_ = members_of(options_, names);
    results_.resize(members_.size());
    keep_finished();
    tell_begin();
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
      PreparedTarget& target = prepared_[i];
      if (target.sampled) sample_reference(target, options_.targets[i]);
      if (has_open_member(i)) target.truth = truth_of(target.known);
    }
  }

  // Makes what is missing.
  void run() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (results_[i].id.empty()) open.push_back(i);
    std::atomic<std::size_t> next{0}, done{0};
    const auto work = [&] {
      at::set_num_threads(1);  // no result depends on how many members run at once
      for (std::size_t i = next++; i < open.size() && pending_signal() == 0 && !gave_up_; i = next++)
        if (make(open[i])) tell(results_[open[i]], ++done, open.size());
    };
    std::vector<std::thread> workers;
    const std::size_t jobs = std::min<std::size_t>(job_count(request_.jobs), open.size());
    for (std::size_t i = 0; i < jobs; ++i) workers.emplace_back(work);
    for (std::thread& worker : workers) worker.join();
    if (failure_) std::rethrow_exception(failure_);
    stop_if_signalled();
  }

  std::vector<TargetSummary> summary() {
    std::vector<TargetSummary> targets;
    for (PreparedTarget& prepared : prepared_) {
      targets::KnownTarget& known = prepared.known;
      TargetSummary target;
      target.name = known.name;
      target.reference = reference_text(known.reference);
      target.target = &known;
      if (known.mode_weights.defined()) {
        const auto* weights = known.mode_weights.const_data_ptr<double>();
        target.mode_weights.assign(weights, weights + known.mode_weights.numel());
      }
      targets.push_back(std::move(target));
    }
    std::vector<FinishedMember> finished;
    for (std::size_t i = 0; i < members_.size(); ++i) finished.push_back({members_[i], &results_[i]});
    return summarise(options_, finished, std::move(targets));
  }

  int64_t failed() const {
    return std::count_if(results_.begin(), results_.end(), [](const MemberResult& r) { return r.outcome == "failed"; });
  }

 private:
  // A target whose answer cannot be found is measured without one.
  void sample_reference(PreparedTarget& target, const TargetEntry& entry) const {
    try {
      find_reference(options_.reference, entry, folder_, target.known);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kData) throw;  // a damaged file
      target.known.reference.source = std::string("none, sampling it failed: ") + error.what();
      log().warn("{}: {}", target.known.name, target.known.reference.source);
    }
  }

  // What the result of a member depends on.
  std::string key_of(const Member& member) const {
    BenchOptions alone = options_;
    alone.name = "bench";
    alone.seeds = 1;
    alone.tolerance = 1;
    alone.start.std = 1;  // the member's stands below
    alone.robustness = {};
    if (!prepared_[member.target].sampled) alone.reference = {};
    alone.targets = {options_.targets[member.target]};
    alone.targets[0].target.data_root.clear();  // the data are in the fingerprint
    alone.methods = {options_.methods[member.method]};
    Sha256 hash;
    hash.update(resolved_text(alone) + fmt::format("{} {} {}", member.seed, member.start_std, member.rate_factor) +
                prepared_[member.target].known.fingerprint);
    return hash.hex().substr(0, 16);
  }

  // Nothing for a damaged file that shall be made again.
  std::optional<MemberResult> kept_result(const std::string& file) const {
    try {
      return load_result(file);
    } catch (const Error& error) {
      if (!request_.redo) throw;
      log().warn("{}", error.what());
      return std::nullopt;
    }
  }

  void keep_finished() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::string file = file_of(folder_, members_[i]);
      if (!fs::exists(file)) continue;
      std::optional<MemberResult> result = kept_result(file);
      if (!result) continue;
      if (result->key == key_of(members_[i])) {
        if (result->outcome != "failed") results_[i] = std::move(*result);
      } else if (!request_.redo) {
        throw Error(ErrorKind::kUsage,
                    file +
                        ": was made with another configuration or other data, expected another --out, or "
                        "--redo to make it again");
      }
    }
  }

  void tell_begin() const {
    const auto finished =
        std::count_if(results_.begin(), results_.end(), [](const MemberResult& result) { return !result.id.empty(); });
    log().info("bench {}: {} members, {} already finished, in {}", options_.name, members_.size(), finished, folder_);
  }

  bool has_open_member(std::size_t target) const {
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (members_[i].target == target && results_[i].id.empty()) return true;
    return false;
  }

  static std::unique_ptr<Truth> truth_of(targets::KnownTarget& known) {
    if (known.sample && !known.reference.gaussian) log().info("{}: drawing from it for its own answer", known.name);
    try {
      return std::make_unique<Truth>(known);
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      throw Error(ErrorKind::kNumerical, known.name + ": its answer cannot be computed: " + error.what());
    }
  }

  // False where a signal ended it.
  bool make(std::size_t index) {
    const Member& member = members_[index];
    try {
      MemberResult result = run_member(options_, member, *prepared_[member.target].truth);
      result.key = key_of(member);
      save_result(file_of(folder_, member), result);
      results_[index] = std::move(result);
      return true;
    } catch (const Interrupted&) {
      return false;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      gave_up_ = true;  // results cannot be saved
      return false;
    }
  }

  static void tell(const MemberResult& result, std::size_t done, std::size_t all) {
    const Measurement at = result.has_points() ? result.final() : Measurement{};
    log().info("[{}/{}] {}: {}, mean error {:.3g}, sd error {:.3g}, {} evaluations in {:.2f} s{}", done, all, result.id,
               result.outcome, at.mean_error, at.sd_error, result.evaluations, result.seconds,
               result.message.empty() ? "" : ": " + result.message);
  }

  BenchOptions options_;
  const BenchRequest& request_;
  std::string folder_;
  std::vector<PreparedTarget> prepared_;
  std::vector<Member> members_;
  std::vector<MemberResult> results_;  // no id: not finished
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::atomic<bool> gave_up_{false};
};

std::string check_text(const BenchOptions& options) {
  std::string text;
  std::vector<std::string> names;
  for (const PreparedTarget& target : make_targets(options)) {
    const targets::KnownTarget& known = target.known;
    names.push_back(known.name);
    text += fmt::format("{}: D = {}, {}\n", known.name, known.density->dim(),
                        target.sampled ? "an answer has to be sampled" : reference_text(known.reference));
  }
  return text + fmt::format("{} targets x {} methods: {} members\n", names.size(), options.methods.size(),
                            members_of(options, names).size());
}

}  // namespace

int run_bench(const BenchRequest& request, std::ostream& out) {
  install_signal_handlers();
  const LoadedBench loaded = load_bench(request.config, request.overrides);
  if (request.check_only) {
    out << check_text(loaded.options);
    return 0;
  }
  const std::string folder = request.out.empty() ? "runs/" + loaded.options.name : request.out;
  run::claim_folder(folder, kBench);
  const run::FolderLock lock(folder, kBench);
  std::unique_ptr<Bench> bench;
  try {
    bench = std::make_unique<Bench>(loaded, request, folder);
    bench->run();
  } catch (const Interrupted&) {
    log().warn("interrupted; the same command goes on where it stopped");
    return 128 + pending_signal();
  }
  const std::vector<TargetSummary> summary = bench->summary();
  write_report(loaded.options, loaded.resolved, summary, folder);
  out << tables_markdown(loaded.options, summary) << "\nreport: " << folder << "/report.html\n";
  return bench->failed() > 0 ? 1 : 0;
}

}  // namespace scorevi::bench
