// How large a kernel's arrays are: runs it at small sizes on the virtual device and sees where it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/probe_run.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// The shape of an array as the kernel's accesses have it.
struct FoundShape {
  std::vector<std::string> shape;  ///< of axes and numbers
  bool exact = false;              ///< the kernel reaches the last element
  std::int64_t unread = 0;  ///< of an input, so many last elements at most, which nobody reads, are a rest
  bool rows = false;        ///< not exact: rows whose last one is reached as far as data has it, or an index
};

/// For each of the draft's arguments: nothing of scalars, of those whose `asked` is false, and where the
/// code does not run (it asks for what the virtual device lacks, or goes out of bounds whatever the sizes).
/// All arrays hold zeros, then ones where zeros lead nowhere, so of one that is indexed by another array's
/// elements the extent is not seen. The genome is the first one; axes have small sizes that no two products
/// of have in common. A reference has more threads than it has elements: one that trusts their number goes
/// out of bounds, and is not seen.
[[nodiscard]] std::vector<std::optional<FoundShape>> find_shapes(const Draft& draft,
                                                                 const model::Artifact& artifact,
                                                                 Probed whose,
                                                                 const std::vector<bool>& asked);

/// Whether the code stays within the argument where it has this shape, at small sizes. True where it cannot
/// be asked.
[[nodiscard]] bool stays_within(const Draft& draft, const model::Artifact& artifact, Probed whose,
                                std::size_t argument, const std::vector<std::string>& shape);

/// Whether the code touches no element of the array, with zeros and with ones in all of them.
[[nodiscard]] bool leaves_alone(const Draft& draft, const model::Artifact& artifact, Probed whose,
                                std::size_t argument);

/// "with n=5, m=7 it goes up to 37 elements": how far the code goes in the array at small sizes, for whoever
/// is asked for its shape. "" where that cannot be seen.
[[nodiscard]] std::string reach_text(const Draft& draft, const model::Artifact& artifact, Probed whose,
                                     std::size_t argument);

}  // namespace evo::intake
