#include "scorevi/run/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"
#include "scorevi/core/folder.h"

namespace scorevi::run {

namespace {

[[noreturn]] void refuse(const std::string& folder, const std::string& who) {
  throw Error(ErrorKind::kUsage, folder + ": another " + who +
                                     " process is at work here; wait until it ends, or choose another folder with "
                                     "--out DIR");
}

}  // namespace

void claim_folder(const std::string& folder, const std::string& who) {
  namespace fs = std::filesystem;
  make_folder(folder);
  if (!fs::is_empty(folder) && !fs::exists(folder + "/" + FolderLock::file_name(who)))
    throw Error(ErrorKind::kUsage,
                folder + ": holds files that are not of a " + who + ", expected a new or empty folder");
}

FolderLock::FolderLock(const std::string& folder, const std::string& who) {
  const std::string path = folder + "/" + file_name(who);
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw Error(ErrorKind::kRuntime, path + ": cannot open: " + errno_text(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(descriptor_);
  refuse(folder, who);
}

FolderLock::~FolderLock() { ::close(descriptor_); }

void FolderLock::check_free(const std::string& folder, const std::string& who) {
  const std::string path = folder + "/" + file_name(who);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  const bool taken = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0;
  ::close(descriptor);
  if (taken) refuse(folder, who);
}

}  // namespace scorevi::run
