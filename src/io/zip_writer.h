// Writes zip archives of stored entries as PyTorch expects them. Private to io.
// Source: PKWARE APPNOTE 6.3.10; torch 2.11, caffe2/serialize/inline_container.cc (alignment by an extra field).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "crc32.h"

namespace scorevi::io {

// The contents of every entry begin at a multiple of 64 bytes. ZIP64 fields are written only where a size, position or
// the number of entries needs them. Nothing is held but the directory.
class ZipWriter {
 public:
  using Sink = std::function<void(const void* data, std::size_t size_bytes)>;

  explicit ZipWriter(Sink sink) : sink_(std::move(sink)) {}

  // Preconditions: the name is new and shorter than 64 KiB, the CRC is that of the data.
  void add(const std::string& name, const void* data, std::uint64_t size, std::uint32_t crc);
  void add(const std::string& name, std::string_view data) {
    add(name, data.data(), data.size(), crc32_of(data.data(), data.size()));
  }
  // The directory and the end record; nothing may follow.
  void finish();

 private:
  void write(const void* data, std::size_t size);

  Sink sink_;
  std::uint64_t position_ = 0;
  std::uint64_t entries_ = 0;
  std::string directory_;
};

}  // namespace scorevi::io
