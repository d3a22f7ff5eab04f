// One process at a time works in a folder.
#pragma once

#include <string>

namespace scorevi::run {

// Makes the folder that `who` ("sweep", "bench") works in, where it is not there. Error(kUsage) for a file, and for a
// folder whose files are not those of an earlier `who`, which would be replaced.
void claim_folder(const std::string& folder, const std::string& who);

// Held as long as the object lives; the system releases it when the process ends, however it ends.
class FolderLock {
 public:
  // `who` is at work there: "sweep", "training". Error(kUsage) when another one is, Error(kRuntime) when the lock file
  // cannot be made.
  FolderLock(const std::string& folder, const std::string& who);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Error(kUsage) when one is at work there. Makes no file.
  static void check_free(const std::string& folder, const std::string& who);
  // Within the folder: ".<who>.lock". It stays when the work is done.
  static std::string file_name(const std::string& who) { return "." + who + ".lock"; }

 private:
  int descriptor_ = -1;
};

}  // namespace scorevi::run
