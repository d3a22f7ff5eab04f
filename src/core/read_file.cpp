#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/format.h"

namespace scorevi {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { ::close(value_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

int open_for_reading(const std::string& path, ErrorKind kind) {
  // Without O_NONBLOCK, opening a pipe waits for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw Error(kind, path + ": cannot be read: " + errno_text(errno));
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode)) return descriptor;
  ::close(descriptor);
  throw Error(kind, path + (S_ISDIR(info.st_mode) ? ": is a folder, expected a file"
                                                  : ": is a pipe or a device, expected a regular file"));
}

std::string read_file(const std::string& path, std::int64_t max_bytes, ErrorKind kind) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  const Descriptor file(open_for_reading(path, kind));
  struct stat info {};
  ::fstat(file.get(), &info);

  // The size in the folder entry is no bound: /proc files say 0, a file can grow.
  const std::size_t limit = static_cast<std::size_t>(max_bytes);
  std::string text;
  text.reserve(std::min(static_cast<std::size_t>(info.st_size), limit) + 1);
  while (true) {
    const std::size_t start = text.size();
    const std::size_t reserved = text.capacity() - start;
    const std::size_t piece = reserved > 0 ? std::min(reserved, kPieceBytes) : kPieceBytes;
    text.resize(start + std::min(piece, limit + 1 - start));
    const ssize_t count = ::read(file.get(), &text[start], text.size() - start);
    if (count < 0 && errno != EINTR) throw Error(kind, path + ": cannot be read: " + errno_text(errno));
    text.resize(start + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) return text;
    if (text.size() > limit) throw Error(kind, path + ": is too long, expected at most " + format_bytes(max_bytes));
  }
}

}  // namespace scorevi
