// Small picture files with something to learn: classes differ in colour.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "temp_dir.h"

namespace scorevi::test {

// A 24-bit BMP; `rgb` gives the three bytes of pixel (x, y).
template <class Colour>
std::string bmp_bytes(int width, int height, const Colour& rgb) {
  const auto number = [](std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFF);
    return text;
  };
  const int line = (3 * width + 3) / 4 * 4;
  const auto size = static_cast<std::uint32_t>(54 + line * height);
  std::string bytes = "BM" + number(size, 4) + number(0, 4) + number(54, 4);
  bytes += number(40, 4) + number(static_cast<std::uint32_t>(width), 4) + number(static_cast<std::uint32_t>(height), 4);
  bytes += number(1, 2) + number(24, 2) + std::string(24, '\0');
  for (int y = height - 1; y >= 0; --y) {
    std::string row;
    for (int x = 0; x < width; ++x) {
      const std::vector<int> colour = rgb(x, y);
      for (int channel = 2; channel >= 0; --channel)
        row += static_cast<char>(colour[static_cast<std::size_t>(channel)]);
    }
    bytes += row + std::string(static_cast<std::size_t>(line) - row.size(), '\0');
  }
  return bytes;
}

// <name>/<class>/<number>.bmp for the classes amber, blue and coral, `count` pictures of about 40 x 36 pixels in each.
inline void write_picture_folder(const TempDir& folder, const std::string& name, int count) {
  const std::vector<std::pair<const char*, std::vector<int>>> classes = {
      {"amber", {200, 160, 40}}, {"blue", {40, 60, 190}}, {"coral", {220, 90, 80}}};
  std::uint32_t state = 1;
  for (const auto& [label, colour] : classes)
    for (int i = 0; i < count; ++i)
      folder.write(name + "/" + label + "/" + std::to_string(i) + ".bmp",
                   bmp_bytes(40 + i % 3, 36 + i % 5, [&, base = colour](int, int) {
                     std::vector<int> pixel;
                     for (const int value : base) {
                       state = state * 1664525 + 1013904223;
                       pixel.push_back(std::min(255, std::max(0, value + static_cast<int>(state >> 24) / 2 - 64)));
                     }
                     return pixel;
                   }));
}

}  // namespace scorevi::test
