#include "farm/share.hpp"

#include <algorithm>

namespace evo::farm {

std::size_t fair_share(const Crowd& crowd, const std::string& line, int ahead) {
  const auto threads = static_cast<std::size_t>(std::max(0, crowd.threads_of(line)));
  const auto runs = static_cast<std::size_t>(std::max(0, crowd.others)) + 1;
  return (static_cast<std::size_t>(ahead) * threads + runs - 1) / runs;
}

}  // namespace evo::farm
