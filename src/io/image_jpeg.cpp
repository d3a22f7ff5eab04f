// JPEG by libjpeg-turbo. All calls that can fail run under `runs_through`.
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE

#include <jpeglib.h>

#include <jerror.h>

#include <fmt/format.h>

#include <algorithm>

#include "image_codecs.h"
#include "image_exif.h"
#include "image_guard.h"

namespace scorevi::io {
namespace {

constexpr std::int64_t kPixelsPerByte = 1024;  // twice a progressive grey picture of one bit per block
constexpr int kMaxScans = 100;                 // ten are common; each costs a pass over the whole picture
constexpr unsigned kMaxSegmentBytes = 0xFFFF;
constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr int kEndOfImage = 0xD9;
constexpr int kMaxPaddingBytes = 16;  // the bit reader's buffer holds 8; more was picture data
constexpr int kInkChannels = 4;

// Outcome of the calls so far. libjpeg hands the address of the base back.
struct Errors : jpeg_error_mgr {
  std::jmp_buf jump;
  char fatal[JMSG_LENGTH_MAX];
  char first_warning[JMSG_LENGTH_MAX];
  bool warned;
  bool damaged;    // a warning that pixels are missing or wrong
  bool hopeless;   // damaged before the first row of blocks was whole, with no mark behind it to go on from
  JDIMENSION row;  // delivered before the first damage
};

Errors& errors_of(j_common_ptr info) { return *static_cast<Errors*>(info->err); }

void leave(j_common_ptr info) {
  Errors& errors = errors_of(info);
  errors.format_message(info, errors.fatal);
  std::longjmp(errors.jump, 1);
}

bool means_damage(const jpeg_decompress_struct& info) {
  const auto& parameters = info.err->msg_parm.i;
  switch (info.err->msg_code) {
    case JWRN_EXTRANEOUS_DATA: {  // parameters: bytes skipped, marker that follows
      const bool in_header = info.input_scan_number == 0;
      const bool padding = parameters[1] == kEndOfImage && parameters[0] <= kMaxPaddingBytes;
      return !in_header && !padding;
    }
    case JWRN_ARITH_BAD_CODE:
    case JWRN_BOGUS_PROGRESSION:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
      return true;
    default:
      return false;
  }
}

void note(j_common_ptr common, int level) {
  if (level >= 0) return;  // a trace message
  Errors& errors = errors_of(common);
  const auto& info = *reinterpret_cast<jpeg_decompress_struct*>(common);
  const bool damage = means_damage(info);
  if (!errors.warned || (damage && !errors.damaged)) {
    errors.format_message(common, errors.first_warning);
    errors.row = info.output_scanline;
    // Of several scans the first one alone gives the whole picture, if coarsely.
    errors.hopeless = damage && info.input_scan_number == 1 && info.input_iMCU_row == 0 && info.restart_interval == 0;
  }
  errors.warned = true;
  errors.damaged = errors.damaged || damage;
}

void print_nothing(j_common_ptr) {}

void limit_scans(j_common_ptr common) {
  if (reinterpret_cast<jpeg_decompress_struct*>(common)->input_scan_number <= kMaxScans) return;
  Errors& errors = errors_of(common);
  *fmt::format_to_n(errors.fatal, sizeof(errors.fatal) - 1, "more than {} scans", kMaxScans).out = '\0';
  std::longjmp(errors.jump, 1);
}

// Pillow's product of stored (inverted) ink and black: a * b / 255, rounded.
std::uint8_t scaled(unsigned a, unsigned b) {
  const unsigned product = a * b + 128;
  return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
}

void ink_to_rgb(const std::uint8_t* ink, std::int64_t pixels, std::uint8_t* rgb) {
  for (; pixels > 0; --pixels, ink += kInkChannels) {
    for (int c = 0; c < 3; ++c) *rgb++ = scaled(ink[c], ink[3]);
  }
}

class JpegDecoder {
 public:
  explicit JpegDecoder(const Encoded& file) : file_(file) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = leave;
    errors_.emit_message = note;
    errors_.output_message = print_nothing;
    progress_.progress_monitor = limit_scans;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  ImageHeader header() {
    require([this] {
      jpeg_create_decompress(&info_);
      info_.progress = &progress_;
      jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file_.bytes.data()),
                   static_cast<unsigned long>(file_.bytes.size()));
      jpeg_save_markers(&info_, kExifMarker, kMaxSegmentBytes);
      jpeg_read_header(&info_, TRUE);
    });
    return {"", info_.image_width, info_.image_height, orientation()};
  }

  DecodedImage pixels(int reduction) {
    choose_colours();
    info_.scale_num = 1;
    info_.scale_denom = static_cast<unsigned>(reduction);
    require([this] { jpeg_start_decompress(&info_); });

    DecodedImage decoded;
    decoded.image = black_image(info_.output_width, info_.output_height);
    decoded.reduction = reduction;
    std::vector<std::uint8_t> ink;
    if (info_.out_color_space == JCS_CMYK) ink.resize(std::size_t{kInkChannels} * info_.output_width);
    const bool whole = runs_through(errors_.jump, [&] {
      read_rows(ink.data(), &decoded.image);
      jpeg_finish_decompress(&info_);
    });
    if (!whole && info_.output_scanline == 0) refuse_fatal();
    if (errors_.hopeless)
      refuse(file_,
             fmt::format("JPEG cannot be decoded: damaged before its first rows are whole: {}", errors_.first_warning));
    report(whole, &decoded);
    return decoded;
  }

 private:
  template <class Step>
  void require(const Step& step) {
    if (!runs_through(errors_.jump, step)) refuse_fatal();
  }

  [[noreturn]] void refuse_fatal() const {
    const std::string before = errors_.damaged ? fmt::format("{}, then: ", errors_.first_warning) : "";
    refuse(file_, fmt::format("JPEG cannot be decoded: {}{}", before, errors_.fatal));
  }

  int orientation() const {
    static constexpr std::string_view kMark("Exif\0\0", 6);
    for (jpeg_saved_marker_ptr marker = info_.marker_list; marker != nullptr; marker = marker->next) {
      const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
      if (marker->marker == kExifMarker && data.substr(0, kMark.size()) == kMark) {
        return exif_orientation(data.substr(kMark.size()));
      }
    }
    return 1;
  }

  void choose_colours() {
    switch (info_.jpeg_color_space) {
      case JCS_GRAYSCALE:
      case JCS_RGB:
      case JCS_YCbCr:
        info_.out_color_space = JCS_RGB;
        return;
      case JCS_CMYK:
      case JCS_YCCK:
        info_.out_color_space = JCS_CMYK;
        return;
      default:
        refuse(file_,
               fmt::format("JPEG of an unknown kind, got {} components, expected 1, 3 or 4", info_.num_components));
    }
  }

  // Holds no object with a destructor: libjpeg may leave from here.
  void read_rows(std::uint8_t* ink, Image* image) {
    const std::int64_t width = image->width;
    while (info_.output_scanline < info_.output_height) {
      std::uint8_t* to = image->rgb.data() + 3 * width * info_.output_scanline;
      JSAMPROW row = ink != nullptr ? ink : to;
      jpeg_read_scanlines(&info_, &row, 1);
      if (ink != nullptr) ink_to_rgb(ink, width, to);
    }
  }

  void report(bool whole, DecodedImage* decoded) const {
    decoded->partial = !whole || errors_.damaged;
    if (!decoded->partial && !errors_.warned) return;
    const char* reason = errors_.warned ? errors_.first_warning : errors_.fatal;
    decoded->warnings.push_back(
        decoded->partial
            ? fmt::format("{}: damaged, pixels may be missing or wrong (seen at row {} of {}): {}", file_.name,
                          errors_.warned ? errors_.row : info_.output_scanline, info_.output_height, reason)
            : fmt::format("{}: the picture is whole, but: {}", file_.name, reason));
  }

  const Encoded file_;
  jpeg_decompress_struct info_{};
  Errors errors_{};
  jpeg_progress_mgr progress_{};
};

// The largest reduction that leaves the picture as large as it has to be.
int reduction_for(const ImageHeader& header, const ImageOptions& options) {
  if (options.least_width == 0 && options.least_height == 0) return 1;
  const bool exchanged = options.exif == ExifMode::kApply && exchanges_sides(header.orientation);
  const std::int64_t least_width = exchanged ? options.least_height : options.least_width;
  const std::int64_t least_height = exchanged ? options.least_width : options.least_height;
  for (const int reduction : {8, 4, 2}) {
    const auto reduced = [reduction](std::int64_t side) { return (side + reduction - 1) / reduction; };
    if (reduced(header.width) >= least_width && reduced(header.height) >= least_height) return reduction;
  }
  return 1;
}

}  // namespace

ImageHeader jpeg_header(const Encoded& file) { return JpegDecoder(file).header(); }

DecodedImage decode_jpeg(const Encoded& file, const ImageOptions& options) {
  JpegDecoder decoder(file);
  const ImageHeader header = decoder.header();
  check_size(file, header.width, header.height, options, kPixelsPerByte);
  DecodedImage decoded = decoder.pixels(reduction_for(header, options));
  decoded.orientation = header.orientation;
  return decoded;
}

}  // namespace scorevi::io
