#include "byte_source.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/error.h"

namespace scorevi::io {
namespace {

constexpr std::uint64_t kMaxReadBytes = std::uint64_t{1} << 30;  // one system call

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : path_(path), descriptor_(open_for_reading(path)) {
    struct stat status {};
    ::fstat(descriptor_, &status);
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~FileSource() override { ::close(descriptor_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::uint64_t size() const override { return size_; }

  void read(std::uint64_t offset, std::uint64_t count, void* out) const override {
    char* to = static_cast<char*>(out);
    while (count > 0) {
      const ssize_t got = ::pread(descriptor_, to, std::min(count, kMaxReadBytes), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("cannot be read: " + errno_text(errno));
      if (got == 0) fail(fmt::format("ends at byte {}, expected {} bytes", offset, size_));
      to += got;
      offset += static_cast<std::uint64_t>(got);
      count -= static_cast<std::uint64_t>(got);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(ErrorKind::kData, path_ + ": " + what); }

  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::uint64_t count, void* out) const override {
    if (count > 0) std::memcpy(out, bytes_.data() + offset, count);
  }

 private:
  std::string_view bytes_;
};

class OwnedSource final : public ByteSource {
 public:
  explicit OwnedSource(std::string bytes) : bytes_(std::move(bytes)), view_(bytes_) {}
  std::uint64_t size() const override { return view_.size(); }
  void read(std::uint64_t offset, std::uint64_t count, void* out) const override { view_.read(offset, count, out); }

 private:
  std::string bytes_;
  MemorySource view_;
};

}  // namespace

std::shared_ptr<const ByteSource> file_source(const std::string& path) { return std::make_shared<FileSource>(path); }

std::shared_ptr<const ByteSource> memory_source(std::string_view bytes) {
  return std::make_shared<MemorySource>(bytes);
}

std::shared_ptr<const ByteSource> owned_source(std::string bytes) {
  return std::make_shared<OwnedSource>(std::move(bytes));
}

}  // namespace scorevi::io
