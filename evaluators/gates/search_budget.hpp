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

  [[nodiscard]] bool spent() const { return left_ == 0; }
  /// A launch that ended without a report is charged a share of all: nobody knows how far it went.
  void charge(const devices::Outcome<devices::LaunchReport>& outcome);
  /// Adds to each of `never`, what no launch ran, that the search ended before all had been tried.
  void tell(std::vector<model::Evidence>& never) const;

 private:
  std::uint64_t all_, left_;
};

}  // namespace evo::evaluators::gates
