// Folders that the program writes into.
#pragma once

#include <string>

namespace scorevi {

// With its parents; nothing happens where it is there. Error(kUsage) where a file has the name, Error(kRuntime) with
// the system's reason where it cannot be made.
void make_folder(const std::string& path);

}  // namespace scorevi
