// A grid of shapes on a real GPU: the ladder in workers, the rounds in this process.
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "packs/builtin.hpp"
#include "session/bench_others.hpp"
#include "session/characterize.hpp"
#include "session/compilers.hpp"
#include "session/gpu_look.hpp"
#include "session/measured_ceilings.hpp"

namespace evo::session {

using namespace evaluators;

Characterization characterize_on_gpu(const CharacterizeSubject& subject, const CharacterizeRequest& request,
                                     const DeviceChoice& choice, const std::stop_token& stop,
                                     const Tell& tell) {
  StackOptions parts;
  parts.threads = 4;
  parts.input_seed = request.source.input_seed.value_or(draw_entropy());
  const StackOf stack_of = [&](const model::Experiment& experiment) {
    return std::make_unique<EvaluationStack>(experiment, choice, parts);
  };
  const model::Experiment& experiment = subject.kernels.front().experiment;
  const int ordinal = cuda::parse_cuda_ordinal(choice.id).value();
  const auto compiler = cached_compiler(2);
  const std::shared_ptr<cuda::CudaContext> context = cuda::open_context(ordinal);
  cuda::CudaDevice device(context);
  cuda::share_context(*context);
  const ProofsOf proofs_of = [&](const std::vector<GridShape>& shapes) {
    std::vector<std::vector<ProvenShape>> proofs;
    for (const auto* kernels : {&subject.kernels, &subject.others}) {
      for (const Compared& kernel : *kernels)
        proofs.push_back(prove_shapes(kernel, shapes, stack_of, tell, stop));
    }
    return proofs;
  };
  CharacterizeDevice on{{&device, compiler.get()}, {}};
  DeviceSize size;
  for (const auto& entry : cuda::list_cuda_devices().devices) {
    if (entry.ordinal == ordinal) size = {entry.multiprocessors, entry.l2_bytes, entry.memory_bytes};
  }
  on.bench.l2_bytes = size.l2_bytes;
  if (tell) tell("reading or measuring the ceilings of " + device.info().name);
  on.ceilings =
      known_or_measured_ceilings(device, *compiler, size, ceilings_folder(), request.measure_ceilings_again);
  BenchOthers others = start_others(experiment.problem,
                                    {request.no_comparators, request.cudnn, request.python}, ordinal, device);
  on.bench.comparators = std::move(others.found);
  on.bench.others = std::move(others.contenders);
  on.bench.known = packs::catalogue_of(packs::builtin());
  reference::add_reference(on.bench.known, experiment, *compiler,
                           std::make_shared<reference::SideDevice>(choice.id, [ordinal, context] {
                             return cuda::open_beside(ordinal, *context);
                           }));
  on.look = nvml_look(device.info().uuid);
  if (!on.look) on.no_state = "NVML (libnvidia-ml.so.1) is not there";
  return characterize_measured(subject, request, proofs_of, std::move(on), stop, tell);
}

}  // namespace evo::session
