// Content hashes (SHA-256, through OpenSSL).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace evo::model {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

/// Feeds parts with their lengths, so that ("ab","c") and ("a","bc") differ.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  Hasher& add(std::string_view part);
  [[nodiscard]] std::string finish();  ///< 64 hexadecimal digits; call once

 private:
  void* context_;
};

}  // namespace evo::model
