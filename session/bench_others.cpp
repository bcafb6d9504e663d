#include "session/bench_others.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "packs/builtin.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

/// False if the packs' libraries have to stand in for a comparator that is meant to be there.
bool start_comparator(BenchOthers& others, const model::Problem& problem, const std::string& python,
                      int ordinal, const std::string& gpu) {
  const std::filesystem::path script = std::filesystem::path(problem.folder) / "comparator.py";
  if (problem.comparator.empty()) {
    others.found.push_back({"other libraries", "the problem brings no comparator.py"});
    return true;
  }
  benchmark::ComparatorOptions options;
  options.command = {"/usr/bin/env", python, script.string()};
  options.device = ordinal;
  auto started = benchmark::ComparatorProcess::start(options);
  if (!started) {
    others.found.push_back({"comparator.py", started.error()});
    return false;
  }
  const std::string& uuid = (*started)->uuid();
  if (!uuid.empty() && gpu.find(uuid) == std::string::npos) {
    others.found.push_back(
        {(*started)->name(), fmt::format("its cuda:{} is another GPU ({}) than evo's", ordinal, uuid)});
    return false;
  }
  others.found.push_back({(*started)->name(), {}});
  others.process = std::move(*started);
  for (const std::string& backend : others.process->backends())
    others.contenders.push_back(others.process->contender(backend));
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

BenchOthers start_others(const model::Problem& problem, const OthersWanted& wanted, int ordinal,
                         cuda::CudaDevice& device) {
  BenchOthers others;
  const bool complete =
      wanted.no_comparators || start_comparator(others, problem, wanted.python, ordinal, device.info().uuid);
  if (wanted.libraries || !complete) start_libraries(others, problem.oracle, device);
  return others;
}

}  // namespace evo::session
