// Which template a proposal is made for, when an experiment has several.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/search_space.hpp"
#include "engine/trial.hpp"
#include "model/random.hpp"

namespace evo::engine {

/// Chance of each template, in the order of `space`; the sum is 1. A template's chance falls with how far its
/// fastest variant is behind the fastest of all, but a template that was tried little has the benefit of the
/// doubt: an allowance that grows with how far apart its variants are (so much more may be in it) and shrinks
/// with the square root of its trials. A small share goes to all alike, so that none is given up for good.
[[nodiscard]] std::vector<double> template_chances(const SearchSpace& space,
                                                   std::span<const TrialRecord> visible);

/// A position in `chances`, drawn by them.
[[nodiscard]] std::size_t draw_by_chance(std::span<const double> chances, model::RandomStream& random);

}  // namespace evo::engine
