// Rows of choices in which each two values of different factors meet.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "model/random.hpp"

namespace evo::evaluators::gates {

/// Of each factor, which of its levels.
using LevelRow = std::vector<std::size_t>;

/// Rows that `accept` takes, `most_rows` at most, so that each two levels of two factors stand together in
/// one of them (a covering array of strength two), found greedily. `levels`: how many levels each factor has;
/// one factor alone has each of its levels once. Pairs that `accept` takes in no row of a few that have them
/// are given up. Depends on the arguments and on the stream only.
[[nodiscard]] std::vector<LevelRow> cover_pairs(std::span<const std::size_t> levels, std::size_t most_rows,
                                                model::RandomStream& stream,
                                                const std::function<bool(const LevelRow&)>& accept);

}  // namespace evo::evaluators::gates
