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
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

}  // namespace

std::string read_file(const std::string& path, std::int64_t max_bytes, ErrorKind kind) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw Error(kind, path + ": cannot be read: " + errno_text(errno));
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode))
    throw Error(kind, path + ": is a folder, expected a file");

  // The size in the folder entry is no bound: pipes and /proc files say 0, a file can grow.
  const std::size_t limit = static_cast<std::size_t>(max_bytes);
  std::string text;
  if (S_ISREG(info.st_mode)) text.reserve(std::min(static_cast<std::size_t>(info.st_size), limit) + 1);
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
