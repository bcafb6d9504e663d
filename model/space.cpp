#include "model/space.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/edits.hpp"

namespace evo::model {

std::optional<std::size_t> Gene::index_of(const Value& value) const {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found == values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - values.begin());
}

const Value& Genome::at(std::string_view gene) const {
  const auto found = values_.find(gene);
  if (found == values_.end()) throw std::out_of_range(fmt::format("the genome has no gene {}", gene));
  return found->second;
}

std::string Genome::text() const {
  std::string result;
  for (const auto& [name, value] : values_) {
    result += fmt::format("{}{}={}", result.empty() ? "" : ",", name, to_string(value));
  }
  return result;
}

Space::Space(std::vector<Gene> genes, std::vector<Constraint> constraints, Environment fixed)
    : genes_(std::move(genes)), constraints_(std::move(constraints)), fixed_(std::move(fixed)) {}

const Gene* Space::find(std::string_view name) const {
  const auto found =
      std::find_if(genes_.begin(), genes_.end(), [&](const Gene& gene) { return gene.name == name; });
  return found == genes_.end() ? nullptr : &*found;
}

Genome Space::initial() const {
  Genome genome;
  for (const Gene& gene : genes_) genome.set(gene.name, gene.initial);
  return genome;
}

std::optional<std::string> Space::violation(const Genome& genome) const {
  for (const Gene& gene : genes_) {
    const auto found = genome.values().find(gene.name);
    if (found == genome.values().end()) return fmt::format("gene {} has no value", gene.name);
    if (!gene.index_of(found->second)) {
      std::vector<std::string> known;
      for (const Value& value : gene.values) known.push_back(to_string(value));
      return fmt::format("{}={} is none of {}", gene.name, to_string(found->second), fmt::join(known, ", "));
    }
  }
  for (const auto& [name, value] : genome.values()) {
    if (!find(name) && !names_an_edit(name)) return fmt::format("there is no gene {}", name);
  }
  Environment environment = fixed_;
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  if (auto why = text_gene_violation(genome, environment)) return why;
  for (const Constraint& constraint : constraints_) {
    Environment own;
    if (!constraint.given.empty()) {
      own = environment;
      for (const auto& [name, value] : constraint.given) own.insert_or_assign(name, value);
    }
    const auto holds = constraint.condition.evaluate_integer(constraint.given.empty() ? environment : own);
    if (!holds) return holds.error().text();
    if (*holds != 0) continue;
    if (constraint.reason.empty())
      return fmt::format("the constraint {} does not hold", constraint.condition.text());
    return fmt::format("{} (constraint {})", constraint.reason, constraint.condition.text());
  }
  return std::nullopt;
}

bool Space::weakened(const Genome& genome) const {
  return std::any_of(genes_.begin(), genes_.end(), [&](const Gene& gene) {
    return gene.role == GeneRole::sync && genome.at(gene.name) != gene.values.back();
  });
}

}  // namespace evo::model
