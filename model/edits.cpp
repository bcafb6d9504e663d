#include "model/edits.hpp"

#include <fmt/format.h>

#include "source/apply.hpp"

namespace evo::model {
namespace {

constexpr std::size_t most_edits = 100;

}  // namespace

bool names_an_edit(std::string_view name) {
  return name.starts_with('~');
}

source::Edits edits_of(const Genome& genome) {
  source::Edits edits;
  for (const auto& [name, value] : genome.values()) {
    const auto* text = std::get_if<std::string>(&value);
    if (!names_an_edit(name) || text == nullptr) continue;
    if (auto edit = source::edit_from_text(*text)) edits.push_back(std::move(*edit));
  }
  return edits;
}

Genome with_edits(const Genome& genome, const source::Edits& edits) {
  Environment values;
  for (const auto& [name, value] : genome.values()) {
    if (!names_an_edit(name)) values.emplace(name, value);
  }
  for (std::size_t i = 0; i < edits.size() && i < most_edits; ++i)
    values.insert_or_assign(fmt::format("~{:02}", i), source::text_of(edits[i]));
  return Genome(std::move(values));
}

std::string edited(std::string text, const Genome& genome) {
  const source::Edits edits = edits_of(genome);
  return edits.empty() ? text : source::apply_edits(text, edits).text;
}

}  // namespace evo::model
