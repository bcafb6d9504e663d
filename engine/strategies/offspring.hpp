// Many offspring at a time, as codes: what a model of the latency is asked about.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/strategies/coded_space.hpp"
#include "model/random.hpp"

namespace evo::engine {

/// How offspring are made; the settings of a search in short.
struct Breeding {
  double crossover = 0.6;  ///< share that has two parents
  bool tuning = true;      ///< whether tuning genes change
  bool barriers = true;    ///< whether barriers are weakened or strengthened, now and then
};

/// A legal genome that was made from parents[from].
struct Bred {
  Code code;
  std::size_t from = 0;
};

/// Changes genes of `code` that violated constraints name, other than those marked in `kept` as long as there
/// are others, until it is legal: a step that one constraint forbids then takes a coupled gene along. nullopt
/// when that does not end soon.
[[nodiscard]] std::optional<Code> made_legal(const CodedSpace& space, Code code, std::vector<bool> kept,
                                             model::RandomStream& random);

/// At most `count` legal offspring of `parents` (best first; good ones are taken more often): crossed,
/// changed in one, two or more genes, and made legal. Some may be equal to each other or to parents.
[[nodiscard]] std::vector<Bred> breed_many(const CodedSpace& space, std::span<const Code> parents,
                                           std::size_t count, const Breeding& breeding,
                                           model::RandomStream& random);

/// Every legal genome that differs from `code` in one tuning gene, and for each step that a constraint
/// forbids one that takes a coupled gene along, where that is found.
[[nodiscard]] std::vector<Code> around(const CodedSpace& space, const Code& code,
                                       model::RandomStream& random);

}  // namespace evo::engine
