#include "scorevi/core/sha256.h"

#include <openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "scorevi/core/atomic_file.h"
#include "scorevi/core/check.h"
#include "scorevi/core/error.h"

namespace scorevi {

struct Sha256::State {
  State() : context(EVP_MD_CTX_new()) {
    SCOREVI_CHECK(context != nullptr);
    SCOREVI_CHECK(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1);
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  EVP_MD_CTX* context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(const void* data, std::size_t size_bytes) {
  SCOREVI_CHECK(EVP_DigestUpdate(state_->context, data, size_bytes) == 1);
}

std::string Sha256::hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  SCOREVI_CHECK(EVP_DigestFinal_ex(state_->context, digest, &length) == 1);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.hex();
}

std::string sha256_file(const std::string& path) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fdopen(open_for_reading(path), "rb"), &std::fclose);
  SCOREVI_CHECK(file != nullptr);
  Sha256 digest;
  std::vector<char> piece(kPieceBytes);
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get()))
    digest.update(piece.data(), count);
  if (std::ferror(file.get()) != 0) throw Error(ErrorKind::kData, path + ": cannot be read: " + errno_text(errno));
  return digest.hex();
}

}  // namespace scorevi
