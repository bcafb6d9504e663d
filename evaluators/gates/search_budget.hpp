// How long evo looks for a launch that runs the rest of a kernel's code.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "model/verdict.hpp"

namespace evo::evaluators::gates {

/// What the search may execute, in thread instructions, so that every machine comes to the same verdict.
class SearchBudget {
 public:
  /// A minute or so of the virtual device.
  static constexpr std::uint64_t usual = std::uint64_t{1} << 31;
  explicit SearchBudget(std::uint64_t instructions = usual) : all_(instructions), left_(instructions) {}

  /// Nothing is left but what is kept back, or less than the last launch took: who comes later has its share.
  [[nodiscard]] bool spent() const { return left_ <= kept_ || (kept_ > 0 && left_ - kept_ < last_); }
  /// From here on so many sixteenths of the whole are for later.
  void keep_back(unsigned sixteenths);
  /// Was it spent, now or when something else began to be kept back?
  [[nodiscard]] bool ended() const { return ended_ || spent(); }
  /// A launch that ended without a report is charged a share of all: nobody knows how far it went.
  void charge(const devices::Outcome<devices::LaunchReport>& outcome);
  /// Adds to each of `never`, what no launch ran, that the search ended before all had been tried.
  void tell(std::vector<model::Evidence>& never) const;

 private:
  std::uint64_t all_, left_, kept_ = 0, last_ = 0;
  bool ended_ = false;
};

}  // namespace evo::evaluators::gates
