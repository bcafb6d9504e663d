// Proof that an end holds an NKey: its signature of the word that a server draws for each connection.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "farm/nats/library.hpp"

namespace evo::farm::nats {

/// The lines of `file` that are not empty, 16 at most. Throws model::Exception(environment): not there,
/// readable by others, or empty.
[[nodiscard]] std::vector<std::string> read_secret(const std::string& file);

/// "SU" and 56 more characters of base32.
[[nodiscard]] bool is_seed(const std::string& line);

/// Signs for one connection, whenever it is made. Must outlive it.
class NonceSigner {
 public:
  /// `seed_file` is read for each signature, and kept by nobody.
  NonceSigner(const Library& nats, std::string seed_file) : nats_(nats), seed_file_(std::move(seed_file)) {}

  /// A natsSignatureHandler whose closure is a NonceSigner. libnats before 3.8 takes a signature whose first
  /// byte is zero, one in 256, for none: it sends no signature, and the server refuses the key. Such a one is
  /// not handed over: the attempt to connect ends by an error, and the next one has another nonce.
  static Status sign(char** error, unsigned char** signature, int* length, const char* nonce,
                     void* self) noexcept;

  /// Since it was last asked: an attempt ended for that reason.
  [[nodiscard]] bool unlucky() { return unlucky_.exchange(false); }

 private:
  Library nats_;
  std::string seed_file_;
  std::atomic<bool> unlucky_{false};
};

}  // namespace evo::farm::nats
