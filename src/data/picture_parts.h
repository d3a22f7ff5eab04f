// What the readers of picture sets share. Private to data.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scorevi/data/options.h"
#include "scorevi/data/picture_list.h"

namespace scorevi::data {

// A line of a list file without blanks around it.
struct ListLine {
  std::string text;
  std::size_t number = 0;  // from 1
};

// The lines of a text in UTF-8, without empty ones and those that begin with #. LF or CRLF. `name` stands in messages.
std::vector<ListLine> parse_list(std::string_view bytes, const std::string& name);
// The same for a file of at most 64 MiB.
std::vector<ListLine> read_list(const std::string& path);

// Error kData "path:line: what".
[[noreturn]] void bad_line(const std::string& path, const ListLine& line, const std::string& what);

// True for names that promise a format that can be decoded.
bool is_picture_name(std::string_view name);

// A picture before its class has a number.
struct ListedPicture {
  std::string path;
  std::string class_name;
};

struct ListedParts {
  std::vector<ListedPicture> train, validation, test;
  bool pool = false;    // no parts: all pictures are in `train`
  bool walked = false;  // found in folders, not named in lists: one that is not there (a dangling link) is damaged
};

// The names of all classes, each once, in the order of bytes.
std::vector<std::string> sorted_classes(const ListedParts& parts);

// Numbers the classes by `class_names`, keeps the parts that options.part asks for, and checks what picture_sources.h
// promises. Precondition: class_names holds every class of the parts.
PictureList make_picture_list(const std::string& name, const std::string& description, const ListedParts& parts,
                              const std::vector<std::string>& class_names, const DataOptions& options);

// The first of <root>/<folder> and <root>, for all data_roots() and all `folders`, of which `lacking` returns ""; it
// returns what a place lacks otherwise. Error kData lists the places.
std::string find_set_folder(const DataOptions& options, const std::string& name,
                            const std::vector<std::string>& folders,
                            const std::function<std::string(const std::string&)>& lacking);

// Those of `names` that are not in the folder, as a text; "" where all are.
std::string lacking_names(const std::string& folder, const std::vector<std::string>& names);

// The first of `names` that is there in the folder; "" where none is.
std::string first_present(const std::string& folder, const std::vector<std::string>& names);

// A folder with images/ and one of several folders of lists.
struct LabelledFolder {
  std::string folder;
  std::string labels;  // the folder of lists in it
};
// As find_set_folder; the lists are in options.labels_dir where it is given, else in the first of `label_folders`.
LabelledFolder find_labelled_folder(const DataOptions& options, const std::string& name,
                                    const std::vector<std::string>& folders,
                                    const std::vector<std::string>& label_folders);

}  // namespace scorevi::data
