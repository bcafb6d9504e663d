// Who uses a GPU: every evo of this user on this host that works on one says so in a file of its own, which
// it holds locked. Runs that share a GPU take turns on it (evaluators/devices/cuda/turns.hpp); this says with
// whom.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evo::session {

struct GpuUser {
  std::int64_t process = 0;  ///< its id
  std::string since;         ///< "2026-11-25 19:45:03 UTC"
  std::string command;       ///< as it was typed
  std::string run_folder;    ///< empty where it writes none
};
/// "process 1234 (evo run a.yaml, run folder runs/a) since 2026-11-25 19:45:03 UTC"
[[nodiscard]] std::string text_of(const GpuUser& user);

/// What to say of so many processes that compute on a GPU which no evo uses: they take no turns. Empty where
/// there are none, or nobody tells.
[[nodiscard]] std::string strangers_text(const std::string& gpu, std::optional<unsigned> processes);

/// This process, now. Its command comes from the system.
[[nodiscard]] GpuUser this_process(const std::string& run_folder);

/// The entry of this process among a GPU's users, until it is destroyed or the process ends, however it ends.
class GpuUse {
 public:
  /// `folder` holds the GPU's users, a locked file each, and is made if need be. A folder that cannot be
  /// written registers nobody: the entry is for people alone.
  GpuUse(std::filesystem::path folder, const GpuUser& own);
  ~GpuUse();
  GpuUse(const GpuUse&) = delete;
  GpuUse& operator=(const GpuUse&) = delete;

  /// Who was there before, by process id; entries of processes that have ended are removed.
  [[nodiscard]] const std::vector<GpuUser>& others() const { return others_; }

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::vector<GpuUser> others_;
};

/// Of the GPU of that UUID.
[[nodiscard]] std::filesystem::path users_folder(const std::string& uuid);

}  // namespace evo::session
