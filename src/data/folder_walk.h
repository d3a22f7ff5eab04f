// The pictures below a folder. Private to data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scorevi::data {

// What was left out, over all walks.
struct LeftOut {
  std::size_t hidden = 0;           // names that begin with a dot, Thumbs.db, desktop.ini, __MACOSX
  std::size_t other = 0;            // files that are no picture by name
  std::vector<std::string> others;  // paths of the first few
};

// The names in a folder in the order of bytes, without hidden ones (they are counted). Error kData: unreadable.
std::vector<std::string> visible_names(const std::string& folder, LeftOut& left_out);

// Paths of the pictures below `folder` in the order of bytes. Symbolic links are followed; each real folder is entered
// once, so that links in a circle end. A link to a file that is not there is kept for the caller to find missing.
std::vector<std::string> pictures_below(const std::string& folder, LeftOut& left_out);

// "3 hidden, 2 no picture by name (a/readme.txt, b/x.webp)"; "" where nothing was left out.
std::string left_out_text(const LeftOut& left_out);

}  // namespace scorevi::data
