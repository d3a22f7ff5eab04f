#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "picture_parts.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"
#include "scorevi/core/log.h"
#include "scorevi/core/signals.h"
#include "scorevi/data/pictures.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

enum class Oddity { kMisnamed, kDamaged, kSubstituted };
constexpr std::size_t kOddities = 3;
constexpr std::int64_t kNamed = 3;            // files of a kind that are told by name
constexpr std::int64_t kSubstituteSide = 64;  // pixels of the grey picture
constexpr std::uint8_t kGrey = 128;

const char* text_of(Oddity oddity) {
  switch (oddity) {
    case Oddity::kMisnamed:
      return "of another format than the name says";
    case Oddity::kDamaged:
      return "damaged in part";
    case Oddity::kSubstituted:
      return "unreadable, a grey picture stands in";
  }
  return "";
}

io::Image grey_picture() {
  io::Image image;
  image.width = image.height = kSubstituteSide;
  image.rgb.assign(static_cast<std::size_t>(3 * kSubstituteSide * kSubstituteSide), kGrey);
  return image;
}

}  // namespace

struct PictureFiles::State {
  std::vector<std::string> paths;
  PictureFileOptions options;
  std::mutex mutex;
  std::vector<std::array<bool, kOddities>> told;       // per row
  std::array<std::int64_t, kOddities> counts = {};     // files
  std::map<std::int64_t, Odd> odd;                     // by row
  std::vector<std::shared_ptr<const io::Image>> kept;  // per row, where decoded pictures are kept

  void tell(std::int64_t row, Oddity oddity, const std::string& message) {
    const auto kind = static_cast<std::size_t>(oddity);
    const std::lock_guard<std::mutex> lock(mutex);
    bool& known = told[static_cast<std::size_t>(row)][kind];
    if (known) return;
    known = true;
    if (++counts[kind] <= kNamed && !options.quiet) log().warn("{}", message);
  }

  void note_odd(std::int64_t row, const std::string& message, bool grey) {
    const std::lock_guard<std::mutex> lock(mutex);
    odd.emplace(row, Odd{row, message, grey});
  }

  std::shared_ptr<const io::Image> find(std::int64_t row) {
    if (!options.keep_decoded) return nullptr;
    const std::lock_guard<std::mutex> lock(mutex);
    return kept[static_cast<std::size_t>(row)];
  }

  void keep(std::int64_t row, const io::Image& image) {
    if (!options.keep_decoded) return;
    auto copy = std::make_shared<const io::Image>(image);
    const std::lock_guard<std::mutex> lock(mutex);
    kept[static_cast<std::size_t>(row)] = std::move(copy);
  }

  io::Image decode(std::int64_t row) {
    const std::string& path = paths[static_cast<std::size_t>(row)];
    io::ImageOptions image_options;
    image_options.exif = options.exif;
    io::DecodedImage decoded = io::read_image(path, image_options);
    for (const std::string& warning : decoded.warnings) {
      tell(row, Oddity::kDamaged, warning);
      if (decoded.partial) note_odd(row, warning, /*grey=*/false);
    }
    const std::string_view promised = io::format_of_name(path);
    if (!promised.empty() && promised != decoded.format)
      tell(row, Oddity::kMisnamed, path + ": is a " + decoded.format + " file, read as such");
    return std::move(decoded.image);
  }
};

PictureFiles::PictureFiles(std::vector<std::string> paths, const PictureFileOptions& options)
    : state_(std::make_unique<State>()) {
  state_->paths = std::move(paths);
  state_->options = options;
  state_->told.resize(state_->paths.size());
  if (options.keep_decoded) state_->kept.resize(state_->paths.size());
}

PictureFiles::~PictureFiles() = default;

std::int64_t PictureFiles::size() const { return static_cast<std::int64_t>(state_->paths.size()); }

std::string PictureFiles::name(std::int64_t row) const { return state_->paths[static_cast<std::size_t>(row)]; }

std::string PictureFiles::identity(std::int64_t row) const {
  const fs::path path = name(row);
  std::error_code code;
  const std::uintmax_t bytes = fs::file_size(path, code);
  return path.parent_path().filename().string() + "/" + path.filename().string() + ":" +
         std::to_string(code ? 0 : bytes);
}

io::Image PictureFiles::load(std::int64_t row) const {
  SCOREVI_CHECK(row >= 0 && row < size());
  if (const auto kept = state_->find(row)) return *kept;
  io::Image image;
  try {
    image = state_->decode(row);
  } catch (const Error& error) {
    if (state_->options.on_bad != OnBadPicture::kSubstitute || error.kind() != ErrorKind::kData) throw;
    state_->tell(row, Oddity::kSubstituted, std::string(error.what()) + "; a grey picture stands in");
    state_->note_odd(row, error.what(), /*grey=*/true);
    image = grey_picture();
  }
  state_->keep(row, image);
  return image;
}

std::vector<Pictures::Bad> PictureFiles::bad_rows(const std::vector<std::int64_t>& rows, const PictureForm& form,
                                                  int threads) const {
  std::atomic<std::size_t> next{0};
  std::vector<std::string> reasons(rows.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < rows.size() && pending_signal() == 0; i = next++) {
      try {
        const io::Image image = state_->decode(rows[i]);
        if (form.resize == 0) evaluation_view(image, form, name(rows[i]));
        state_->keep(rows[i], image);
      } catch (const std::exception& error) {  // nothing may leave a thread
        reasons[i] = error.what();
      }
    }
  };
  std::vector<std::thread> workers;
  for (int i = 1; i < threads; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  stop_if_signalled();
  std::vector<Bad> bad;
  for (std::size_t i = 0; i < reasons.size(); ++i)
    if (!reasons[i].empty()) bad.push_back({rows[i], reasons[i]});
  return bad;
}

std::vector<Pictures::Odd> PictureFiles::odd_rows() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::vector<Odd> rows;
  for (const auto& [row, odd] : state_->odd) rows.push_back(odd);
  return rows;
}

std::int64_t PictureFiles::decoded_bytes() const {
  std::int64_t bytes = 0;
  for (const std::string& path : state_->paths) {
    try {
      const io::ImageHeader header = io::read_image_header(path);
      bytes += 3 * std::min(header.width * header.height, io::kDefaultMaxPixels);
    } catch (const Error&) {
      continue;  // told when the picture is needed
    }
  }
  return bytes;
}

std::string PictureFiles::odd_text() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  std::string text;
  for (std::size_t kind = 0; kind < kOddities; ++kind) {
    const std::int64_t count = state_->counts[kind];
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + (count == 1 ? " file " : " files ") +
            text_of(static_cast<Oddity>(kind));
  }
  return text;
}

}  // namespace scorevi::data
