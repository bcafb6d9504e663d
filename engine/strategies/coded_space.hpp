// A space in small integers, for strategies that look at thousands of genomes a proposal.
#pragma once

#include <cstdint>
#include <vector>

#include "model/legality.hpp"
#include "model/space.hpp"

namespace evo::engine {

/// A genome: for each gene, in the order of Space::genes(), the position of its value.
using Code = std::vector<std::uint16_t>;

/// Translates genomes, and tests codes for legality without translating them.
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
  const model::Space& space_;
  model::Legality legality_;
};

}  // namespace evo::engine
