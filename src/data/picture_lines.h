// The lines of the lists that picture sets come with. Private to data.
// All take a line of `list` (its path, for messages); Error kData with path:line for a line of another form.
#pragma once

#include <cstdint>
#include <string>

#include "picture_parts.h"

namespace scorevi::data {

struct LabelledPath {
  std::string path;
  std::string label;
};

// "path label", as list_image_list() describes it; without a label it is the first folder of the path.
LabelledPath labelled_path(const ListLine& line, const std::string& list);

struct PetLine {
  std::string id;          // american_bulldog_131
  std::string class_name;  // american_bulldog
  std::int64_t class_id = 0;
};

// "id class species breed", the last three of them numbers.
PetLine pet_line(const ListLine& line, const std::string& list);

struct AircraftLine {
  std::string id;          // 1025794
  std::string class_name;  // may hold blanks and slashes: F/A-18
};

// "id rest of the line".
AircraftLine aircraft_line(const ListLine& line, const std::string& list);

}  // namespace scorevi::data
