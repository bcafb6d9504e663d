// The compiler of a session: NVRTC in processes of its own, behind the artifact cache.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "evaluators/compile/compiler.hpp"
#include "session/elsewhere_first.hpp"

namespace evo::session {

struct MeteredCompiler {
  std::shared_ptr<evaluators::compile::Compiler> compiler;
  /// CPU seconds and seconds of waiting so far: {cpu, waiting}. Lives as long as it is held.
  std::function<std::pair<double, double>()> time;
  /// This machine's, which asks nobody.
  std::shared_ptr<evaluators::compile::Compiler> own;
  /// Has another one compile first what the artifact cache does not have; see ElsewhereFirst.
  std::function<void(CompileElsewhere)> elsewhere;
  /// Why nothing is kept in the artifact cache; empty: it is.
  std::string cache_problem;
};

/// `workers` processes at most; the first starts now. `beside_a_gpu`: they make way for what feeds it. Throws
/// model::Exception(environment) without a usable NVRTC.
[[nodiscard]] MeteredCompiler metered_compiler(unsigned workers, bool beside_a_gpu);
/// Its compiler alone.
[[nodiscard]] std::shared_ptr<evaluators::compile::Compiler> cached_compiler(unsigned workers);

}  // namespace evo::session
