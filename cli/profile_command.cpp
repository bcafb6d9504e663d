// evo profile SUBJECT [VARIANT]
#include <fmt/format.h>

#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "terminal/json_output.hpp"
#include "terminal/profile_output.hpp"

namespace evo::cli {

int profile_command(const Options& options) {
  const ProfileOptions& wanted = options.profile;
  session::ProfileRequest request{wanted.subject, wanted.source, wanted.ncu, wanted.launches};
  if (!wanted.variant.empty()) request.subject += "@" + wanted.variant;
  const session::Compared subject = session::read_compared(request.subject, request.source);
  const model::Experiment& experiment = subject.experiment;
  const std::string device_wanted = request.source.device.empty() ? experiment.device : request.source.device;
  session::DeviceChoice device = session::choose_device(device_wanted, experiment.target);
  if (!device.note.empty() && !options.common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  session::Tell tell;
  if (!options.common.quiet) tell = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  const std::stop_token stop = stop_on_signals();
  const session::Profile profile = session::profile_subject(
      subject, device, session::real_profile_parts(experiment, device, request, stop), tell);
  if (stop.stop_requested())
    throw model::Exception(model::ExitCode::interrupted, "interrupted before the profile was done");
  if (options.common.json) {
    terminal::print_json(terminal::profile_to_json(profile));
  } else {
    fmt::print("{}", terminal::profile_text(profile, wanted.all));
  }
  if (!profile.not_stored.empty()) fmt::print(stderr, "evo: not stored: {}\n", profile.not_stored);
  return profile.exit_code();
}

}  // namespace evo::cli
