// Which picture files a data set has, and their classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scorevi::data {

// Picture files with their classes, rows in the order train, validation, test. Every file of a list
// was there when it was listed.
struct PictureList {
  std::string name;
  std::string description;               // one line: what it is and where it comes from
  std::vector<std::string> paths;        // N
  std::vector<std::int64_t> labels;      // N, 0 .. C-1
  std::vector<std::string> class_names;  // C, each once
  std::int64_t train = -1,
               validation = 0;  // rows of the official parts, the rest is the test part; train = -1: one pool

  std::int64_t size() const { return static_cast<std::int64_t>(paths.size()); }
};

// A picture file itself, or all pictures below a folder in the order of bytes. Error kData: nothing there.
std::vector<std::string> find_pictures(const std::string& path);

}  // namespace scorevi::data
