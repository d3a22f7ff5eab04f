// What a file is, for commands that take several kinds and for messages.
#pragma once

#include <string>

namespace scorevi::run {

enum class FileKind { kFolder, kPicture, kIdx, kWeights, kTable, kOther };

// By its name and its first bytes; idx files by these alone, raw or gzip.
FileKind kind_of_file(const std::string& path);

// "a picture", "a weight file".
std::string kind_text(FileKind kind);

}  // namespace scorevi::run
