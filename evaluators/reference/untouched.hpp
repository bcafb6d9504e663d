// Elements that a reference leaves as they were. Where an output begins with zeros, or an inout with its
// contents, nothing shows after one launch whether anybody wrote them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::reference {

struct Untouched {
  std::size_t argument = 0;
  std::int64_t element = 0;  ///< logical index
};

/// The first element of a zeroed output or an inout, of those that do not declare keeps_unwritten, that one
/// launch left as `inputs` (or zero) had it and that five more launches on other contents leave as well.
/// `outputs` are what the first one made of `wide`, the case as the reference takes it. A further launch that
/// fails tells nothing.
[[nodiscard]] std::optional<Untouched> find_untouched(devices::Device& machine, devices::ModuleId module,
                                                      const model::Case& wide,
                                                      const oracle::InputBuffers& inputs,
                                                      const oracle::ReferenceOutputs& outputs);

}  // namespace evo::evaluators::reference
