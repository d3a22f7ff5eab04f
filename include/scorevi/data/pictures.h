// The pictures of a data set, one per row, made when they are asked for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scorevi/data/image_input.h"
#include "scorevi/data/image_ops.h"
#include "scorevi/io/image.h"

namespace scorevi::data {

// How evaluation sees a picture: the short side becomes `resize`, the square of `size` in the middle is cut out, and a
// value is (byte / 255 - mean) / std per channel. resize = 0: the picture has `size` x `size` pixels already.
struct PictureForm {
  std::int64_t size = 224;
  std::int64_t resize = 256;
  ResizeFilter filter = ResizeFilter::kBilinear;
  std::array<double, 3> mean = kImageNetMean;
  std::array<double, 3> std = kImageNetStd;
};

// The picture at the size of the form. Error kData where resize = 0 and the size is another.
io::Image evaluation_view(const io::Image& image, const PictureForm& form, const std::string& name);

// Thread safe.
class Pictures {
 public:
  virtual ~Pictures() = default;
  virtual std::int64_t size() const = 0;
  // Error kData where the picture cannot be had.
  virtual io::Image load(std::int64_t row) const = 0;
  // For messages and tables: the path of a file, or the number of the row.
  virtual std::string name(std::int64_t row) const = 0;
  // A text that changes when the pictures do, without reading them.
  virtual std::string identity(std::int64_t row) const = 0;

  // Bytes of a set that is held in memory, so that load() decodes nothing; 0 for files.
  virtual std::int64_t held_bytes() const { return 0; }
  bool in_memory() const { return held_bytes() > 0; }

  // Of `rows`, in their order, those that cannot be had, or have another size than a form with resize = 0; reads every
  // one, on `threads` threads. Throws Interrupted when a signal is pending.
  struct Bad {
    std::int64_t row;
    std::string reason;  // with the name
  };
  virtual std::vector<Bad> bad_rows(const std::vector<std::int64_t>& /*rows*/, const PictureForm& /*form*/,
                                    int /*threads*/) const {
    return {};
  }
  // Rows that were had so far though they are damaged in part, or a grey picture stands in for them, ascending.
  struct Odd {
    std::int64_t row;
    std::string reason;  // with the name
    bool grey;
  };
  virtual std::vector<Odd> odd_rows() const { return {}; }
  // "3 files of another format than their name says, 1 damaged"; "" when nothing was odd so far.
  virtual std::string odd_text() const { return ""; }
};

enum class OnBadPicture {
  kError,       // the first file that cannot be decoded ends the run
  kSubstitute,  // a grey picture stands in; told once per file
};

struct PictureFileOptions {
  io::ExifMode exif = io::ExifMode::kIgnore;
  OnBadPicture on_bad = OnBadPicture::kError;
  bool keep_decoded = false;  // decoded pictures stay in memory: 3 bytes per pixel
  bool quiet = false;         // nothing is told: for a look at all files before they are used
};

// Files on disk. What is odd about a file (damaged in part, or another format than its name says) is told once, however
// often it is read: the first three of a kind by name, all as a number by odd_text().
class PictureFiles final : public Pictures {
 public:
  PictureFiles(std::vector<std::string> paths, const PictureFileOptions& options);
  ~PictureFiles() override;

  std::int64_t size() const override;
  io::Image load(std::int64_t row) const override;
  std::string name(std::int64_t row) const override;
  std::string identity(std::int64_t row) const override;  // folder and name of the file, its size

  std::vector<Bad> bad_rows(const std::vector<std::int64_t>& rows, const PictureForm& form, int threads) const override;
  std::vector<Odd> odd_rows() const override;
  std::string odd_text() const override;
  // Bytes of all pictures decoded, from the sizes in their headers. Files that cannot be read count as 0.
  std::int64_t decoded_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Rows of a [N, 3, H, W] uint8 buffer in memory.
class PictureArray final : public Pictures {
 public:
  PictureArray(std::shared_ptr<const std::uint8_t> values, std::int64_t rows, std::int64_t height, std::int64_t width);
  std::int64_t size() const override { return rows_; }
  std::int64_t held_bytes() const override { return rows_ * 3 * height_ * width_; }
  io::Image load(std::int64_t row) const override;
  std::string name(std::int64_t row) const override;
  std::string identity(std::int64_t row) const override;

 private:
  std::shared_ptr<const std::uint8_t> values_;
  std::int64_t rows_, height_, width_;
};

}  // namespace scorevi::data
