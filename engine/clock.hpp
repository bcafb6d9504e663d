// Port: time. The only use of a clock in the engine is for budgets and progress.
#pragma once

namespace evo::engine {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since an arbitrary fixed point; never goes back. Thread-safe.
  [[nodiscard]] virtual double now() const = 0;
};

class SteadyClock final : public Clock {
 public:
  [[nodiscard]] double now() const override;
};

}  // namespace evo::engine
