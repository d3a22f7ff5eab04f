#include "stored_run.h"

#include <filesystem>

#include "scorevi/core/error.h"
#include "scorevi/io/checkpoint.h"

namespace scorevi::run {
namespace {

void check_owner(const RunDirectory& directory, const std::string& path, const params::StateDict& checkpoint) {
  const auto found = checkpoint.metadata.find(kRunIdKey);
  const std::string owner = found == checkpoint.metadata.end() ? "(unnamed)" : found->second, own = directory.id();
  if (owner != own)
    throw Error(ErrorKind::kData, path + ": belongs to run " + owner + ", expected a checkpoint of run " + own +
                                      " (\"id\" in " + directory.file(files::kRun) + ")");
}

std::string advice(const RunDirectory& directory, const std::string& file) {
  const std::string copy = "\n  put back a copy of the run's own file";
  if (file == files::kBest) return copy + ", or delete it: the last weights are used then";
  const std::string again = copy + ", or delete the folder and train again";
  if (!directory.has(files::kBest)) return again;
  return again + "; the best weights can be had with: scorevi evaluate " + directory.path() +
         " -s evaluate.checkpoint=best";
}

}  // namespace

LoadedOptions load_run_options(const RunDirectory& directory, const std::vector<std::string>& overrides) {
  return load_options_text(directory.resolved(), directory.file(files::kResolved), overrides);
}

params::StateDict load_run_checkpoint(const RunDirectory& directory, const std::string& file,
                                      const std::vector<std::string>& prefixes) {
  const std::string path = directory.file(file);
  try {
    params::StateDict checkpoint = io::load_checkpoint(path, prefixes);
    check_owner(directory, path, checkpoint);
    return checkpoint;
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, e.what() + advice(directory, file));
  }
}

std::optional<RunDirectory> run_of_checkpoint(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::weakly_canonical(path).parent_path().parent_path();
  if (!fs::exists(folder / files::kRun)) return std::nullopt;
  return RunDirectory::open(folder.string());
}

}  // namespace scorevi::run
