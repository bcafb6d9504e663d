// A value that few trials had, which some proposals must have.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/strategies/boosted_trees.hpp"
#include "engine/strategies/coded_space.hpp"
#include "engine/strategies/offspring.hpp"
#include "model/random.hpp"

namespace evo::engine {

/// A value, by its position, of a gene, by its own.
struct Probe {
  std::size_t gene = 0;
  std::uint16_t value = 0;

  [[nodiscard]] bool in(const Code& code) const { return code[gene] == value; }
  /// "BLOCK_N=256"
  [[nodiscard]] std::string text(const CodedSpace& space) const;
};

/// The rarest in `rows` of a few values of tuning genes that are drawn; nullopt where no tuning gene has two
/// values.
[[nodiscard]] std::optional<Probe> draw_probe(const CodedSpace& space, std::span<const Observation> rows,
                                              model::RandomStream& random);

/// Gives the value to all of `offspring`, and what has to change with it; drops those where that fails.
void impose(const CodedSpace& space, const Probe& probe, std::vector<Bred>& offspring,
            model::RandomStream& random);

}  // namespace evo::engine
