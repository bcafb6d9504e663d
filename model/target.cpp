#include "model/target.hpp"

#include <algorithm>

namespace evo::model {

const TargetProfile* find_target(const std::vector<TargetProfile>& targets, std::string_view name) {
  const auto found =
      std::find_if(targets.begin(), targets.end(), [&](const auto& p) { return p.name == name; });
  return found == targets.end() ? nullptr : &*found;
}

std::vector<std::string> target_names(const std::vector<TargetProfile>& targets) {
  std::vector<std::string> names;
  for (const TargetProfile& p : targets) names.push_back(p.name);
  return names;
}

}  // namespace evo::model
