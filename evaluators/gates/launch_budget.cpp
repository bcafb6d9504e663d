#include "evaluators/gates/launch_budget.hpp"

#include <algorithm>

namespace evo::evaluators::gates {

std::uint64_t launch_budget(const model::GateSettings& settings, const model::Case& bound) {
  constexpr double least = 536870912;  // 2^29
  constexpr double for_work = 256;     // thread instructions to an operation or a byte
  constexpr double for_thread = 16384;
  const double threads = model::threads_in(bound.launch);
  const double wanted = least + for_work * (bound.flops + bound.bytes) + for_thread * threads;
  const auto allowed = static_cast<double>(settings.instruction_budget);
  return wanted >= allowed ? settings.instruction_budget : static_cast<std::uint64_t>(wanted);
}

std::uint64_t stretched_budget(const model::GateSettings& settings, const model::Case& bound) {
  constexpr double least = 134217728;  // 2^27
  constexpr double for_work = 64;
  const double wanted = least + for_work * (bound.flops + bound.bytes);
  return std::min(launch_budget(settings, bound), static_cast<std::uint64_t>(wanted));
}

}  // namespace evo::evaluators::gates
