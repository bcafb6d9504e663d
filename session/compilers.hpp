// The compiler of a session: NVRTC in processes of its own, behind the artifact cache.
#pragma once

#include <memory>

#include "evaluators/compile/compiler.hpp"

namespace evo::session {

/// `workers` processes at most, started when first needed. Throws model::Exception(environment) without a
/// usable NVRTC.
[[nodiscard]] std::shared_ptr<evaluators::compile::Compiler> cached_compiler(unsigned workers);

}  // namespace evo::session
