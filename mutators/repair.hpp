// The one repair: a code that constraints forbid becomes a legal one near it.
#pragma once

#include <optional>
#include <vector>

#include "model/random.hpp"
#include "mutators/coded_space.hpp"
#include "mutators/settings.hpp"

namespace evo::mutators {

/// Changes genes of `code` that violated constraints name until it is legal, so that a step which one
/// constraint forbids takes a coupled gene along. Genes marked in `decided` and barriers stay as they are as
/// long as a violated constraint names others. Returns `code` itself when it is legal; nullopt when that does
/// not end soon.
[[nodiscard]] std::optional<Code> repair(const CodedSpace& space, Code code, const std::vector<bool>& decided,
                                         const OperatorSettings& settings, model::RandomStream& random);

}  // namespace evo::mutators
