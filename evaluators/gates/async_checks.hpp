// AsyncChecks that are made on other threads while the device goes on with the next launch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "model/verdict.hpp"

namespace evo::evaluators::gates {

/// Owned and called by one thread.
class AsyncChecks {
 public:
  enum class When : std::uint8_t {
    at_once,  ///< in submit(): nothing is launched after a failure
    beside,   ///< on other threads; what was launched before a failure was seen does no harm
  };
  explicit AsyncChecks(When when);
  ~AsyncChecks();
  AsyncChecks(const AsyncChecks&) = delete;
  AsyncChecks& operator=(const AsyncChecks&) = delete;

  using AsyncCheck = std::function<std::optional<model::Failure>()>;
  /// `bytes`: what the check keeps in memory; it waits once too much is kept.
  void submit(AsyncCheck check, std::int64_t bytes);
  /// One of those submitted so far is known to have failed.
  [[nodiscard]] bool failed() const;
  /// Waits for all; the failure that was submitted first, whichever was found first.
  [[nodiscard]] std::optional<model::Failure> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evo::evaluators::gates
