// Arrays that are read or written at what another array holds: x[id[i]].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/probe_run.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// The shape of an array that another one's elements lead into.
struct IndexedShape {
  std::vector<std::string> shape;  ///< of axes and numbers
  std::string index,
      axis;              ///< the array that holds the indices, and what they are below: 256, of bytes; axis
                         ///< "": offsets, beside whose rows with entries it is read
  bool offsets = false;  ///< they are where rows begin, and go up to that axis
  bool certain = false;  ///< no other shape holds at both sets of sizes that are looked at
};

/// For each of the draft's arguments whose `asked` is true: how large it is, where its reach grows with the
/// numbers in another input, and with indices up to an axis' last one it is reached to the last element of a
/// shape of that axis. Nothing of others. Of several such shapes that of an axis which no other array has,
/// and which does not count the indices; not `certain` where more than one is as plausible. Runs the code at
/// small sizes on the virtual device, at two sets of sizes.
[[nodiscard]] std::vector<std::optional<IndexedShape>> find_indexed_shapes(const Draft& draft,
                                                                           const model::Artifact& artifact,
                                                                           Probed whose,
                                                                           const std::vector<bool>& asked);

}  // namespace evo::intake
