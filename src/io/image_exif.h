// The EXIF orientation. Private to io.
#pragma once

#include <string_view>

#include "scorevi/io/image.h"

namespace scorevi::io {

// The orientation (tag 0x0112 of IFD0, SHORT or LONG) in an EXIF block that begins with its TIFF
// header; 1 where there is none, where it is not 1 to 8, or where the block is damaged. Only IFD0 is
// read: IFD1 describes the thumbnail.  Source: Exif 2.3, 4.6.
int exif_orientation(std::string_view tiff);

// True where the upright picture has width and height exchanged.
inline bool exchanges_sides(int orientation) { return orientation >= 5; }

// The picture upright. Precondition: 1 <= orientation <= 8.
Image upright(Image stored, int orientation);

}  // namespace scorevi::io
