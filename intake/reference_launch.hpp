// How a reference is launched where nobody has said it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/ptx_use.hpp"
#include "model/artifact.hpp"

namespace evo::intake {

/// The kernel's own launch, of its first genome: who writes both gives them the same sides. Nothing where it
/// has fewer sides than the reference asks for, or where twice as many blocks along a side that the reference
/// shares out among threads (`body`: its text) write more: then each of the kernel's threads does several
/// elements.
[[nodiscard]] std::optional<DraftReferenceLaunch> launch_like_kernel(const Draft& draft,
                                                                     const model::Artifact& reference,
                                                                     const KernelUse& use,
                                                                     const std::string& body);

}  // namespace evo::intake
