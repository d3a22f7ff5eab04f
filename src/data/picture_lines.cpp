#include "picture_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "scorevi/core/numbers.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeparators = " \t,";

// Where the path ends: behind the last picture name that a separator or the end follows; without such a name at the
// last tab, else comma, else space.
std::size_t path_end(const std::string& text) {
  std::size_t end = text.size();
  while (end != std::string::npos && end > 0) {
    if (is_picture_name(std::string_view(text).substr(0, end))) return end;
    end = text.find_last_of(kSeparators, end - 1);
  }
  for (const char separator : {'\t', ',', ' '}) {
    const std::size_t at = text.rfind(separator);
    if (at != std::string::npos) return at;
  }
  return text.size();
}

std::string first_folder(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  const auto second = normal.empty() ? normal.end() : std::next(normal.begin());
  if (second == normal.end() || normal.is_absolute() || *normal.begin() == "..") return "";
  return normal.begin()->string();
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = text.find_first_not_of(" \t", at);
    if (first == std::string::npos) break;
    at = std::min(text.find_first_of(" \t", first), text.size());
    out.push_back(text.substr(first, at - first));
  }
  return out;
}

}  // namespace

LabelledPath labelled_path(const ListLine& line, const std::string& list) {
  const std::size_t end = path_end(line.text);
  const std::size_t label = line.text.find_first_not_of(kSeparators, end);
  LabelledPath out{line.text.substr(0, end), label == std::string::npos ? "" : line.text.substr(label)};
  if (out.label.empty()) out.label = first_folder(out.path);
  if (out.path.empty() || out.label.empty()) {
    bad_line(list, line, fmt::format("got \"{}\", expected \"path label\" or class/file", line.text));
  }
  return out;
}

PetLine pet_line(const ListLine& line, const std::string& list) {
  const std::vector<std::string> fields = words(line.text);
  const std::size_t cut = fields.empty() ? std::string::npos : fields[0].rfind('_');
  bool right = fields.size() == 4 && cut != std::string::npos && cut > 0 && parse_int(fields[0].substr(cut + 1));
  for (std::size_t i = 1; right && i < fields.size(); ++i) right = parse_int(fields[i]).value_or(-1) >= 0;
  if (!right) {
    bad_line(list, line, fmt::format("got \"{}\", expected \"Breed_number class species breed\"", line.text));
  }
  return {fields[0], fields[0].substr(0, cut), *parse_int(fields[1])};
}

AircraftLine aircraft_line(const ListLine& line, const std::string& list) {
  const std::size_t end = line.text.find_first_of(" \t");
  if (end == std::string::npos) bad_line(list, line, fmt::format("got \"{}\", expected \"id class\"", line.text));
  return {line.text.substr(0, end), line.text.substr(line.text.find_first_not_of(" \t", end))};
}

}  // namespace scorevi::data
