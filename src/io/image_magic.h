// Which image format a file has. Private to io.
#pragma once

#include "image_codecs.h"

namespace scorevi::io {

enum class ImageFormat { kJpeg, kPng, kGif, kBmp };

// Told by the first bytes. Error kData for anything else, which says what the file is where that can
// be seen: another image format, a page or pointer saved in place of a picture, text, zeros.
ImageFormat format_of(const Encoded& file);

}  // namespace scorevi::io
