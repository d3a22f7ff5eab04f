// Writes small idx files of the MNIST kind for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scorevi::test {

inline std::string idx_header(const std::vector<std::uint32_t>& sizes) {
  std::string out = {0, 0, 8, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(size >> shift));
  }
  return out;
}

// `count` images of 28 x 28 whose pixels all are first, first + 1, ...
inline std::string idx_images(std::uint32_t count, int first) {
  std::string out = idx_header({count, 28, 28});
  for (std::uint32_t i = 0; i < count; ++i) {
    out.append(28 * 28, static_cast<char>(first + static_cast<int>(i)));
  }
  return out;
}

// Labels 0, 1, ..., 9, 0, ...
inline std::string idx_labels(std::uint32_t count) {
  std::string out = idx_header({count});
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(static_cast<char>(i % 10));
  return out;
}

}  // namespace scorevi::test
