#include "member_state.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "config_diff.h"
#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/run/run_directory.h"
#include "scorevi/run/table.h"
#include "stored_run.h"

namespace scorevi::run {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxConfigBytes = 1 << 20;

// "optimizer.lr: 0.01, now 0.001", the first few.
std::string difference_text(const std::string& before, const std::string& now) {
  constexpr std::size_t kShown = 3;
  const std::vector<ConfigDifference> all = config_differences(before, now);
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kShown); ++i)
    text += (i > 0 ? "; " : "") + all[i].key + ": " + all[i].before + ", now " + all[i].after;
  if (all.size() > kShown) text += fmt::format("; and {} more", all.size() - kShown);
  return all.empty() ? "the text of " + std::string(files::kResolved) + " differs" : text;
}

// How data and first weights of a member differ from those at hand; "" where they do not, or nobody knows.
std::string inputs_difference(const RunDirectory& directory, const InputsNow& inputs) {
  constexpr std::size_t kDigits = 12;
  const MemberInputs before = {directory.data_sha256(), directory.weights_sha256()};
  if (!inputs || (before.data.empty() && before.weights.empty())) return "";
  const MemberInputs now = inputs();
  const auto difference = [](const char* name, const std::string& then, const std::string& today) {
    return then.empty() || today.empty() || then == today
               ? ""
               : fmt::format("{}: SHA-256 {}..., now {}...", name, then.substr(0, kDigits), today.substr(0, kDigits));
  };
  const std::string data = difference("data", before.data, now.data);
  return data.empty() ? difference("model.weights", before.weights, now.weights) : data;
}

MemberState other(const std::string& difference) { return {MemberState::kOther, difference}; }

// Error(kData) where something is damaged.
MemberState readable_state(const std::string& path, const std::string& resolved, const InputsNow& inputs) {
  const auto has = [&path](const char* file) { return fs::exists(path + "/" + file); };
  const bool has_results = has(files::kLast) || has(files::kReport);
  if (!has(files::kRun)) {
    if (has_results) return other("it has results, and no " + std::string(files::kRun));
    if (fs::exists(path) && !fs::is_directory(path)) return other("it is a file");
    return {MemberState::kFresh, ""};
  }
  const RunDirectory directory = RunDirectory::open(path);
  const bool finished = directory.has_result();
  if (!finished && !has_results) return {MemberState::kFresh, ""};
  if (!directory.has(files::kResolved)) return other("it has no " + std::string(files::kResolved));
  const std::string stored = read_file(directory.file(files::kResolved), kMaxConfigBytes);
  const std::string difference =
      stored == resolved ? inputs_difference(directory, inputs) : difference_text(stored, resolved);
  if (!difference.empty()) return other(difference);
  if (finished)
    read_result(directory, {"nll"});
  else
    load_run_checkpoint(directory, files::kLast, {"run."});
  return {finished ? MemberState::kFinished : MemberState::kUnfinished, ""};
}

}  // namespace

MemberState member_state(const std::string& path, const std::string& resolved, const InputsNow& inputs) {
  try {
    return readable_state(path, resolved, inputs);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    return other(error.what());
  }
}

}  // namespace scorevi::run
