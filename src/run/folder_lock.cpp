#include "folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"

namespace scorevi::run {

FolderLock::FolderLock(const std::string& folder, const std::string& who) {
  const std::string path = folder + "/." + who + ".lock";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw Error(ErrorKind::kRuntime, path + ": cannot open: " + errno_text(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(descriptor_);
  throw Error(ErrorKind::kUsage,
              folder + ": another " + who + " is at work here; wait for it or choose another folder with --out DIR");
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace scorevi::run
