#include "scorevi/core/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "scorevi/core/text.h"

namespace scorevi {
namespace {

namespace fs = std::filesystem;

// Linux writes at most 2 GiB - 4 KiB at once.
constexpr std::size_t kPieceBytes = std::size_t{1} << 30;
constexpr char kSuffix[] = ".tmp";

bool is_special_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

fs::path folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// Some file systems cannot sync a folder; the rename has happened all the same.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// ".<name>.<pid>.tmp"
bool is_temporary_name(std::string_view name) {
  const std::string_view suffix(kSuffix);
  if (name.size() <= suffix.size() || name.front() != '.') return false;
  if (!ends_with(name, suffix)) return false;
  name.remove_suffix(suffix.size());
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot > 1 && is_digits(name.substr(dot + 1));
}

// A writer holds a lock on its temporary until the end; process ids alone would not do, since they
// come again (in a container often at once).
bool is_abandoned(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct stat info {};
  const bool abandoned =
      ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return abandoned;
}

}  // namespace

std::string errno_text(int error_number) { return std::generic_category().message(error_number); }

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  if (is_special_file(path)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("cannot be opened", errno);
    return;
  }
  if (fs::path(path).filename().empty() || fs::is_directory(path)) fail("cannot be written", EISDIR);
  open_temporary();
}

void AtomicFile::open_temporary() {
  const fs::path target(path_);
  temporary_ =
      (folder_of(path_) / ("." + target.filename().string() + "." + std::to_string(::getpid()) + kSuffix)).string();
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) {
    const int reason = errno;
    temporary_.clear();
    fail("cannot be created", reason);
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    descriptor_ = -1;
    temporary_.clear();
    throw Error(ErrorKind::kRuntime, path_ + ": is being written twice at the same time");
  }
  if (::ftruncate(descriptor_, 0) != 0) fail("cannot be created", errno);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (descriptor_ < 0) return;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  ::close(descriptor_);
  descriptor_ = -1;
}

void AtomicFile::fail(const std::string& what, int error_number) {
  discard();
  std::string message = path_ + ": " + what + ": " + errno_text(error_number);
  if (written_bytes_ > 0) message += " (after " + std::to_string(written_bytes_) + " bytes)";
  if (error_number == ENOENT) message += "; its folder does not exist";
  if (error_number == ENOSPC || error_number == EDQUOT)
    message += "; free some space, any previous version of the file is intact";
  throw Error(ErrorKind::kRuntime, message);
}

void AtomicFile::write(const void* data, std::size_t size_bytes) {
  const char* bytes = static_cast<const char*>(data);
  if (descriptor_ < 0) throw Error(ErrorKind::kRuntime, path_ + ": cannot be written: it is closed");
  while (size_bytes > 0) {
    const ssize_t count = ::write(descriptor_, bytes, std::min(size_bytes, kPieceBytes));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("cannot be written", count < 0 ? errno : EIO);
    bytes += count;
    size_bytes -= static_cast<std::size_t>(count);
    written_bytes_ += count;
  }
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw Error(ErrorKind::kRuntime, path_ + ": cannot be written: it is closed");
  if (!temporary_.empty()) {
    if (::fsync(descriptor_) != 0) fail("cannot be synced to disk", errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be replaced", errno);
    temporary_.clear();
    sync_folder(folder_of(path_));
  }
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 && errno != EINTR) fail("cannot be closed", errno);
}

void write_file_atomic(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::vector<std::string> remove_stale_temporaries(const std::string& folder) {
  std::vector<std::string> removed;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (is_temporary_name(name) && is_abandoned(entry.path()) && fs::remove(entry.path(), ignored))
      removed.push_back(name);
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

}  // namespace scorevi
