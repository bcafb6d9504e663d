// Grid, block and shared memory as expressions, from the names of genes and the kernel's text.
#pragma once

#include <string>
#include <vector>

#include "intake/draft.hpp"
#include "intake/ptx_use.hpp"
#include "intake/signature.hpp"

namespace evo::intake {

/// `body` is the kernel's text with what stands around it. Uses the draft's genes, axes and arguments; flags
/// of the request that give a part are taken as they are.
[[nodiscard]] DraftLaunch guess_launch(const Draft& draft, const Request& request, const KernelText& kernel,
                                       const std::string& body, const KernelUse& use);

/// The array whose elements threads are counted by: the largest output, by its dimensions; null without one.
[[nodiscard]] const DraftArgument* largest_output(const Draft& draft);
/// Its elements: "m * n".
[[nodiscard]] std::string elements_of(const DraftArgument& argument);

}  // namespace evo::intake
