// Whether a reference's launch is too small: elements that it leaves, and that more blocks write.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "evaluators/devices/device.hpp"
#include "evaluators/oracle/oracle.hpp"
#include "evaluators/reference/untouched.hpp"
#include "model/artifact.hpp"
#include "model/variant.hpp"

namespace evo::evaluators::reference {

/// What one launch of `wide`, the case as the reference takes it, made: whole contents of what is judged, and
/// of each output which bytes were written (CaseBuffers::written_outputs()).
struct Launched {
  const std::vector<devices::HostBytes>& contents;
  const std::vector<std::vector<std::uint8_t>>& written;
};

/// The first element that this launch left and that one of twice or 16 times as many blocks, along a side for
/// which `artifact` asks, writes on the same inputs. A larger launch that fails, as one without a bound of
/// its own does, tells nothing.
[[nodiscard]] std::optional<Untouched> written_by_more_blocks(
    devices::Device& machine, devices::ModuleId module, const model::Artifact& artifact,
    const model::Case& wide, const oracle::InputBuffers& inputs, const Launched& launched);

/// Whether an element that this launch left need not show: an inout, or an output that keeps what was there.
[[nodiscard]] bool may_hide_what_it_leaves(const model::Case& bound);

}  // namespace evo::evaluators::reference
