// Seeded changes to a corpus of valid files: the same seed and run give the same bytes everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scorevi::fuzz {

using Corpus = std::vector<std::string>;

// Input `run`: a corpus member after 1 to 8 of: bit flips, other bytes, removed, repeated or
// inserted pieces, pieces of another member, truncation, and large, small and off-by-one values
// where a length field may be (1, 2, 4 or 8 bytes, either byte order, and decimal digits in text).
std::string mutated(const Corpus& corpus, std::uint64_t seed, std::uint64_t run);

}  // namespace scorevi::fuzz
