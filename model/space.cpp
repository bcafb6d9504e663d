#include "model/space.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    if (!find(name)) return fmt::format("there is no gene {}", name);
  }
  Environment environment = fixed_;
  for (const auto& [name, value] : genome.values()) environment.insert_or_assign(name, value);
  for (const Constraint& constraint : constraints_) {
    const auto holds = constraint.condition.evaluate_integer(environment);
    if (!holds) return holds.error().text();
    if (*holds == 0) return fmt::format("{} (constraint {})", constraint.reason, constraint.condition.text());
  }
  return std::nullopt;
}

bool Space::weakened(const Genome& genome) const {
  return std::any_of(genes_.begin(), genes_.end(), [&](const Gene& gene) {
    return gene.role == GeneRole::sync && genome.at(gene.name) != gene.values.back();
  });
}

std::uint64_t Space::count_all() const {
  std::uint64_t count = 1;
  for (const Gene& gene : genes_) {
    if (__builtin_mul_overflow(count, gene.values.size(), &count)) return UINT64_MAX;
  }
  return count;
}

std::uint64_t Space::count_legal(bool sync_at_full) const {
  // Genes that no constraint names only multiply the count; the others are enumerated, and a constraint is
  // tested as soon as its last gene has a value. What then remains to be counted depends only on those values
  // that later constraints ask for, so that each combination of these is counted once.
  std::vector<const Gene*> bound;
  std::uint64_t free_factor = 1;
  const auto named = [&](const Gene& gene) {
    return std::any_of(constraints_.begin(), constraints_.end(),
                       [&](const Constraint& c) { return c.condition.names().contains(gene.name); });
  };
  const auto values_of = [&](const Gene& gene) {
    const std::size_t first = sync_at_full && gene.role == GeneRole::sync ? gene.values.size() - 1 : 0;
    return std::vector<Value>(gene.values.begin() + static_cast<std::ptrdiff_t>(first), gene.values.end());
  };
  for (const Gene& gene : genes_) {
    if (named(gene)) {
      bound.push_back(&gene);
    } else {
      if (__builtin_mul_overflow(free_factor, values_of(gene).size(), &free_factor)) free_factor = UINT64_MAX;
    }
  }
  std::vector<std::vector<const Constraint*>> due(bound.size() + 1);
  for (const Constraint& constraint : constraints_) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < bound.size(); ++i) {
      if (constraint.condition.names().contains(bound[i]->name)) last = i + 1;
    }
    due[last].push_back(&constraint);
  }
  std::vector<std::vector<std::size_t>> live(bound.size() +
                                             1);  // at a depth: earlier genes that are asked for later
  for (std::size_t depth = 0; depth <= bound.size(); ++depth) {
    for (std::size_t i = 0; i < depth; ++i) {
      const bool asked = std::any_of(
          due.begin() + static_cast<std::ptrdiff_t>(depth) + 1, due.end(), [&](const auto& constraints) {
            return std::any_of(constraints.begin(), constraints.end(), [&](const Constraint* constraint) {
              return constraint->condition.names().contains(bound[i]->name);
            });
          });
      if (asked) live[depth].push_back(i);
    }
  }
  std::vector<std::map<std::vector<std::size_t>, std::uint64_t>> counted(bound.size() + 1);
  std::vector<std::size_t> chosen(bound.size());  // positions of values
  Environment environment = fixed_;
  const std::function<std::uint64_t(std::size_t)> count = [&](std::size_t depth) -> std::uint64_t {
    for (const Constraint* constraint : due[depth]) {
      const auto holds = constraint->condition.evaluate_integer(environment);
      if (!holds || *holds == 0) return 0;
    }
    if (depth == bound.size()) return 1;
    std::vector<std::size_t> key;
    for (const std::size_t i : live[depth]) key.push_back(chosen[i]);
    if (const auto known = counted[depth].find(key); known != counted[depth].end()) return known->second;
    std::uint64_t total = 0;
    const std::vector<Value> values = values_of(*bound[depth]);
    for (std::size_t i = 0; i < values.size(); ++i) {
      chosen[depth] = i;
      environment.insert_or_assign(bound[depth]->name, values[i]);
      total += count(depth + 1);
    }
    counted[depth].emplace(std::move(key), total);
    return total;
  };
  std::uint64_t total = 0;
  return __builtin_mul_overflow(free_factor, count(0), &total) ? UINT64_MAX : total;
}

}  // namespace evo::model
