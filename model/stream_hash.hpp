// The SHA-256 of a text that is never whole in memory.
#pragma once

#include <string>
#include <string_view>

namespace evo::model {

/// sha256() of all parts, one after the other.
class StreamHash {
 public:
  StreamHash();
  ~StreamHash();
  StreamHash(const StreamHash&) = delete;
  StreamHash& operator=(const StreamHash&) = delete;
  void add(std::string_view part);
  [[nodiscard]] std::string finish();  ///< 64 hexadecimal digits; call once
  /// What finish() would say now; more parts may follow.
  [[nodiscard]] std::string so_far() const;

 private:
  void* context_;
};

}  // namespace evo::model
