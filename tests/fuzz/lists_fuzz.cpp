#include <string>

#include "guard.h"
#include "picture_lines.h"
#include "scorevi/core/check.h"
#include "targets.h"

namespace {

using namespace scorevi;

// One line as each kind of list has it. What is read is part of the line.
void read_in_every_way(const data::ListLine& line) {
  fuzz::refuse_or_read([&] {
    const data::LabelledPath entry = data::labelled_path(line, "fuzz");
    SCOREVI_CHECK(!entry.path.empty() && !entry.label.empty());
    SCOREVI_CHECK(line.text.compare(0, entry.path.size(), entry.path) == 0);
    SCOREVI_CHECK(line.text.find(entry.label) != std::string::npos);
  });
  fuzz::refuse_or_read([&] {
    const data::PetLine pet = data::pet_line(line, "fuzz");
    SCOREVI_CHECK(!pet.class_name.empty() && pet.class_name.size() < pet.id.size() && pet.class_id >= 0);
  });
  fuzz::refuse_or_read([&] {
    const data::AircraftLine entry = data::aircraft_line(line, "fuzz");
    SCOREVI_CHECK(!entry.id.empty() && !entry.class_name.empty());
    SCOREVI_CHECK_OP(entry.id.size() + entry.class_name.size(), <, line.text.size());
  });
}

}  // namespace

// The lists of picture sets.
int fuzz_lists(const std::uint8_t* data, std::size_t size) {
  return fuzz::refuse_or_read([&] {
    std::size_t last = 0;
    for (const data::ListLine& line : data::parse_list(fuzz::view(data, size), "fuzz")) {
      SCOREVI_CHECK(line.number > last && !line.text.empty() && line.text[0] != '#');
      last = line.number;
      read_in_every_way(line);
    }
  });
}
