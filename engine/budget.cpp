#include "engine/budget.hpp"

#include <array>

#include <fmt/format.h>

namespace evo::engine {

double cost_of(const model::Budget& budget, double device_seconds) {
  return device_seconds / 3600 * budget.hourly_price;
}

std::optional<EventRecord> spent_budget(const model::Budget& budget, std::int64_t trials,
                                        double elapsed_seconds, double device_seconds, double cost) {
  struct Limit {
    const char* name;
    double limit;
    double used;
  };
  const std::array<Limit, 3> limits{{{"wall_seconds", budget.wall_seconds, elapsed_seconds},
                                     {"device_seconds", budget.device_seconds, device_seconds},
                                     {"money", budget.cost, cost}}};
  for (const Limit& entry : limits) {
    if (entry.limit <= 0 || entry.used < entry.limit) continue;
    return EventRecord{event_kinds::budget_stop,
                       trials,
                       {{"budget", entry.name},
                        {"limit", fmt::format("{}", entry.limit)},
                        {"used", fmt::format("{:.6g}", entry.used)}}};
  }
  return std::nullopt;
}

}  // namespace evo::engine
