// One compile, inside a worker process.
#pragma once

#include "evaluators/compile/codec.hpp"
#include "evaluators/compile/nvrtc.hpp"

namespace evo::evaluators::compile {

/// Source to PTX, cubin, resources and code hash in one NVRTC compile. Throws model::Exception(environment)
/// for an architecture that this NVRTC does not know. The caller's working folder must be the toolkit's
/// include folder, whose path is taken out of the line tables.
[[nodiscard]] CompileResult run_compile(const Nvrtc& nvrtc, const CompileRequest& request);

/// Options of a compile, besides those of the request. Part of cache keys.
[[nodiscard]] std::vector<std::string> fixed_options(const CompileRequest& request);

}  // namespace evo::evaluators::compile
