#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "guard.h"
#include "scorevi/core/check.h"
#include "scorevi/io/mat.h"
#include "support/mat_files.h"
#include "targets.h"

namespace {

using namespace scorevi;

constexpr std::size_t kHeaderBytes = 128;

// A file in memory, because matio reads nothing but files.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    SCOREVI_CHECK(::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

// A number takes at least one byte, so that there are at most as many as bytes.
void read(std::string_view bytes, std::size_t unpacked_bytes) {
  fuzz::refuse_or_read([&] {
    const MemoryFile file(bytes);
    SCOREVI_CHECK_OP(io::read_mat_integers(file.path(), "labels").size(), <=, unpacked_bytes);
  });
}

}  // namespace

// The bytes as they are; and all behind the header packed, because hardly a changed packed one would unpack.
int fuzz_mat(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::view(data, size);
  read(bytes, bytes.size() * 1100);  // what zlib makes of a byte at most
  if (bytes.size() > kHeaderBytes) {
    const std::string rest(bytes.substr(kHeaderBytes));
    read(std::string(bytes.substr(0, kHeaderBytes)) + test::mat_packed(rest), rest.size());
  }
  return 0;
}
