#include "session/compilers.hpp"

#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/host_code_compiler.hpp"
#include "evaluators/compile/service.hpp"

namespace evo::session {
namespace {

struct OwnCompiler {
  explicit OwnCompiler(const evaluators::compile::ServiceOptions& options)
      : service(options),
        cache(evaluators::compile::ArtifactCache::default_folder()),
        cached(service, cache),
        compiler(cached) {}
  evaluators::compile::CompileService service;
  evaluators::compile::ArtifactCache cache;
  evaluators::compile::CachingCompiler cached;
  evaluators::compile::HostCodeCompiler compiler;
};

}  // namespace

std::shared_ptr<evaluators::compile::Compiler> cached_compiler(unsigned workers) {
  evaluators::compile::ServiceOptions options;
  options.workers = workers;
  const auto own = std::make_shared<OwnCompiler>(options);
  (void)own->service.greeting();
  return {own, &own->compiler};
}

}  // namespace evo::session
