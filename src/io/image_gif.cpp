// The first frame of a GIF, by giflib's row-wise interface.
#include <fmt/format.h>
#include <gif_lib.h>

#include <algorithm>
#include <cstring>

#include "image_codecs.h"
#include "scorevi/core/error.h"

namespace scorevi::io {
namespace {

constexpr std::int64_t kPixelsPerByte = 2730;  // a code of 12 bits stands for less than 4096 pixels

struct Pass {
  std::int64_t first, step;
};
constexpr Pass kInterlaced[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
constexpr Pass kInOrder[] = {{0, 1}};

int read_bytes(GifFileType* gif, GifByteType* to, int count) {
  auto& rest = *static_cast<std::string_view*>(gif->UserData);
  const std::size_t got = std::min(rest.size(), static_cast<std::size_t>(std::max(count, 0)));
  if (got > 0) std::memcpy(to, rest.data(), got);
  rest.remove_prefix(got);
  return static_cast<int>(got);
}

class GifDecoder {
 public:
  explicit GifDecoder(const Encoded& file) : file_(file), rest_(file.bytes) {
    int code = D_GIF_SUCCEEDED;
    gif_ = DGifOpen(&rest_, read_bytes, &code);
    if (gif_ == nullptr) refuse_code(code);
  }
  ~GifDecoder() {
    int ignored = D_GIF_SUCCEEDED;
    DGifCloseFile(gif_, &ignored);
  }
  GifDecoder(const GifDecoder&) = delete;
  GifDecoder& operator=(const GifDecoder&) = delete;

  // Up to the pixels of the first frame. The canvas grows, as in Pillow, where the frame leaves it.
  ImageHeader header() {
    GifRecordType record = UNDEFINED_RECORD_TYPE;
    do {
      require(DGifGetRecordType(gif_, &record));
      if (record == EXTENSION_RECORD_TYPE) skip_extension();
      if (record == TERMINATE_RECORD_TYPE) refuse(file_, "GIF without a frame");
    } while (record != IMAGE_DESC_RECORD_TYPE);
    require(DGifGetImageDesc(gif_));
    const GifImageDesc& frame = gif_->Image;
    return {"", std::max(gif_->SWidth, frame.Left + frame.Width), std::max(gif_->SHeight, frame.Top + frame.Height), 1};
  }

  // What the frame leaves free shows colour 0, as in Pillow.
  Image pixels(const ImageHeader& header) {
    Image image = black_image(header.width, header.height);
    const GifImageDesc& frame = gif_->Image;
    if (frame.Width > 0) {
      std::uint8_t* corner = image.rgb.data() + frame.Top * image.width + frame.Left;
      if (frame.Interlace) {
        for (const Pass& pass : kInterlaced) read_rows(pass, image.width, corner);
      } else {
        read_rows(kInOrder[0], image.width, corner);
      }
    }
    look_up_colours(file_, palette(), &image);
    return image;
  }

 private:
  void skip_extension() {
    int function = 0;
    GifByteType* block = nullptr;
    require(DGifGetExtension(gif_, &function, &block));
    while (block != nullptr) require(DGifGetExtensionNext(gif_, &block));
  }

  void read_rows(const Pass& pass, std::int64_t stride, std::uint8_t* corner) {
    for (std::int64_t y = pass.first; y < gif_->Image.Height; y += pass.step) {
      require(DGifGetLine(gif_, corner + y * stride, gif_->Image.Width));
    }
  }

  // The frame's table, or the file's, or greys where there is none.
  Palette palette() const {
    const ColorMapObject* map = gif_->Image.ColorMap != nullptr ? gif_->Image.ColorMap : gif_->SColorMap;
    Palette palette;
    palette.size = map == nullptr ? 256 : static_cast<std::size_t>(std::min(map->ColorCount, 256));
    for (std::size_t i = 0; i < palette.size; ++i) {
      const auto grey = static_cast<std::uint8_t>(i);
      palette.colours[i] = {grey, grey, grey};
      if (map != nullptr) palette.colours[i] = {map->Colors[i].Red, map->Colors[i].Green, map->Colors[i].Blue};
    }
    return palette;
  }

  void require(int status) const {
    if (status == GIF_ERROR) refuse_code(gif_->Error);
  }

  [[noreturn]] void refuse_code(int code) const {
    if (code == D_GIF_ERR_NOT_ENOUGH_MEM) throw Error(ErrorKind::kRuntime, file_.name + ": giflib is out of memory");
    const char* known = code == D_GIF_ERR_READ_FAILED ? nullptr : GifErrorString(code);
    const char* reason = known == nullptr ? "damaged pixel codes" : known;
    refuse(file_, fmt::format("GIF cannot be decoded: {}", rest_.empty() ? "the file is cut short" : reason));
  }

  const Encoded file_;
  std::string_view rest_;  // not yet read
  GifFileType* gif_ = nullptr;
};

}  // namespace

ImageHeader gif_header(const Encoded& file) { return GifDecoder(file).header(); }

DecodedImage decode_gif(const Encoded& file, const ImageOptions& options) {
  GifDecoder decoder(file);
  const ImageHeader header = decoder.header();
  check_size(file, header.width, header.height, options, kPixelsPerByte);
  DecodedImage decoded;
  decoded.image = decoder.pixels(header);
  return decoded;
}

}  // namespace scorevi::io
