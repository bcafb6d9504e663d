// What the ladder does for a champion beyond the trial that every candidate has.
#include <algorithm>

#include <fmt/format.h>

#include "evaluators/gates/compile.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/legality.hpp"
#include "model/error.hpp"

namespace evo::evaluators::gates {
namespace {

/// A share of the perturbed launches is enough: here the delays do the work.
constexpr int delayed_share = 4;

bool is_about_the_program(model::Status status) {
  return status == model::Status::wrong || status == model::Status::nondeterministic ||
         status == model::Status::device_fault || status == model::Status::timeout;
}

}  // namespace

DelayedBuild Ladder::check_delayed(const model::Variant& variant) {
  DelayedBuild build;
  if (runner_.info().kind != "cuda") {
    build.reason = "delays change nothing on a device that permutes its orders";
    return build;
  }
  const auto found = templates_.find(variant.template_name);
  auto bound = found == templates_.end() ? Outcome<BoundVariant>(tl::unexpect, model::Failure{})
                                         : check_legality(found->second, variant);
  if (!bound) throw model::Exception(model::ExitCode::failed, "a champion that is not legal");
  model::Variant delayed = variant;
  delayed.source = "#define EVO_DELAYS 1\n" + variant.source;
  const auto compiled = compile_variant(compiler_, found->second, delayed, device_arch_);
  if (!compiled) {
    build.reason = fmt::format("the build with delays does not compile ({})", compiled.error().reason);
    return build;
  }
  if (compiled->artifact.ptx.find("nanosleep") == std::string::npos) {
    build.reason = fmt::format("template {} has no places for delays", variant.template_name);
    return build;
  }
  Prepared prepared;
  prepared.variant = std::move(delayed);
  prepared.artifact = compiled->artifact;
  prepared.device_artifact = compiled->device_artifact;
  DeviceJob job = make_job(prepared, std::move(*bound));
  job.timed_cases.clear();
  job.perturbed_launches = std::max(experiment_.gates.champion_launches / delayed_share, 1);
  DeviceResult result = runner_.run(job);
  if (result.gates.empty())
    throw model::Exception(model::ExitCode::environment, "a device job came back without a verdict");
  std::optional<model::Failure>& failure = result.gates.back().failure;
  if (failure && !is_about_the_program(failure->status)) {
    build.reason = fmt::format("the build with delays does not run ({})", failure->reason);
    return build;
  }
  build.ran = true;
  build.notes = std::move(result.notes);
  if (failure) {
    for (model::Evidence& evidence : failure->evidence) evidence.details.emplace_back("build", "with delays");
    build.failure = std::move(failure);
  }
  return build;
}

DeviceJob Ladder::launches_to_watch(const Prepared& prepared) const {
  const auto found = templates_.find(prepared.variant.template_name);
  auto bound = found == templates_.end() ? Outcome<BoundVariant>(tl::unexpect, model::Failure{})
                                         : check_legality(found->second, prepared.variant);
  if (!bound || !prepared.artifact)
    throw model::Exception(model::ExitCode::failed, "launches of a variant that prepare() did not pass");
  std::vector<model::Case> shapes = bound->sanitize_shapes;
  DeviceJob job = make_job(prepared, std::move(*bound));
  // What takes long comes last: a tool that runs out of time has then seen every loop turn.
  std::vector<model::Case> workloads(job.cases.begin(),
                                     job.cases.begin() + static_cast<std::ptrdiff_t>(job.workload_count));
  std::stable_sort(workloads.begin(), workloads.end(),
                   [](const model::Case& a, const model::Case& b) { return a.flops < b.flops; });
  job.cases = std::move(shapes);
  job.cases.insert(job.cases.end(), std::make_move_iterator(workloads.begin()),
                   std::make_move_iterator(workloads.end()));
  job.workload_count = job.cases.size();
  job.uses.clear();
  job.timed_cases.clear();
  job.fastest_us.clear();
  return job;
}

}  // namespace evo::evaluators::gates
