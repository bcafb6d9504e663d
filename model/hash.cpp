#include "model/hash.hpp"

#include <array>
#include <cstdint>
#include <memory>

#include <openssl/evp.h>

#include "model/error.hpp"
#include "model/stream_hash.hpp"

namespace evo::model {
namespace {

EVP_MD_CTX* context_of(void* context) {
  return static_cast<EVP_MD_CTX*>(context);
}

void check(int ok) {
  if (ok != 1) throw Exception(ExitCode::environment, "OpenSSL cannot compute SHA-256");
}

}  // namespace

Hasher::Hasher() : context_(EVP_MD_CTX_new()) {
  check(EVP_DigestInit_ex(context_of(context_), EVP_sha256(), nullptr));
}

Hasher::~Hasher() {
  EVP_MD_CTX_free(context_of(context_));
}

Hasher& Hasher::add(std::string_view part) {
  std::array<unsigned char, 8> length{};
  for (std::size_t i = 0; i < 8; ++i)
    length[i] = static_cast<unsigned char>(std::uint64_t{part.size()} >> (8 * i));
  check(EVP_DigestUpdate(context_of(context_), length.data(), length.size()));
  check(EVP_DigestUpdate(context_of(context_), part.data(), part.size()));
  return *this;
}

namespace {

std::string finish_hex(EVP_MD_CTX* context) {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  check(EVP_DigestFinal_ex(context, digest.data(), &size));
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace

std::string Hasher::finish() {
  return finish_hex(context_of(context_));
}

std::string sha256(std::string_view bytes) {
  StreamHash hash;
  hash.add(bytes);
  return hash.finish();
}

StreamHash::StreamHash() : context_(EVP_MD_CTX_new()) {
  check(EVP_DigestInit_ex(context_of(context_), EVP_sha256(), nullptr));
}

StreamHash::~StreamHash() {
  EVP_MD_CTX_free(context_of(context_));
}

void StreamHash::add(std::string_view part) {
  check(EVP_DigestUpdate(context_of(context_), part.data(), part.size()));
}

std::string StreamHash::finish() {
  return finish_hex(context_of(context_));
}

std::string StreamHash::so_far() const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> copy(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  check(EVP_MD_CTX_copy_ex(copy.get(), context_of(context_)));
  return finish_hex(copy.get());
}

}  // namespace evo::model
