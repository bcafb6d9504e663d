// A space in small integers: what the operators work on, because a strategy looks at thousands of genomes.
#pragma once

#include <cstdint>
#include <vector>

#include "model/legality.hpp"
#include "model/space.hpp"

namespace evo::mutators {

/// A genome: for each gene, in the order of Space::genes(), the position of its value.
using Code = std::vector<std::uint16_t>;

/// Translates genomes, and tests codes for legality without translating them.
class CodedSpace {
 public:
  /// `space` is kept by reference.
  explicit CodedSpace(const model::Space& space);

  [[nodiscard]] const model::Space& space() const { return space_; }
  [[nodiscard]] const model::Legality& legality() const { return legality_; }
  [[nodiscard]] std::size_t genes() const { return space_.genes().size(); }
  /// Number of values of a gene.
  [[nodiscard]] std::size_t values(std::size_t gene) const { return space_.genes()[gene].values.size(); }
  /// Positions of the genes with a role that have more than one value.
  [[nodiscard]] const std::vector<std::size_t>& tuning() const { return tuning_; }
  [[nodiscard]] const std::vector<std::size_t>& barriers() const { return barriers_; }

  /// `genome` must have a known value for every gene.
  [[nodiscard]] Code encode(const model::Genome& genome) const;
  [[nodiscard]] model::Genome decode(const Code& code) const;

  [[nodiscard]] bool legal(const Code& code) const { return violated(code) == nullptr; }
  /// The genes of the first constraint that `code` violates; nullptr when it is legal.
  [[nodiscard]] const std::vector<std::size_t>* violated(const Code& code) const;

 private:
  const model::Space& space_;
  model::Legality legality_;
  std::vector<std::size_t> tuning_, barriers_;
};

}  // namespace evo::mutators
