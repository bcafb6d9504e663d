// Side by side on a real GPU: its compiler, its context, the problem's comparator and the packs' libraries.
#include <filesystem>

#include <fmt/format.h>

#include "evaluators/compare/comparator_process.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "packs/builtin.hpp"
#include "session/bench.hpp"
#include "session/compilers.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

/// The others that take part on a GPU; the process of a comparator outlives its contenders.
struct Others {
  std::unique_ptr<compare::ComparatorProcess> process{};
  std::vector<BenchComparator> found{};
  std::vector<std::unique_ptr<compare::Contender>> contenders{};

  /// False if the packs' libraries have to stand in for a comparator that is meant to be there.
  bool start_comparator(const model::Problem& problem, const std::string& python, int ordinal,
                        const std::string& gpu) {
    const std::filesystem::path script = std::filesystem::path(problem.folder) / "comparator.py";
    if (problem.comparator.empty()) {
      found.push_back({"other libraries", "the problem brings no comparator.py"});
      return true;
    }
    compare::ComparatorOptions options;
    options.command = {"/usr/bin/env", python, script.string()};
    options.device = ordinal;
    auto started = compare::ComparatorProcess::start(options);
    if (!started) {
      found.push_back({"comparator.py", started.error()});
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

  /// The contenders that evo itself brings for such a problem.
  void start_libraries(const std::string& oracle, cuda::CudaDevice& device) {
    const packs::Pack* pack = packs::find_pack(packs::builtin(), oracle);
    if (pack == nullptr || pack->contenders == nullptr) return;
    packs::Contenders brought = pack->contenders(device);
    for (const packs::Library& library : brought.libraries) found.push_back({library.name, library.reason});
    for (auto& contender : brought.contenders) contenders.push_back(std::move(contender));
  }
};

}  // namespace

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
  Others others;
  const bool complete =
      request.no_comparators ||
      others.start_comparator(subject.experiment.problem, request.python, ordinal, device.info().uuid);
  if (request.cudnn || !complete) others.start_libraries(subject.experiment.problem.oracle, device);
  on.comparators = std::move(others.found);
  on.others = std::move(others.contenders);
  on.known = packs::catalogue_of(packs::builtin());
  reference::add_reference(on.known, subject.experiment, *compiler,
                           std::make_shared<reference::SideDevice>(device_name, [ordinal, context] {
                             return cuda::open_beside(ordinal, *context);
                           }));
  return measure_side_by_side(subject, request, std::move(on), stop, tell);
}

}  // namespace evo::session
