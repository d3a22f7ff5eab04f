// What every target shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "scorevi/core/error.h"

namespace scorevi::fuzz {

inline std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// How many inputs were read rather than refused: a fuzzer that has nothing read tests little.
inline std::uint64_t inputs_read = 0;

// Runs a reader: an Error of kind kData is the right answer to bad bytes; anything else escapes and
// ends the run.
template <class Read>
int refuse_or_read(Read&& read) {
  try {
    read();
    ++inputs_read;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
  }
  return 0;
}

}  // namespace scorevi::fuzz
