#include "csv_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scorevi/core/error.h"

namespace scorevi::io {
namespace {

constexpr std::array<char, 3> kCandidates = {'\t', ';', ','};
constexpr std::size_t kRowsToLookAt = 10;
constexpr std::size_t kBytesToLookAt = std::size_t{1} << 20;

// The length of the UTF-8 sequence at the start of `s`, 0 where it is none (RFC 3629).
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(s[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

using Counts = std::array<std::size_t, kCandidates.size()>;

// How often each candidate occurs outside quotes in each of the first rows.
std::vector<Counts> count_candidates(std::string_view text) {
  std::vector<Counts> rows;
  Counts counts{};
  bool quoted = false;
  bool empty = true;
  for (const char c : text.substr(0, kBytesToLookAt)) {
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '\n' || c == '\r')) {
      if (!empty) rows.push_back(counts);
      if (rows.size() == kRowsToLookAt) return rows;
      counts = {};
      empty = true;
      continue;
    }
    empty = false;
    for (std::size_t i = 0; i < kCandidates.size(); ++i) {
      if (!quoted && c == kCandidates[i]) ++counts[i];
    }
  }
  if (!empty) rows.push_back(counts);
  return rows;
}

}  // namespace

std::string_view checked_utf8(std::string_view bytes, const std::string& name) {
  if (bytes.substr(0, 2) == "\xFF\xFE" || bytes.substr(0, 2) == "\xFE\xFF") {
    throw Error(ErrorKind::kData, name + ": text is UTF-16, expected UTF-8; save it as UTF-8");
  }
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.remove_prefix(3);
  std::size_t line = 1;
  for (std::size_t i = 0; i < bytes.size();) {
    if (bytes[i] == '\0') {
      throw Error(ErrorKind::kData, fmt::format("{}:{}: a NUL byte, expected text", name, line));
    }
    if (bytes[i] == '\n') ++line;
    const std::size_t length = utf8_length(bytes.substr(i));
    if (length == 0) {
      throw Error(ErrorKind::kData, fmt::format("{}:{}: byte 0x{:02x} is not UTF-8 text; save the file as UTF-8", name,
                                                line, static_cast<std::uint8_t>(bytes[i])));
    }
    i += length;
  }
  return bytes;
}

char guess_delimiter(std::string_view text) {
  const std::vector<Counts> rows = count_candidates(text);
  if (rows.empty()) return ',';
  const Counts& first = rows.front();
  for (std::size_t i = 0; i < kCandidates.size(); ++i) {
    const bool even =
        std::all_of(rows.begin(), rows.end(), [&](const Counts& counts) { return counts[i] == first[i]; });
    if (even && first[i] > 0) return kCandidates[i];
  }
  const auto most = std::max_element(first.begin(), first.end());
  return *most > 0 ? kCandidates[static_cast<std::size_t>(most - first.begin())] : ',';
}

}  // namespace scorevi::io
