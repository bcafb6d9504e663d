// Programs beside evo's that have work on a GPU: they take no turns, so that what is timed may be disturbed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace evo::evaluators::cuda {

/// Counts processes that have a context on a GPU and are neither evo's nor started by it. Asks once a second
/// at most: the driver takes its time.
class Strangers {
 public:
  /// Ids of the processes on the GPU; nullopt where that is not told.
  using List = std::function<std::optional<std::vector<unsigned>>()>;
  /// `processes`: the system's folder of them.
  explicit Strangers(List list, std::filesystem::path processes = "/proc",
                     std::chrono::milliseconds period = std::chrono::seconds(1));

  /// nullopt where nobody can tell: the ids are not told, or are of another name space (a container's), of
  /// which the sign is that no process of evo's is among them.
  [[nodiscard]] std::optional<unsigned> count();
  /// As count(), at a time when evo itself may not be on the GPU yet: whoever cannot be told to be evo's
  /// counts.
  [[nodiscard]] std::optional<unsigned> before_own() const;

 private:
  [[nodiscard]] std::optional<unsigned> count_now();
  [[nodiscard]] bool is_server(unsigned process) const;
  /// nullopt: there is no such process.
  [[nodiscard]] std::optional<bool> is_ours(unsigned process) const;

  List list_;
  std::filesystem::path processes_;
  std::chrono::milliseconds period_;
  std::chrono::steady_clock::time_point asked_;
  bool asked_before_ = false;
  std::optional<unsigned> known_;
  std::set<unsigned> unseen_;  ///< listed last time without a process of that id
};

/// What devices::Device::held_clocks() says of a GPU whose clocks are held down by `reasons` and on which so
/// many strangers are: model::another_process among them.
[[nodiscard]] std::string with_strangers(std::string reasons, std::optional<unsigned> strangers);

}  // namespace evo::evaluators::cuda
