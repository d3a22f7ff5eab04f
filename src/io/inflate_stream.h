// A zlib stream that inflates while it lives. Private to io.
#pragma once

#include <zlib.h>

#include <string>

#include "scorevi/core/error.h"

namespace scorevi::io {

class InflateStream {
 public:
  // `window_bits` as inflateInit2 takes them: 15 zlib, 31 gzip, -15 deflate alone. `name` stands in messages.
  InflateStream(int window_bits, const std::string& name) {
    if (inflateInit2(&stream_, window_bits) != Z_OK)
      throw Error(ErrorKind::kRuntime, name + ": zlib cannot start, out of memory");
  }
  ~InflateStream() { inflateEnd(&stream_); }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  z_stream& get() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace scorevi::io
