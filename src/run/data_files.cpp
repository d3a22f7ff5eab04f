#include "data_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/csv_writer.h"
#include "scorevi/core/log.h"
#include "scorevi/core/terminal.h"

namespace scorevi::run {
namespace {

constexpr std::int64_t kMaxListBytes = std::int64_t{1} << 30;

// "folder/name:bytes<tab>class", the rows in order.
std::vector<std::string> lines_of(const data::Dataset& dataset) {
  std::vector<std::string> lines;
  const auto* labels = dataset.targets.const_data_ptr<int64_t>();
  for (int64_t row = 0; row < dataset.size(); ++row)
    lines.push_back(picture_file(dataset, row) + "\t" +
                    printable(dataset.class_names[static_cast<std::size_t>(labels[row])]));
  return lines;
}

std::string name_in(const std::string& line) { return line.substr(0, line.rfind(':', line.rfind('\t'))); }

std::set<std::string> names_in(const std::vector<std::string>& lines) {
  std::set<std::string> names;
  for (const std::string& line : lines) names.insert(name_in(line));
  return names;
}

// The lines that are not in `others`.
std::vector<std::string> lines_without(const std::vector<std::string>& lines, const std::vector<std::string>& others) {
  const std::set<std::string> known(others.begin(), others.end());
  std::vector<std::string> result;
  for (const std::string& line : lines)
    if (known.count(line) == 0) result.push_back(line);
  return result;
}

std::vector<std::string> lines_in(const std::string& path) {
  std::istringstream text(read_file(path, kMaxListBytes));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string bad_line(const data::BadPicture& picture) {
  using Use = data::BadPicture::Use;
  CsvRow row;
  row.add(picture.path).add(picture.use == Use::kNo ? "no" : picture.use == Use::kPart ? "yes" : "grey");
  return row.add(picture.reason).text();
}

// A run that goes on reads other pictures than before: what is in the file stays. False where there is nothing to list.
bool add_bad_pictures(const std::string& path, const data::Dataset& dataset) {
  std::vector<std::string> found;
  std::set<std::string> told;
  for (const data::BadPicture& picture : dataset.bad_pictures) {
    found.push_back(bad_line(picture));
    told.insert(picture.path);
  }
  for (const data::Pictures::Odd& odd : dataset.pictures->odd_rows())
    if (told.count(dataset.pictures->name(odd.row)) == 0)
      found.push_back(bad_line({dataset.pictures->name(odd.row), odd.reason,
                                odd.grey ? data::BadPicture::Use::kGrey : data::BadPicture::Use::kPart}));
  if (found.empty()) return false;
  std::vector<std::string> lines = {"file,used,reason"};
  if (std::filesystem::exists(path)) lines = lines_in(path);
  for (const std::string& line : lines_without(found, lines)) lines.push_back(line);
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_file_atomic(path, text);
  return true;
}

}  // namespace

void save_data_files(const RunDirectory& directory, const data::Dataset& dataset) {
  if (!dataset.pictures || dataset.pictures->in_memory()) return;
  std::string text;
  for (const std::string& line : lines_of(dataset)) text += line + "\n";
  write_file_atomic(directory.file(files::kPictures), text);
  if (dataset.bad_pictures.empty()) return;
  add_bad_pictures(directory.file(files::kBadPictures), dataset);
  const auto used = static_cast<std::size_t>(
      std::count_if(dataset.bad_pictures.begin(), dataset.bad_pictures.end(),
                    [](const data::BadPicture& picture) { return picture.use != data::BadPicture::Use::kNo; }));
  log().info("{} pictures that are left out and {} that are used though they are damaged in part are listed in {}",
             dataset.bad_pictures.size() - used, used, directory.file(files::kBadPictures));
}

std::string picture_file(const data::Dataset& dataset, int64_t row) {
  return printable(dataset.pictures->identity(row));
}

std::vector<std::string> picture_files(const RunDirectory& directory) {
  if (!directory.has(files::kPictures)) return {};
  std::vector<std::string> lines = lines_in(directory.file(files::kPictures));
  for (std::string& line : lines) line.resize(std::min(line.size(), line.rfind('\t')));
  return lines;
}

void tell_odd_pictures(const std::string& path, const data::Dataset& dataset) {
  if (!dataset.pictures) return;
  const bool listed = add_bad_pictures(path, dataset);
  const std::string odd = dataset.pictures->odd_text();
  if (!odd.empty()) log().warn("{}: {}{}", dataset.name, odd, listed ? "; listed in " + path : "");
}

std::string changed_files(const RunDirectory& directory, const data::Dataset& dataset) {
  if (!dataset.pictures || dataset.pictures->in_memory() || !directory.has(files::kPictures)) return "";
  const std::vector<std::string> before = lines_in(directory.file(files::kPictures));
  const std::vector<std::string> now = lines_of(dataset);
  const std::vector<std::string> lost = lines_without(before, now), added = lines_without(now, before);
  if (lost.empty() && added.empty()) return "";
  const std::size_t more = std::max(lost.size(), added.size()) - 1;
  const std::string others = more > 0 ? fmt::format(", and {} more differ", more) : "";
  if (lost.empty()) return name_in(added.front()) + " is new" + others;
  const std::string name = name_in(lost.front());
  return name + (names_in(now).count(name) > 0 ? " has another size or class" : " is gone") + others;
}

}  // namespace scorevi::run
