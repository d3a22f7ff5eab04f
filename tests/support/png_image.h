// Reads a PNG file for a test, by libpng.
#pragma once

#include <png.h>

#include <stdexcept>
#include <string>

#include "scorevi/io/image.h"

namespace scorevi::test {

inline io::Image read_png(const std::string& path) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0) throw std::runtime_error(path + ": " + png.message);
  png.format = PNG_FORMAT_RGB;
  io::Image image;
  image.width = png.width;
  image.height = png.height;
  image.rgb.resize(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, image.rgb.data(), 0, nullptr) == 0) {
    throw std::runtime_error(path + ": " + png.message);
  }
  return image;
}

}  // namespace scorevi::test
