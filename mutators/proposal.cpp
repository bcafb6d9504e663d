#include "mutators/proposal.hpp"

#include <fmt/format.h>

namespace evo::mutators {

std::string describe_changes(const model::Genome& from, const model::Genome& to) {
  std::string text;
  for (const auto& [gene, value] : to.values()) {
    const auto old = from.values().find(gene);
    if (old == from.values().end() || old->second == value) continue;
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", gene, model::to_string(old->second),
                        model::to_string(value));
  }
  return text;
}

}  // namespace evo::mutators
