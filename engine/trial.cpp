#include "engine/trial.hpp"

namespace evo::engine {

std::optional<model::Latency> TrialRecord::latency() const {
  if (latencies.empty()) return std::nullopt;
  return model::combine(latencies);
}

}  // namespace evo::engine
