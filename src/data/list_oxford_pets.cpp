#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "picture_lines.h"
#include "picture_sources.h"

namespace scorevi::data {
namespace {

namespace fs = std::filesystem;

using ClassNames = std::map<std::int64_t, std::string>;  // by the number in the file

// Each number must stand for one breed, and each breed for one number.
void note_class(const PetLine& pet, const ListLine& line, const std::string& list, ClassNames& names,
                std::map<std::string, std::int64_t>& numbers) {
  const std::string& name = names.emplace(pet.class_id, pet.class_name).first->second;
  const std::int64_t number = numbers.emplace(pet.class_name, pet.class_id).first->second;
  if (name != pet.class_name || number != pet.class_id) {
    bad_line(list, line,
             fmt::format("{} has class {}, but {} has class {} above", pet.class_name, pet.class_id, name, number));
  }
}

}  // namespace

PictureList list_oxford_pets(const DataOptions& options) {
  const LabelledFolder found = find_labelled_folder(options, "oxford_pets", {"oxford_pets", "oxford-iiit-pet"},
                                                    {"annotations", "annotations_subset"});
  ClassNames names;
  std::map<std::string, std::int64_t> numbers;
  const auto read_part = [&](const std::string& file) {
    const std::string list = (fs::path(found.folder) / found.labels / file).string();
    std::vector<ListedPicture> pictures;
    for (const ListLine& line : read_list(list)) {
      const PetLine pet = pet_line(line, list);
      note_class(pet, line, list, names, numbers);
      pictures.push_back({(fs::path(found.folder) / "images" / (pet.id + ".jpg")).string(), pet.class_name});
    }
    return pictures;
  };
  ListedParts parts;
  parts.train = read_part("trainval.txt");
  parts.test = read_part("test.txt");
  std::vector<std::string> class_names;
  for (const auto& [number, name] : names) class_names.push_back(name);
  return make_picture_list("oxford_pets", "Oxford-IIIT Pet, " + found.labels + " (CC BY-SA 4.0)", parts, class_names,
                           options);
}

}  // namespace scorevi::data
