#include "mutators/proposal.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/edits.hpp"

namespace evo::mutators {

std::string describe_changes(const model::Genome& from, const model::Genome& to) {
  std::string text;
  for (const auto& [gene, value] : to.values()) {
    if (model::names_an_edit(gene)) continue;
    const auto old = from.values().find(gene);
    if (old == from.values().end() || old->second == value) continue;
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", gene, model::to_string(old->second),
                        model::to_string(value));
  }
  const auto before = model::edits_of(from), after = model::edits_of(to);
  const auto list = [&](const source::Edits& edits, const source::Edits& others, const char* sign) {
    for (const source::Edit& edit : edits) {
      if (std::find(others.begin(), others.end(), edit) != others.end()) continue;
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", sign, source::text_of(edit));
    }
  };
  list(after, before, "+");
  list(before, after, "-");
  return text;
}

}  // namespace evo::mutators
