#include "farm/nats/nonce.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace evo::farm::nats {

Status NonceSigner::sign(char** error, unsigned char** signature, int* length, const char* nonce,
                         void* self) noexcept {
  auto& signer = *static_cast<NonceSigner*>(self);
  *signature = nullptr;
  *length = 0;
  try {
    std::vector<std::string> lines = read_secret(signer.seed_file_);
    const auto seed = std::ranges::find_if(lines, is_seed);
    const Status made =
        seed == lines.end() ? status_error : signer.nats_.sign(seed->c_str(), nonce, signature, length);
    for (std::string& line : lines) ::explicit_bzero(line.data(), line.size());
    if (made != status_ok) return made;
  } catch (const std::exception& why) {
    *error = ::strdup(why.what());  // the library frees it
    return status_error;
  }
  if (*length == 0 || (*signature)[0] != 0) return status_ok;
  std::free(*signature);  // the library's, which would free it after this
  *signature = nullptr;
  *length = 0;
  signer.unlucky_ = true;
  return status_error;
}

}  // namespace evo::farm::nats
