// One gene to another value: what mutation and repair are made of.
#pragma once

#include "model/random.hpp"
#include "mutators/coded_space.hpp"

namespace evo::mutators {

/// Another value than `current` of a gene that has at least two: an ordered integer with the chance
/// `to_neighbour` the next or the one before, otherwise, and for symbols, any other.
[[nodiscard]] std::uint16_t other_value(const CodedSpace& space, std::size_t gene, std::uint16_t current,
                                        double to_neighbour, model::RandomStream& random);

}  // namespace evo::mutators
