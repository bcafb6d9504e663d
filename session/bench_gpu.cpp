// Side by side on a real GPU: its compiler, its context, the problem's comparator and the packs' libraries.
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "packs/builtin.hpp"
#include "session/bench.hpp"
#include "session/bench_others.hpp"
#include "session/compilers.hpp"
#include "session/kernel_comparators.hpp"

namespace evo::session {

using namespace evaluators;

BenchReport measure_on_gpu(const BenchSubject& subject, const BenchRequest& request,
                           const std::string& device_name, const std::stop_token& stop, const Tell& tell) {
  const int ordinal = cuda::parse_cuda_ordinal(device_name).value();
  const auto compiler = cached_compiler(2);
  const std::shared_ptr<cuda::CudaContext> context = cuda::open_context(ordinal);
  cuda::CudaDevice device(context);
  cuda::share_context(*context);
  BenchDevice on{&device, compiler.get()};
  for (const auto& entry : cuda::list_cuda_devices().devices) {
    if (entry.ordinal == ordinal) on.l2_bytes = entry.l2_bytes;
  }
  BenchOthers others = start_others(subject.experiment.problem,
                                    {request.no_comparators, request.cudnn, request.python}, ordinal, device);
  on.comparators = std::move(others.found);
  on.others = std::move(others.contenders);
  if (!request.no_comparators) add_kernels(on, subject.experiment);
  on.known = packs::catalogue_of(packs::builtin());
  reference::add_reference(on.known, subject.experiment, *compiler,
                           std::make_shared<reference::SideDevice>(device_name, [ordinal, context] {
                             return cuda::open_beside(ordinal, *context);
                           }));
  return measure_side_by_side(subject, request, std::move(on), stop, tell);
}

}  // namespace evo::session
