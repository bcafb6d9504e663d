// A space in small integers, for strategies that look at thousands of genomes a proposal.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/space.hpp"

namespace evo::engine {

/// A genome: for each gene, in the order of Space::genes(), the position of its value.
using Code = std::vector<std::uint16_t>;

/// Translates genomes, and remembers what each constraint said of the values that it names, so that a test
/// for legality is a few look-ups. What it remembers changes no answer; not for use by several threads at a
/// time.
class CodedSpace {
 public:
  /// `space` is kept by reference.
  explicit CodedSpace(const model::Space& space);

  [[nodiscard]] const model::Space& space() const { return space_; }
  [[nodiscard]] std::size_t genes() const { return space_.genes().size(); }
  /// Number of values of a gene.
  [[nodiscard]] std::size_t values(std::size_t gene) const { return space_.genes()[gene].values.size(); }

  /// `genome` must have a known value for every gene.
  [[nodiscard]] Code encode(const model::Genome& genome) const;
  [[nodiscard]] model::Genome decode(const Code& code) const;

  [[nodiscard]] bool legal(const Code& code) const { return violated(code) == nullptr; }
  /// The genes of the first constraint that `code` violates; nullptr when it is legal.
  [[nodiscard]] const std::vector<std::size_t>* violated(const Code& code) const;

 private:
  struct Rule {
    const model::Constraint* constraint;
    std::vector<std::size_t> genes;
    /// Distance of neighbouring values of genes[i] in the number of a combination. Empty: there are more
    /// combinations than 64 bits count.
    std::vector<std::uint64_t> strides;
    mutable std::unordered_map<std::uint64_t, bool> known;
  };
  [[nodiscard]] bool holds(const Rule& rule, const Code& code) const;
  [[nodiscard]] bool evaluate(const Rule& rule, const Code& code) const;

  const model::Space& space_;
  std::vector<Rule> rules_;
};

}  // namespace evo::engine
