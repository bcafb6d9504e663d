// The data of runs as of their last change, shared by all who look.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace evo::report {

/// When any of the ledgers was written last; what cannot be asked counts as never.
[[nodiscard]] std::filesystem::file_time_type last_written(const std::vector<std::string>& runs);
[[nodiscard]] bool any_held(const std::vector<std::string>& runs);

/// Thread-safe.
class Snapshot {
 public:
  /// Reads the runs. Throws as document_of() does.
  Snapshot(std::vector<std::string> runs, std::vector<std::string> benches);

  struct Data {
    std::uint64_t version = 0;                ///< counts up with every change
    std::shared_ptr<const std::string> json;  ///< embedded_json()
  };
  [[nodiscard]] Data now() const;
  /// Waits for another version than `known`, for `longest` at most, or for close().
  [[nodiscard]] Data wait(std::uint64_t known, std::chrono::milliseconds longest) const;

  /// Reads the runs again if a ledger was written or a run began or ended since; a ledger that cannot be read
  /// at this moment leaves the data as it is. Returns how long it took.
  std::chrono::milliseconds refresh();
  /// Ends every wait.
  void close();
  [[nodiscard]] bool closed() const;

 private:
  std::vector<std::string> runs_, benches_;
  std::filesystem::file_time_type written_;
  bool held_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Data data_;
  bool closed_ = false;
};

}  // namespace evo::report
