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

#include <boost/json.hpp>

#include "report/run_view.hpp"

namespace evo::report {

/// When any of the ledgers was written last; what cannot be asked counts as never.
[[nodiscard]] std::filesystem::file_time_type last_written(const std::vector<std::string>& runs);
[[nodiscard]] bool any_held(const std::vector<std::string>& runs);

/// Thread-safe.
class Snapshot {
 public:
  /// Reads the runs, unless their ledgers have more bytes than `at_once`: then the data says for the moment
  /// that they are being read, as version 0, and refresh() reads them. Throws as document_of() does of what
  /// is read here, and model::Exception(usage) for a folder without a ledger.
  Snapshot(std::vector<std::string> runs, std::vector<std::string> benches,
           std::uintmax_t at_once = read_at_once);
  /// What is read in about half a second.
  static constexpr std::uintmax_t read_at_once = std::uintmax_t{8} << 20;

  struct Data {
    std::uint64_t version = 0;                ///< counts up with every change
    std::shared_ptr<const std::string> json;  ///< embedded_json()
    std::shared_ptr<const std::string> page;  ///< live_page() of it
    /// What changes() says of each version and the one before it, as text: of the last ones, the newest last.
    std::vector<std::shared_ptr<const std::string>> changes{};

    /// "[CHANGE, ...]" that lead from the version `known` to this one; "null" where they are not kept.
    [[nodiscard]] std::string since(std::uint64_t known) const;
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
  void take(boost::json::object document);

  std::vector<std::string> runs_, benches_;
  Remembered remembered_;
  boost::json::object document_;  ///< of data_, while a run goes on
  std::filesystem::file_time_type written_;
  bool held_ = false;
  bool pending_ = false;  ///< nothing has been read yet
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Data data_;
  bool closed_ = false;
};

}  // namespace evo::report
