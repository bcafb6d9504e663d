// From a kernel's file and what the user said to a draft of its problem.
#pragma once

#include <functional>
#include <string>

#include "evaluators/compile/compiler.hpp"
#include "intake/draft.hpp"

namespace evo::intake {

enum class Purpose : std::uint8_t {
  folder,  ///< evo new: what is not known becomes a TODO
  run,     ///< evo tune, evo check: what is not known is an error that names the flag which says it
};

/// Hears what is done next, where that may take seconds.
using Tell = std::function<void(const std::string&)>;

/// Throws model::Exception: (usage) for flags and files that are wrong, or for what a run needs to be told,
/// with file and line; (invalid_configuration) for a kernel or reference that does not compile or match;
/// (environment) without NVRTC.
[[nodiscard]] Draft make_draft(evaluators::compile::Compiler& compiler, const Request& request,
                               Purpose purpose, const Tell& tell = {});

}  // namespace evo::intake
