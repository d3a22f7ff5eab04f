// The idx format of the MNIST family: big-endian header, then unsigned bytes in row-major order.
//   magic 00 00 08 R (R dimensions), R sizes of 4 bytes, data.  Source: Y. LeCun, MNIST web page.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

namespace scorevi::io {

// Reads a raw or gzip idx file (told by content) of element type unsigned byte.
// Returns a uint8 tensor, [N] for labels, [N, H, W] for images, any of 1..4 dimensions.
// Error kData: wrong magic, another element type, a size of 0, data shorter or longer than the
// header says (both byte counts are told).
at::Tensor read_idx(const std::string& path);

// The same for bytes in memory (not compressed); `name` stands in messages.
at::Tensor parse_idx(std::string_view bytes, const std::string& name);

// Whether the beginning of an uncompressed file has the magic of labels or images: 00 00 08 01 or 00 00 08 03.
bool begins_like_idx(std::string_view bytes);

}  // namespace scorevi::io
