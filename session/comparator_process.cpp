// Comparators on a real GPU: in a process of its own, which the libraries may take down.
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include <unistd.h>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/process/capture.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/process/temporary_file.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"
#include "session/bench_others.hpp"
#include "session/comparator_pairs.hpp"
#include "session/gpu_look.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

/// Each request to a comparator has a limit of its own; this one is for what nobody foresaw.
constexpr std::chrono::minutes longest{60};

std::string last_line(const std::string& output) {
  std::istringstream lines(output);
  std::string last = "their process ended without a word";
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

int comparator_job_main(const std::string& device_name, const std::string& file) {
  const auto ordinal = cuda::parse_cuda_ordinal(device_name);
  if (!ordinal)
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("comparators are timed on cuda:N, not \"{}\"", device_name));
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw model::Exception(model::ExitCode::usage, "cannot read " + file);
  const ComparatorJob job = comparator_job_from_json(text);
  const std::shared_ptr<cuda::CudaContext> context = cuda::open_context(*ordinal);
  cuda::CudaDevice device(context);
  cuda::share_context(*context);
  model::Problem problem;
  problem.folder = job.problem_folder;
  problem.oracle = job.job.oracle;
  // The text of comparator.py is not read again: what counts is that it is there.
  if (job.named)
    problem.comparators = job.comparators;
  else if (!job.comparators.empty())
    problem.comparator = "comparator.py";
  const bool none = job.comparators.empty();
  BenchOthers others = start_others(problem, {.no_comparators = none, .libraries = none}, *ordinal, device);
  ComparatorDevice on;
  on.device = &device;
  on.l2_bytes = device.info().l2_bytes;
  on.looked_for = std::move(others.found);
  on.contenders = std::move(others.contenders);
  on.look = nvml_look(device.info().uuid);
  on.known = packs::catalogue_of(packs::builtin());
  if (job.job.reference)
    reference::add_reference(on.known, *job.job.reference,
                             std::make_shared<reference::SideDevice>(device_name, [ordinal, context] {
                               return cuda::open_beside(*ordinal, *context);
                             }));
  boost::json::array all;
  for (const TimedPairs& pairs : time_comparators(job, std::move(on)))
    all.push_back(to_json(pairs, job.job.settings.final_margin));
  std::cout << "comparators " << boost::json::serialize(all) << std::endl;
  // What a fault has broken waits for ever when it is taken down.
  if (device.lost()) ::_exit(0);
  return 0;
}

std::vector<TimedPairs> time_comparators_apart(const ComparatorJob& job, const std::string& device,
                                               const std::stop_token& stop) {
  std::string why;
  try {
    const process::TemporaryFile file("evo-comparators", to_json(job));
    const process::Captured ran =
        process::run_captured({process::self_path(), "comparator-job", "--device", device, file.path()},
                              longest, std::size_t{64} << 20, {}, stop);
    if (auto all = comparators_in(ran.output)) return std::move(*all);
    why = ran.timed_out ? fmt::format("they were not done in {} minutes", longest.count())
                        : last_line(ran.output);
  } catch (const model::Exception& error) {
    why = error.what();
  }
  TimedPairs none;
  none.against = "comparators";
  none.kind = model::LatencyKind::measured;
  none.cache = job.job.settings.cache;
  none.failure = why;
  return {none};
}

}  // namespace evo::session
