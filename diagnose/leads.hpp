// From what the outputs look like to the lines that may be about it.
#pragma once

#include <string>
#include <vector>

#include "diagnose/answers.hpp"
#include "diagnose/facts.hpp"
#include "diagnose/roles.hpp"

namespace evo::diagnose {

struct Lead {
  std::vector<std::string> kinds;  ///< of mutants, likeliest first
  std::vector<int> lines;          ///< likeliest first
  std::string why;
};

[[nodiscard]] Lead lead_of(const Answer& answer, const Roles& roles);

/// Where nothing but the facts lead: a small error leads to what is kept in 16 bits, a flag that is needed to
/// the mask, a number that is none to maxima and exponentials. Empty lines where nothing does.
[[nodiscard]] Lead lead_of(const Facts& facts, const Roles& roles);

}  // namespace evo::diagnose
