#include "session/profile.hpp"

#include <fmt/format.h>

#include "evaluators/benchmark/kernel_contender.hpp"
#include "evaluators/devices/cuda/cuda_device.hpp"
#include "evaluators/gates/ladder.hpp"
#include "evaluators/gates/roofline.hpp"
#include "evaluators/process/child.hpp"
#include "evaluators/profile/launched.hpp"
#include "evaluators/profile/line_text.hpp"
#include "evaluators/profile/modelled.hpp"
#include "model/error.hpp"
#include "packs/builtin.hpp"
#include "session/profile_file.hpp"

namespace evo::session {
namespace {

using namespace evaluators;

/// Beside measured counters: what takes longer is not modelled, so that nobody waits for minutes.
constexpr std::uint64_t instructions_beside = 4'000'000'000;

std::string name_of_gpu(const std::string& id) {
  for (const auto& entry : cuda::list_cuda_devices().devices) {
    if (fmt::format("cuda:{}", entry.ordinal) == id) return entry.info.name;
  }
  return id;
}

std::shared_ptr<gates::Profiler> launched_profiler(const std::string& gpu, bool ncu_alone, bool sample_lines,
                                                   int launches, const std::stop_token& stop) {
  profile::LaunchedSettings settings;
  settings.launcher = {process::self_path(), "launch-job", "--device", gpu};
  settings.device = name_of_gpu(gpu);
  settings.try_cupti = !ncu_alone;
  settings.sample_lines = sample_lines;
  settings.launches = launches;
  settings.stop = stop;
  return std::make_shared<profile::LaunchedProfiler>(std::move(settings));
}

std::string line_of_profile(const gates::Profiled& profiled) {
  return profiled.failure ? benchmark::line_of(*profiled.failure) : std::string();
}

}  // namespace

int Profile::exit_code() const {
  if (!wrong.empty()) return static_cast<int>(model::ExitCode::verification_failed);
  const bool counted = device == "virtual" ? modelled.has_value() : measured.has_value();
  return static_cast<int>(counted ? model::ExitCode::done : model::ExitCode::environment);
}

ProfileParts real_profile_parts(const model::Experiment& experiment, const DeviceChoice& device,
                                const ProfileRequest& request, const std::stop_token& stop) {
  ProfileParts parts;
  parts.stack = [device,
                 seed = request.source.input_seed.value_or(draw_entropy())](const model::Experiment& wanted) {
    StackOptions options;
    options.threads = 2;
    options.input_seed = seed;
    return std::make_unique<EvaluationStack>(wanted, device, options);
  };
  const bool on_gpu = device.id != "virtual";
  if (on_gpu)
    parts.measuring =
        launched_profiler(device.gpus.at(0), request.ncu_alone, !request.ncu_alone, request.launches, stop);
  // Beside what a GPU's counters say stands the model of that GPU, where it is known.
  const model::TargetProfile* measured_on =
      on_gpu ? gates::profile_of_device(experiment.known_targets, name_of_gpu(device.gpus.at(0))) : nullptr;
  parts.modelling = std::make_shared<profile::ModelledProfiler>(
      measured_on != nullptr ? *measured_on : experiment.target, packs::catalogue_of(packs::builtin()),
      on_gpu ? instructions_beside : experiment.gates.instruction_budget);
  return parts;
}

Profile profile_subject(const Compared& subject, const DeviceChoice& device, const ProfileParts& parts,
                        const Tell& tell) {
  const auto say = [&](const std::string& line) {
    if (tell) tell(line);
  };
  Profile found;
  found.given = subject.given;
  found.kind = subject.kind;
  found.template_name = subject.variant.template_name;
  found.device = device.id;
  // The profile gate's bounds are not what is asked here.
  model::Experiment experiment = subject.experiment;
  experiment.gates.counters.clear();
  const auto stack = parts.stack(experiment);
  gates::Ladder& ladder = stack->ladder();
  const model::Template* kernel = experiment.problem.find_template(found.template_name);
  const gates::TemplateContext context = gates::make_context(ladder.experiment(), *kernel);
  const model::Variant variant = model::make_variant(*kernel, context.space, subject.variant.genome);
  found.variant = variant.id;
  Prepared prepared;
  if (subject.kind == "run") {
    prepared = ladder.prepare(variant);
    for (const model::GateResult& gate : prepared.gates) {
      if (gate.failure) found.wrong = benchmark::line_of(*gate.failure);
    }
  } else {
    say(fmt::format("proving {}", subject.given));
    gates::GateReport report = gates::prove(ladder, variant);
    if (const model::Failure* failure = report.failure()) found.wrong = benchmark::line_of(*failure);
    prepared = std::move(report.prepared);
  }
  if (!found.wrong.empty()) return found;
  const gates::DeviceJob job = ladder.launches_to_profile(prepared);
  if (parts.measuring) {
    say(fmt::format("counting {} on {}", found.variant, device.id));
    gates::Profiled measured = parts.measuring->profile(job);
    found.wrong = line_of_profile(measured);
    found.measured = std::move(measured.reading);
    found.refused = std::move(measured.refused);
    if (found.measured)
      profile::add_line_texts(*found.measured, prepared.variant.source, kernel->source_file, kernel->headers);
  }
  if (found.wrong.empty()) {
    gates::Profiled modelled = parts.modelling->profile(job);
    // Beside a GPU's counters it is an extra: what the virtual device cannot run is told and no more.
    if (!parts.measuring) found.wrong = line_of_profile(modelled);
    found.modelled = std::move(modelled.reading);
    if (found.modelled)
      profile::add_line_texts(*found.modelled, prepared.variant.source, kernel->source_file, kernel->headers);
    for (gates::NoProfile& why : modelled.refused) found.refused.push_back(std::move(why));
  }
  if (subject.kind == "run" && (found.measured || found.modelled)) {
    // A run of somebody else's may be there to be read only: what was counted is worth telling all the same.
    try {
      store_profile(subject.path, {found.variant, found.template_name, found.measured, found.modelled});
      found.stored = profile_file(subject.path, found.variant).string();
    } catch (const model::Exception& error) {
      if (error.code() != model::ExitCode::environment) throw;
      found.not_stored = error.what();
    }
  }
  return found;
}

std::shared_ptr<gates::Profiler> gate_profiler(const model::Experiment& experiment,
                                               const DeviceChoice& device) {
  if (device.id != "virtual") return launched_profiler(device.gpus.at(0), false, false, 0, {});
  return std::make_shared<profile::ModelledProfiler>(experiment.target, packs::catalogue_of(packs::builtin()),
                                                     experiment.gates.instruction_budget);
}

}  // namespace evo::session
