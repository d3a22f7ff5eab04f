#include "mutate.h"

#include <algorithm>
#include <array>

#include "scorevi/core/counter_rng.h"

namespace scorevi::fuzz {
namespace {

constexpr std::size_t kMaxBytes = 1 << 16;

// A running position in the random stream of one input.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t run)
      : rng_(seed, Purpose::kTest, static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(run >> 32)) {}
  // 0 .. n - 1, or 0 where n is 0.
  std::size_t below(std::size_t n) { return n == 0 ? 0 : rng_.below(n, next_++); }

 private:
  CounterRng rng_;
  std::uint64_t next_ = 0;
};

const std::array<std::uint64_t, 16> kValues = {
    0, 1, 2, 7, 127, 128, 255, 256, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1ull << 62, 1ull << 63, ~0ull};

const std::array<const char*, 26> kWords = {
    "\"",  "\"\"",         ",",          ";", "\t",  "\n", "\r\n", "{",  "}",   "[",     "]", ":", "null", "-1", "1e9",
    "nan", "\xEF\xBB\xBF", "4294967296", "'", "&a ", "*a", "\n- ", "? ", "|\n", "---\n", "\\"};

void flip_bit(std::string& bytes, Draws& draws) {
  if (bytes.empty()) return;
  char& byte = bytes[draws.below(bytes.size())];
  byte = static_cast<char>(byte ^ (1 << draws.below(8)));
}

void set_byte(std::string& bytes, Draws& draws) {
  if (!bytes.empty()) bytes[draws.below(bytes.size())] = static_cast<char>(draws.below(256));
}

void erase_piece(std::string& bytes, Draws& draws) {
  const std::size_t at = draws.below(bytes.size());
  bytes.erase(at, 1 + draws.below(std::min<std::size_t>(bytes.size() - at, 32)));
}

void repeat_piece(std::string& bytes, Draws& draws) {
  const std::size_t at = draws.below(bytes.size());
  const std::string piece = bytes.substr(at, 1 + draws.below(32));
  for (std::size_t times = 1 + draws.below(4); times > 0; --times) bytes.insert(at, piece);
}

void insert_word(std::string& bytes, Draws& draws) {
  bytes.insert(draws.below(bytes.size() + 1), kWords[draws.below(kWords.size())]);
}

void truncate(std::string& bytes, Draws& draws) { bytes.resize(draws.below(bytes.size() + 1)); }

void splice(std::string& bytes, const Corpus& corpus, Draws& draws) {
  const std::string& other = corpus[draws.below(corpus.size())];
  const std::size_t from = draws.below(other.size());
  const std::string piece = other.substr(from, 1 + draws.below(64));
  bytes.replace(std::min(draws.below(bytes.size() + 1), bytes.size()), draws.below(64), piece);
}

// A value over 1, 2, 4 or 8 bytes; half of the time near what stands there.
void edit_length(std::string& bytes, Draws& draws) {
  const std::size_t width = std::size_t{1} << draws.below(4);
  if (bytes.size() < width) return;
  // Length fields stand at the front more often than elsewhere.
  const std::size_t room = bytes.size() - width + 1;
  const std::size_t at = draws.below(2) == 0 ? draws.below(std::min<std::size_t>(room, 16)) : draws.below(room);
  const bool big_endian = draws.below(2) == 0;
  const auto place = [&](std::size_t i) { return big_endian ? at + width - 1 - i : at + i; };
  std::uint64_t value = kValues[draws.below(kValues.size())];
  if (draws.below(2) == 0) {
    value = 0;
    for (std::size_t i = width; i-- > 0;) {
      value = (value << 8) | static_cast<std::uint8_t>(bytes[place(i)]);
    }
    value += draws.below(17);
    value -= 8;
  }
  for (std::size_t i = 0; i < width; ++i) bytes[place(i)] = static_cast<char>(value >> (8 * i));
}

// Another number where digits stand in the text.
void edit_number(std::string& bytes, Draws& draws) {
  const std::size_t at = bytes.find_first_of("0123456789", draws.below(bytes.size()));
  if (at == std::string::npos) return;
  const std::size_t end = std::min(bytes.find_first_not_of("0123456789", at), bytes.size());
  bytes.replace(at, end - at, std::to_string(kValues[draws.below(kValues.size())]));
}

}  // namespace

std::string mutated(const Corpus& corpus, std::uint64_t seed, std::uint64_t run) {
  Draws draws(seed, run);
  std::string bytes = corpus[draws.below(corpus.size())];
  for (std::size_t changes = 1 + draws.below(1 + draws.below(8)); changes > 0; --changes) {
    switch (draws.below(9)) {
      case 0:
        flip_bit(bytes, draws);
        break;
      case 1:
        set_byte(bytes, draws);
        break;
      case 2:
        erase_piece(bytes, draws);
        break;
      case 3:
        repeat_piece(bytes, draws);
        break;
      case 4:
        insert_word(bytes, draws);
        break;
      case 5:
        splice(bytes, corpus, draws);
        break;
      case 6:
        edit_length(bytes, draws);
        break;
      case 7:
        edit_number(bytes, draws);
        break;
      default:
        if (draws.below(4) == 0) truncate(bytes, draws);
    }
    if (bytes.size() > kMaxBytes) bytes.resize(kMaxBytes);
  }
  return bytes;
}

}  // namespace scorevi::fuzz
