// evo characterize SUBJECT --axis NAME=VALUES...
#include <fmt/format.h>

#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "report/characterize_plot.hpp"
#include "session/characterize.hpp"
#include "session/run_folder.hpp"
#include "terminal/characterize_output.hpp"
#include "terminal/json_output.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {
namespace {

session::Characterization characterized(const session::CharacterizeSubject& subject,
                                        const session::CharacterizeRequest& request,
                                        const terminal::CommonOptions& common, const std::stop_token& stop) {
  const model::Experiment& experiment = subject.kernels.front().experiment;
  const std::string wanted = request.source.device.empty() ? experiment.device : request.source.device;
  const session::DeviceChoice device = session::choose_device(wanted, experiment.target);
  if (!device.note.empty() && !common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  terminal::Waiting waiting(common);
  waiting.on(fmt::format("proving the kernels at each size on {}", device.id));
  session::Tell tell;
  if (!common.quiet)
    tell = [&waiting](const std::string& line) {
      waiting.heard();
      fmt::print(stderr, "{}\n", line);
    };
  if (device.id != "virtual") return session::characterize_on_gpu(subject, request, device, stop, tell);
  session::StackOptions parts;
  parts.threads = 2;
  parts.input_seed = request.source.input_seed.value_or(session::draw_entropy());
  const auto stack_of = [&](const model::Experiment& shapes) {
    return std::make_unique<session::EvaluationStack>(shapes, device, parts);
  };
  return session::characterize_modelled(subject, stack_of, tell, stop);
}

}  // namespace

int characterize_command(const Options& options) {
  const CharacterizeOptions& wanted = options.characterize;
  if (!wanted.output.empty() && !wanted.output.ends_with(".svg"))
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("-o {}: the plots are SVG; name a file that ends in .svg", wanted.output));
  const session::CharacterizeSubject subject = session::read_characterize_subject(wanted.request);
  const std::stop_token stop = stop_on_signals();
  session::CharacterizeRequest request = wanted.request;
  request.cold = session::times_cold(subject.kernels.front(), wanted.cache);
  const session::Characterization found = characterized(subject, request, options.common, stop);
  if (!wanted.output.empty()) {
    session::write_file_atomically(wanted.output, report::characterize_svg(found));
    if (!options.common.quiet) fmt::print(stderr, "evo: wrote {}\n", wanted.output);
  }
  if (options.common.json) {
    terminal::print_json(terminal::characterize_to_json(found));
  } else {
    fmt::print("{}",
               wanted.markdown ? terminal::characterize_markdown(found) : terminal::characterize_text(found));
  }
  if (stop.stop_requested()) return static_cast<int>(model::ExitCode::interrupted);
  return static_cast<int>(found.all_refused() ? model::ExitCode::verification_failed : model::ExitCode::done);
}

}  // namespace evo::cli
