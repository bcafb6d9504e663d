#include "session/compilers.hpp"

#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/host_code_compiler.hpp"
#include "evaluators/compile/service.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

struct CompilerChain {
  explicit CompilerChain(const compile::ServiceOptions& options)
      : service(options),
        cache(compile::ArtifactCache::default_folder()),
        cached(service, cache),
        elsewhere(cached, &cache),
        compiler(elsewhere) {}
  compile::CompileService service;
  compile::ArtifactCache cache;
  compile::CachingCompiler cached;
  ElsewhereFirst elsewhere;
  compile::HostCodeCompiler compiler;
};

}  // namespace

MeteredCompiler metered_compiler(unsigned workers, bool beside_a_gpu) {
  compile::ServiceOptions options;
  options.makes_way = beside_a_gpu;
  options.workers = workers;
  const auto chain = std::make_shared<CompilerChain>(options);
  (void)chain->service.greeting();  // a missing NVRTC is told now, not at the first trial
  const auto time = [chain] {
    const compile::CompileService::Usage usage = chain->service.usage();
    return std::pair(usage.cpu_seconds, usage.waiting_seconds);
  };
  const auto elsewhere = [chain](CompileElsewhere other) { chain->elsewhere.use(std::move(other)); };
  return {{chain, &chain->compiler}, time, {chain, &chain->cached}, elsewhere, chain->cache.problem()};
}

std::shared_ptr<compile::Compiler> cached_compiler(unsigned workers) {
  return metered_compiler(workers, false).compiler;
}

}  // namespace evo::session
