// SHA-256 as 64 lower-case hexadecimal digits.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace scorevi {

// Streaming digest: update() any number of times, then hex() once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(const void* data, std::size_t size_bytes);
  void update(std::string_view text) { update(text.data(), text.size()); }
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);

// Reads the file in pieces. Throws Error(kData) when it cannot be read.
std::string sha256_file(const std::string& path);

}  // namespace scorevi
