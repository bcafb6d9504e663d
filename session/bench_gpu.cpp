// Side by side on a real GPU: its compiler, its context, the problem's comparator and cuDNN.
#include <filesystem>

#include <fmt/format.h>

#include "evaluators/compare/comparator_process.hpp"
#include "evaluators/compare/cudnn/cudnn_contender.hpp"
#include "evaluators/compile/cache.hpp"
#include "evaluators/compile/caching_compiler.hpp"
#include "evaluators/compile/service.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "session/bench.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

compile::ServiceOptions few_compilers() {
  compile::ServiceOptions options;
  options.workers = 2;
  return options;
}

/// The others that take part on a GPU; the process of a comparator outlives its contenders.
struct Others {
  std::unique_ptr<compare::ComparatorProcess> process{};
  std::vector<BenchComparator> found{};
  std::vector<std::unique_ptr<compare::Contender>> contenders{};

  /// False if cuDNN by itself has to stand in for a comparator that is meant to be there.
  bool start_comparator(const model::Problem& problem, const std::string& python, int ordinal,
                        const std::string& gpu) {
    const std::filesystem::path script = std::filesystem::path(problem.folder) / "comparator.py";
    std::error_code ignored;
    if (!std::filesystem::exists(script, ignored)) {
      found.push_back({"other libraries", "the problem brings no comparator.py"});
      return true;
    }
    compare::ComparatorOptions options;
    options.command = {"/usr/bin/env", python, script.string()};
    options.device = ordinal;
    auto started = compare::ComparatorProcess::start(options);
    if (!started) {
      found.push_back({"PyTorch", started.error()});
      return false;
    }
    const std::string& uuid = (*started)->uuid();
    if (!uuid.empty() && gpu.find(uuid) == std::string::npos) {
      found.push_back(
          {(*started)->name(), fmt::format("its cuda:{} is another GPU ({}) than evo's", ordinal, uuid)});
      return false;
    }
    found.push_back({(*started)->name(), {}});
    process = std::move(*started);
    for (const std::string& backend : process->backends()) contenders.push_back(process->contender(backend));
    return true;
  }

  void start_cudnn(cuda::CudaDevice& device) {
    namespace cudnn = compare::cudnn;
    const auto api = cudnn::load();
    if (!api) {
      found.push_back({"cuDNN (graph API)", api.error()});
      return;
    }
    const std::string name = fmt::format("cuDNN {} (graph API)", cudnn::version_text(**api));
    auto session = cudnn::Session::open(*api);
    if (!session) {
      found.push_back({name, session.error()});
      return;
    }
    found.push_back({name, {}});
    contenders.push_back(std::make_unique<cudnn::CudnnContender>("cudnn graph", device, *session));
  }
};

}  // namespace

BenchReport measure_on_gpu(const BenchSubject& subject, const BenchRequest& request,
                           const std::string& device_name, const std::stop_token& stop, const Tell& tell) {
  const int ordinal = cuda::parse_cuda_ordinal(device_name).value();
  compile::CompileService service(few_compilers());
  compile::ArtifactCache cache(compile::ArtifactCache::default_folder());
  compile::CachingCompiler compiler(service, cache);
  const std::shared_ptr<cuda::CudaContext> context = cuda::open_context(ordinal);
  cuda::CudaDevice device(context);
  cuda::share_context(*context);
  BenchDevice on{&device, &compiler};
  for (const auto& entry : cuda::list_cuda_devices().devices) {
    if (entry.ordinal == ordinal) on.l2_bytes = entry.l2_bytes;
  }
  Others others;
  const bool complete =
      request.no_comparators ||
      others.start_comparator(subject.experiment.problem, request.python, ordinal, device.info().uuid);
  if (request.cudnn || !complete) others.start_cudnn(device);
  on.comparators = std::move(others.found);
  on.others = std::move(others.contenders);
  return measure_side_by_side(subject, request, std::move(on), stop, tell);
}

}  // namespace evo::session
