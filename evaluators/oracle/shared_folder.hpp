// A folder in which processes of one run keep what each of them would make otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace evo::evaluators::oracle {

/// Blobs by name. Whoever asks first makes one, others wait for it; nobody waits for a process that is gone,
/// or longer than `patience_s`. What cannot be kept (no room, no permission) is made by each. Thread-safe.
class SharedFolder {
 public:
  static constexpr double patience_s = 30;

  /// An existing folder of this user. `capacity_bytes`: beyond it what was kept first goes.
  SharedFolder(std::filesystem::path folder, std::int64_t capacity_bytes);

  struct Claim {
    std::optional<std::string> blob;
    /// Where there is no blob, and the caller is to make it: keeps what was made. Others wait until this is
    /// gone, whether it was called or not.
    std::function<void(const std::string& blob)> keep;
  };
  /// The blob called `name`, which may be any text.
  [[nodiscard]] Claim take(const std::string& name) const;
  /// Whether a blob of so many bytes could be kept.
  [[nodiscard]] bool fits(std::int64_t bytes) const { return bytes <= capacity_bytes_; }

 private:
  /// Removes what was kept first, as far as needed; false: so much never fits.
  [[nodiscard]] bool make_room(std::size_t bytes) const;

  std::filesystem::path folder_;
  std::int64_t capacity_bytes_;
};

}  // namespace evo::evaluators::oracle
