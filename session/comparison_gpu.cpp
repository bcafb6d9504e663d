// A comparison on a real GPU: its compiler and its context.
#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/host_code_compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "packs/builtin.hpp"
#include "session/comparison.hpp"

namespace evo::session {

Comparison compare_on_gpu(const std::array<Compared, 2>& sides, const ComparisonSettings& settings,
                          const std::string& device_name, const std::stop_token& stop) {
  using namespace evaluators;
  const int ordinal = cuda::parse_cuda_ordinal(device_name).value();
  compile::ServiceOptions few;
  few.workers = 2;
  compile::CompileService service(few);
  compile::ArtifactCache cache(compile::ArtifactCache::default_folder());
  compile::CachingCompiler cached(service, cache);
  compile::HostCodeCompiler compiler(cached);
  const std::shared_ptr<cuda::CudaContext> context = cuda::open_context(ordinal);
  cuda::CudaDevice device(context);
  cuda::share_context(*context);
  PairDevice on{&device, &compiler, packs::catalogue_of(packs::builtin()), 0};
  for (const auto& entry : cuda::list_cuda_devices().devices) {
    if (entry.ordinal == ordinal) on.l2_bytes = entry.l2_bytes;
  }
  reference::add_reference(on.known, sides[0].experiment, compiler);
  return compare_in_pairs(sides, settings, on, stop);
}

}  // namespace evo::session
