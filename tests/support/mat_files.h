// Writes MATLAB files of level 5 byte by byte, right ones and wrong ones.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace scorevi::test {

template <class T>
std::string le_bytes(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

inline std::string mat_header() {
  std::string out = "MATLAB 5.0 MAT-file, written by a test";
  out.resize(124, ' ');
  return out + std::string("\x00\x01IM", 4);
}

// Tag and bytes, filled up to a multiple of 8.
inline std::string mat_element(std::uint32_t type, const std::string& bytes) {
  const std::string out = le_bytes<std::uint32_t>({type, static_cast<std::uint32_t>(bytes.size())}) + bytes;
  return out + std::string((8 - out.size() % 8) % 8, '\0');
}

// An array's parts as they stand in the file; the fields may lie.
struct MatArray {
  std::string name;
  std::vector<std::int32_t> sizes;
  std::uint32_t array_class = 6;  // double
  std::uint32_t type = 9;         // of the numbers as stored: double
  std::string bytes;

  std::string element() const {
    return mat_element(14, mat_element(6, le_bytes<std::uint32_t>({array_class, 0})) + mat_element(5, le_bytes(sizes)) +
                               mat_element(1, name) + mat_element(type, bytes));
  }
};

// A row of doubles that are stored as 16-bit numbers, as MATLAB does.
inline MatArray mat_row(const std::string& name, const std::vector<std::uint16_t>& values) {
  return {name, {1, static_cast<std::int32_t>(values.size())}, 6, 4, le_bytes(values)};
}

inline std::string mat_packed(const std::string& element) {
  uLongf size = compressBound(element.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(element.data()), element.size());
  out.resize(size);
  return le_bytes<std::uint32_t>({15, static_cast<std::uint32_t>(size)}) + out;
}

}  // namespace scorevi::test
