#include "session/bench_others.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "evaluators/benchmark/function_host.hpp"
#include "packs/builtin.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

/// Its command line: env changes into the problem's folder, and finds programs on the path.
std::vector<std::string> command_of(const model::Comparator& comparator, const model::Problem& problem,
                                    const std::string& python) {
  std::vector<std::string> words{"/usr/bin/env",
                                 "--chdir=" + (problem.folder.empty() ? "." : problem.folder)};
  // As it was told where evo was started.
  const bool with_path = python.find('/') != std::string::npos;
  if (comparator.kind != model::ComparatorKind::command)
    words.push_back(with_path ? std::filesystem::absolute(python).string() : python);
  if (comparator.kind == model::ComparatorKind::functions)
    words.insert(words.end(), {"-c", benchmark::function_host});
  words.insert(words.end(), comparator.command.begin(), comparator.command.end());
  return words;
}

bool start_comparator(BenchOthers& others, const model::Problem& problem, const model::Comparator& comparator,
                      const std::string& python, int ordinal, const std::string& gpu) {
  benchmark::ComparatorOptions options;
  options.command = command_of(comparator, problem, python);
  options.device = ordinal;
  if (!problem.comparators.empty()) options.title = comparator.name;
  auto started = benchmark::ComparatorProcess::start(options);
  if (!started) {
    others.found.push_back({comparator.name, started.error()});
    return false;
  }
  const std::string& uuid = (*started)->uuid();
  if (!uuid.empty() && gpu.find(uuid) == std::string::npos) {
    others.found.push_back(
        {(*started)->name(), fmt::format("its cuda:{} is another GPU ({}) than evo's", ordinal, uuid)});
    return false;
  }
  others.found.push_back({(*started)->name(), {}});
  others.processes.push_back(std::move(*started));
  for (const std::string& backend : others.processes.back()->backends())
    others.contenders.push_back(others.processes.back()->contender(backend));
  return true;
}

/// The contenders that evo itself brings for such a problem.
void start_libraries(BenchOthers& others, const std::string& oracle, cuda::CudaDevice& device) {
  const packs::Pack* pack = packs::find_pack(packs::builtin(), oracle);
  if (pack == nullptr || pack->contenders == nullptr) return;
  packs::Contenders brought = pack->contenders(device);
  for (const packs::Library& library : brought.libraries)
    others.found.push_back({library.name, library.reason});
  for (auto& contender : brought.contenders) others.contenders.push_back(std::move(contender));
}

}  // namespace

bool start_comparators(BenchOthers& others, const model::Problem& problem, const std::string& python,
                       int ordinal, const std::string& uuid) {
  const std::vector<model::Comparator> comparators = model::comparators_of(problem);
  if (comparators.empty())
    others.found.push_back({"other libraries", "the problem brings no comparators and no comparator.py"});
  bool any = comparators.empty();
  for (const model::Comparator& comparator : comparators) {
    // A kernel is no process: whoever measures compiles it.
    const bool kernel = comparator.kind == model::ComparatorKind::kernel;
    any = kernel || start_comparator(others, problem, comparator, python, ordinal, uuid) || any;
  }
  return any;
}

BenchOthers start_others(const model::Problem& problem, const OthersWanted& wanted, int ordinal,
                         cuda::CudaDevice& device) {
  BenchOthers others;
  const bool complete =
      wanted.no_comparators || start_comparators(others, problem, wanted.python, ordinal, device.info().uuid);
  if (wanted.libraries || !complete) start_libraries(others, problem.oracle, device);
  return others;
}

}  // namespace evo::session
