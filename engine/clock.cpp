#include "engine/clock.hpp"

#include <chrono>

namespace evo::engine {

double SteadyClock::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace evo::engine
