#include "export/parameters.hpp"

#include <algorithm>

#include "model/structure.hpp"

namespace evo::exporting {

std::vector<Parameter> parameters_of(const std::vector<std::size_t>& taken,
                                     const std::vector<model::StructPlan>& structs) {
  std::vector<Parameter> parameters;
  for (std::size_t at = 0; at < taken.size();) {
    const auto whole = std::ranges::find_if(structs, [&](const model::StructPlan& each) {
      for (std::size_t i = 0; i < each.offsets.size(); ++i) {
        if (at + i >= taken.size() || taken[at + i] != each.first + i) return false;
      }
      return true;
    });
    if (whole == structs.end()) {
      parameters.push_back({taken[at++], std::nullopt});
    } else {
      parameters.push_back({taken[at], *whole});
      at += whole->offsets.size();
    }
  }
  return parameters;
}

std::vector<Parameter> parameters_of(const std::vector<model::Argument>& arguments,
                                     const model::LaunchModel& launch) {
  std::vector<std::size_t> taken;
  if (launch.arguments) taken = *launch.arguments;
  for (std::size_t i = 0; i < arguments.size() && !launch.arguments; ++i) {
    if (arguments[i].symbol.empty()) taken.push_back(i);
  }
  return parameters_of(taken, model::structs_of(arguments));
}

}  // namespace evo::exporting
