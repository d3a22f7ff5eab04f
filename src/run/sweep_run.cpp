// Runs the members of a sweep as child processes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

#include "file_lines.h"
#include "member_state.h"
#include "scorevi/config/document.h"
#include "scorevi/core/cores.h"
#include "scorevi/core/folder.h"
#include "scorevi/core/format.h"
#include "scorevi/core/log.h"
#include "scorevi/core/numbers.h"
#include "scorevi/core/signals.h"
#include "scorevi/run/folder_lock.h"
#include "scorevi/run/process.h"
#include "scorevi/run/run_directory.h"
#include "scorevi/run/sweep.h"

namespace scorevi::run {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSweep = "sweep";
constexpr int kShownLines = 8;

// What is wrong with members, each error once however many of them have it.
class MemberErrors {
 public:
  void add(const std::string& member, const Error& error) {
    if (members_++ == 0 || error.kind() == ErrorKind::kUsage) kind_ = error.kind();
    if (dynamic_cast<const config::ConfigError*>(&error) == nullptr) return add_text(member, error.what());
    std::istringstream lines(error.what());
    for (std::string line; std::getline(lines, line);) add_text(member, line);
  }

  void throw_if_any(const std::string& path, std::size_t all) const {
    if (entries_.empty()) return;
    std::string text = fmt::format("{}: {} of {} members cannot be trained:", path, members_, all);
    for (const Entry& entry : entries_) {
      text += "\n" + entry.text;
      if (entry.count < all)
        text += " (in " + entry.first + (entry.count > 1 ? fmt::format(" and {} more)", entry.count - 1) : ")");
    }
    throw Error(kind_, text);
  }

 private:
  struct Entry {
    std::string text, first;  // the first member that has it
    std::size_t count;
  };

  void add_text(const std::string& member, const std::string& text) {
    for (Entry& entry : entries_)
      if (entry.text == text) {
        ++entry.count;
        return;
      }
    entries_.push_back({text, member, 1});
  }

  std::vector<Entry> entries_;
  std::size_t members_ = 0;
  ErrorKind kind_ = ErrorKind::kUsage;
};

// OMP_NUM_THREADS, which everything in this program obeys; no limit where it is not a number.
int thread_limit() {
  constexpr int kNone = std::numeric_limits<int>::max();
  const char* const text = std::getenv("OMP_NUM_THREADS");
  const std::optional<std::int64_t> limit = parse_int(text == nullptr ? "" : text);
  return limit && *limit > 0 && *limit < kNone ? static_cast<int>(*limit) : kNone;
}

struct Job {
  const SweepMember* member;
  std::string folder;
  bool resume = false;
  std::int64_t console_bytes = 0;  // of earlier attempts
};

class SweepRunner {
 public:
  SweepRunner(const SweepOptions& options, const SweepRunOptions& run)
      : options_(options), run_(run), members_(expand_sweep(options)) {
    outcome_.folder = run.out.empty() ? "runs/" + options.name : run.out;
    jobs_ = job_count(run.jobs);
    threads_ = std::min(std::max(1, core_count() / jobs_), thread_limit());
  }

  SweepOutcome run() {
    const std::vector<std::string> resolved = validate();
    claim_folder(outcome_.folder, kSweep);
    const FolderLock lock(outcome_.folder, kSweep);
    plan(resolved);
    log().info("sweep {}: {} members, {} already finished, {} at once, in {}", options_.name, members_.size(),
               outcome_.skipped, std::min<std::size_t>(jobs_, queue_.size()), outcome_.folder);
    work();
    for (const auto& [member, text] : failed_) outcome_.failed.emplace_back(members_[member].id, text);
    if (outcome_.signal != 0)
      log().warn("interrupted: {} of {} members are finished; the same command goes on with the rest",
                 outcome_.finished + outcome_.skipped, members_.size());
    return outcome_;
  }

 private:
  std::vector<std::string> validate() const {
    std::vector<std::string> resolved;
    MemberErrors errors;
    for (const SweepMember& member : members_) {
      try {
        resolved.push_back(run_.validate(options_.base, member.overrides));
      } catch (const Error& error) {
        errors.add(member.id, error);
      }
    }
    errors.throw_if_any(options_.path, members_.size());
    return resolved;
  }

  void plan(const std::vector<std::string>& resolved) {
    std::string others;
    std::vector<std::pair<std::string, std::string>> replaced;  // folder, how it differs
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::string folder = outcome_.folder + "/" + members_[i].id;
      InputsNow inputs;
      if (run_.inputs) inputs = [&] { return run_.inputs(options_.base, members_[i].overrides); };
      const MemberState state = member_state(folder, resolved[i], inputs);
      if (state.kind == MemberState::kFinished) {
        ++outcome_.skipped;
        continue;
      }
      if (state.kind == MemberState::kOther) {
        if (!run_.redo) others += "\n  " + folder + ": " + state.difference;
        replaced.emplace_back(folder, state.difference);
      }
      queue_.push_back({&members_[i], folder, state.kind == MemberState::kUnfinished});
    }
    if (!others.empty())
      throw Error(
          ErrorKind::kUsage,
          outcome_.folder +
              ": holds members of another configuration, other data or weights, or damaged ones; choose another folder "
              "with --out DIR, or run them again with --redo:" +
              others);
    for (const auto& [folder, difference] : replaced) {
      log().warn("{}: runs again, {}", folder, difference);
      fs::remove_all(folder);
    }
  }

  void work() {
    ProcessPool pool;
    std::map<pid_t, Job> running;
    std::size_t next = 0;
    bool told = false;
    while (true) {
      while (pending_signal() == 0 && next < queue_.size() && static_cast<int>(pool.running()) < jobs_) {
        queue_[next].console_bytes = file_bytes(queue_[next].folder + "/" + files::kConsole);
        running.emplace(start(pool, queue_[next]), queue_[next]);
        ++next;
      }
      if (pending_signal() != 0 && !told) {
        told = true;
        outcome_.signal = pending_signal();
        if (pool.running() > 0) log().warn("stopping {} members; they save first", pool.running());
        pool.signal_all(outcome_.signal);
      }
      if (pool.running() == 0) return;
      if (const auto end = pool.wait_any(/*timeout_s=*/3600, /*stop_on_signal=*/!told)) {
        report(running.at(end->pid), *end);
        running.erase(end->pid);
      }
    }
  }

  pid_t start(ProcessPool& pool, const Job& job) const {
    make_folder(job.folder);
    ProcessOptions process;
    process.log_path = job.folder + "/" + files::kConsole;
    process.environment = {"OMP_NUM_THREADS=" + std::to_string(threads_)};
    process.arguments = {run_.program.empty() ? current_program() : run_.program, "train", options_.base};
    for (const SweepOverride& item : job.member->overrides) {
      process.arguments.push_back("-s");
      process.arguments.push_back(item.text);
    }
    process.arguments.push_back(job.resume ? "--resume" : "--out");
    process.arguments.push_back(job.folder);
    process.arguments.insert(process.arguments.end(), run_.train_arguments.begin(), run_.train_arguments.end());
    return pool.start(process);
  }

  void report(const Job& job, const ProcessEnd& end) {
    if (!end.ok() && outcome_.signal != 0) return;  // told to stop
    ++ended_;
    seconds_ += end.seconds;
    const std::string place = fmt::format("[{}/{}] {}", ended_ + outcome_.skipped, members_.size(), job.member->id);
    if (end.ok() && fs::exists(job.folder + "/" + files::kReport)) {
      ++outcome_.finished;
      log().info("{}: {} in {}{}", place, headline(job.folder), format_duration(end.seconds), remaining());
      return;
    }
    const std::string how = end.ok() ? "ended without " + std::string(files::kReport) : end.text();
    const std::string console = job.folder + "/" + files::kConsole;
    const std::string lines = last_lines(console, kShownLines, job.console_bytes);
    failed_[job.member - members_.data()] = how + "\n" + lines;
    log().error("{} failed: {}; the end of {}:\n{}", place, how, console, lines);
  }

  std::string headline(const std::string& folder) const {
    const ResultRow row = read_result(RunDirectory::open(folder), options_.metrics);
    std::string text;
    for (std::size_t i = 0; i < options_.metrics.size(); ++i) {
      const MetricStyle style = metric_style(options_.metrics[i]);
      text += fmt::format("{}{} {:.4g}", i > 0 ? ", " : "", style.title, row.values[i].value * style.scale);
    }
    return text;
  }

  std::string remaining() const {
    const int left = static_cast<int>(queue_.size()) - ended_;
    if (left == 0 || outcome_.signal != 0) return "";
    return ", " + format_duration(seconds_ / ended_ * left / std::min(jobs_, left)) + " left";
  }

  const SweepOptions& options_;
  const SweepRunOptions& run_;
  const std::vector<SweepMember> members_;
  SweepOutcome outcome_;
  std::vector<Job> queue_;
  std::map<std::size_t, std::string> failed_;  // by member, why
  int jobs_ = 1;
  int threads_ = 1;
  int ended_ = 0;
  double seconds_ = 0;
};

}  // namespace

SweepOutcome run_sweep(const SweepOptions& options, const SweepRunOptions& run) {
  return SweepRunner(options, run).run();
}

std::string sweep_variant(const std::string& run_path) {
  fs::path path = fs::absolute(run_path).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (!fs::exists(path.parent_path() / FolderLock::file_name(kSweep))) return "";
  const std::string member = path.filename().string();
  return member.substr(0, member.find("__"));
}

}  // namespace scorevi::run
