#include "guard.h"
#include "scorevi/core/check.h"
#include "scorevi/io/gzip.h"
#include "scorevi/io/idx.h"
#include "targets.h"

// A tensor that is read holds exactly the bytes after the header.
int fuzz_idx(const std::uint8_t* data, std::size_t size) {
  using namespace scorevi;
  return fuzz::refuse_or_read([&] {
    const std::string_view bytes = fuzz::view(data, size);
    const bool packed = io::is_gzip(bytes);
    const std::string unpacked = packed ? io::gunzip(bytes, "fuzz", std::size_t{1} << 20) : "";
    const std::string_view raw = packed ? unpacked : bytes;
    const at::Tensor tensor = io::parse_idx(raw, "fuzz");
    SCOREVI_CHECK(tensor.numel() > 0);
    SCOREVI_CHECK_OP(static_cast<std::size_t>(tensor.numel() + 4 + 4 * tensor.dim()), ==, raw.size());
  });
}
