// PNG by libpng. All calls that can fail run under `runs_through`.
#include <csetjmp>

#include <png.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "image_bytes.h"
#include "image_codecs.h"
#include "image_exif.h"
#include "image_guard.h"
#include "scorevi/core/error.h"

namespace scorevi::io {
namespace {

constexpr std::size_t kSignatureBytes = 8;
constexpr std::size_t kChunkHeadBytes = 8;    // length, type
constexpr std::size_t kChunkExtraBytes = 12;  // and the checksum
constexpr std::size_t kHeaderChunkBytes = 13;
constexpr std::size_t kHeaderAt = kSignatureBytes + kChunkHeadBytes;  // width, height, bits per sample
constexpr std::size_t kDepthAt = kHeaderAt + 8;
constexpr std::int64_t kDeflateRatio = 1032;  // the most that deflate can shrink
constexpr std::size_t kMaxMessage = 128;

struct Progress {
  std::string_view rest;  // not yet read
  bool ended = false;     // libpng asked for more than there was
  char fatal[kMaxMessage] = "";
  std::jmp_buf jump;
};

void leave(png_structp png, png_const_charp message) {
  auto& progress = *static_cast<Progress*>(png_get_error_ptr(png));
  std::strncpy(progress.fatal, message, kMaxMessage - 1);
  std::longjmp(progress.jump, 1);
}

// What libpng only warns of does not change pixels: wrong checksums are made errors below.
void pass_over(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& progress = *static_cast<Progress*>(png_get_io_ptr(png));
  if (count > progress.rest.size()) {
    progress.ended = true;
    png_error(png, "the file is cut short");
  }
  std::memcpy(to, progress.rest.data(), count);
  progress.rest.remove_prefix(count);
}

class PngDecoder {
 public:
  explicit PngDecoder(const Encoded& file) : file_(file) {
    progress_.rest = file.bytes;
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, &progress_, leave, pass_over);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw Error(ErrorKind::kRuntime, file.name + ": libpng cannot start, out of memory");
    }
  }
  ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  // Up to the first IDAT.
  void read_header() {
    require([this] {
      png_set_read_fn(png_, &progress_, read_bytes);
      png_set_user_limits(png_, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
      png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
      // -1: every chunk but IHDR, PLTE, tRNS, IDAT and IEND is skipped, so that no text is inflated
      // and no profile or gamma is looked at.
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
      png_read_info(png_, info_);
    });
  }

  DecodedImage pixels() {
    DecodedImage decoded;
    decoded.image = black_image(png_get_image_width(png_, info_), png_get_image_height(png_, info_));
    const bool indexed = png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE;
    require([&] {
      choose_conversions(indexed);
      read_rows(indexed ? 1 : 3, &decoded.image);
    });
    if (indexed) look_up_colours(file_, palette(), &decoded.image);
    const bool closed = runs_through(progress_.jump, [this] { png_read_end(png_, nullptr); });
    if (!closed && !progress_.ended) refuse_fatal();
    if (!closed)
      decoded.warnings.push_back(file_.name + ": the picture is whole, but the file has no end chunk (IEND)");
    return decoded;
  }

 private:
  template <class Step>
  void require(const Step& step) {
    if (!runs_through(progress_.jump, step)) refuse_fatal();
  }

  [[noreturn]] void refuse_fatal() const { refuse(file_, fmt::format("PNG cannot be decoded: {}", progress_.fatal)); }

  void choose_conversions(bool indexed) {
    png_set_interlace_handling(png_);
    if (indexed) {
      png_set_packing(png_);
    } else {
      png_set_expand_gray_1_2_4_to_8(png_);
      png_set_strip_16(png_);
      png_set_strip_alpha(png_);
      png_set_gray_to_rgb(png_);
    }
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != (indexed ? 1u : 3u) * png_get_image_width(png_, info_)) {
      png_error(png_, "unexpected length of a row");
    }
  }

  void read_rows(std::int64_t channels, Image* image) {
    const int passes = png_get_interlace_type(png_, info_) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    for (int pass = 0; pass < passes; ++pass) {
      for (std::int64_t y = 0; y < image->height; ++y) {
        png_read_row(png_, image->rgb.data() + channels * image->width * y, nullptr);
      }
    }
  }

  Palette palette() {
    Palette palette;
    png_colorp colours = nullptr;
    int count = 0;
    png_get_PLTE(png_, info_, &colours, &count);
    palette.size = static_cast<std::size_t>(std::min(count, 256));
    for (std::size_t i = 0; i < palette.size; ++i) {
      palette.colours[i] = {colours[i].red, colours[i].green, colours[i].blue};
    }
    return palette;
  }

  const Encoded file_;
  Progress progress_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

// The EXIF block, which may stand before or behind the pixels; empty where there is none.
std::string_view exif_chunk(std::string_view bytes) {
  std::size_t at = kSignatureBytes;
  while (holds(bytes, at, kChunkHeadBytes)) {
    const std::size_t length = unsigned_at(bytes, at, 4, ByteOrder::kBig);
    if (!holds(bytes, at, kChunkExtraBytes + length)) break;
    if (bytes.substr(at + 4, 4) == "eXIf") return bytes.substr(at + kChunkHeadBytes, length);
    at += kChunkExtraBytes + length;
  }
  return {};
}

}  // namespace

ImageHeader png_header(const Encoded& file) {
  if (!holds(file.bytes, kHeaderAt, kHeaderChunkBytes)) refuse(file, "PNG cannot be decoded: the file is cut short");
  if (file.bytes.substr(kSignatureBytes + 4, 4) != "IHDR") {
    refuse(file, "PNG cannot be decoded: it does not begin with its header chunk (IHDR)");
  }
  return {"", unsigned_at(file.bytes, kHeaderAt, 4, ByteOrder::kBig),
          unsigned_at(file.bytes, kHeaderAt + 4, 4, ByteOrder::kBig), exif_orientation(exif_chunk(file.bytes))};
}

DecodedImage decode_png(const Encoded& file, const ImageOptions& options) {
  const ImageHeader header = png_header(file);
  const std::int64_t depth = std::max(1u, unsigned_at(file.bytes, kDepthAt, 1, ByteOrder::kBig));
  check_size(file, header.width, header.height, options, kDeflateRatio * 8 / depth);
  PngDecoder decoder(file);
  decoder.read_header();
  DecodedImage decoded = decoder.pixels();
  decoded.orientation = header.orientation;
  return decoded;
}

}  // namespace scorevi::io
