#include "model/edits.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/expression.hpp"
#include "source/apply.hpp"
#include "source/text_gene.hpp"

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

Genome with_values(Genome genome, const Environment& values) {
  for (const auto& [name, value] : values) genome.set(name, value);
  const bool edits = std::ranges::any_of(values, [](const auto& one) { return names_an_edit(one.first); });
  return edits ? with_edits(genome, edits_of(genome)) : genome;
}

std::string short_edit(std::string_view edit) {
  constexpr std::size_t most = 100;
  return edit.size() <= most ? std::string(edit) : fmt::format("{} ...", edit.substr(0, most));
}

std::string change_text(const Environment& was, const Environment& now) {
  std::string text;
  for (const auto& [name, value] : now) {
    if (!text.empty()) text += ", ";
    const std::string before = to_string(was.at(name));
    text += names_an_edit(name) ? fmt::format("without {}", short_edit(before))
                                : fmt::format("{}={} (was {})", name, to_string(value), before);
  }
  return text;
}

std::optional<std::string> text_gene_violation(const Genome& genome, const Environment& others) {
  std::vector<source::TextGene> genes;
  Environment environment = others;
  for (const source::Edit& edit : edits_of(genome)) {
    auto gene = source::gene_of(edit);
    if (!gene) continue;
    if (!environment.emplace(gene->name, gene->value).second)
      return fmt::format("the text's gene {} has the name of another", gene->name);
    genes.push_back(std::move(*gene));
  }
  for (const source::TextGene& gene : genes) {
    if (gene.condition.empty()) continue;
    const auto condition = Expression::parse(gene.condition);
    if (!condition) return condition.error().text();
    const auto holds = condition->evaluate_integer(environment);
    if (!holds) return holds.error().text();
    if (*holds == 0)
      return fmt::format("the condition {} of the text's gene {} does not hold", gene.condition, gene.name);
  }
  return std::nullopt;
}

std::string edited(std::string text, const Genome& genome) {
  const source::Edits edits = edits_of(genome);
  return edits.empty() ? text : source::apply_edits(text, edits).text;
}

}  // namespace evo::model
