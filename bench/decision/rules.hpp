// Rules that decide whether a candidate becomes champion.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/decision/noise.hpp"

namespace evo::bench {

struct Rule {
  std::string name;
  std::function<bool(Turns&)> promotes;
};

/// evo's own and others beside it; `margin`: by how much a candidate has to be faster.
[[nodiscard]] std::vector<Rule> rules(double margin);

}  // namespace evo::bench
