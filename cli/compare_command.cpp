// evo compare A B, and evo baseline save SUBJECT -o FILE
#include <fstream>

#include <fmt/format.h>

#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "session/comparison.hpp"
#include "terminal/baseline_output.hpp"
#include "terminal/compare_output.hpp"
#include "terminal/json_output.hpp"
#include "terminal/waiting.hpp"

namespace evo::cli {
namespace {

session::Comparison compare_on(const std::array<session::Compared, 2>& sides, const CompareOptions& options,
                               const terminal::CommonOptions& common,
                               const session::ComparisonSettings& settings) {
  const model::Experiment& first = sides[0].experiment;
  const std::string wanted = options.source.device.empty() ? first.device : options.source.device;
  const session::DeviceChoice device = session::choose_device(wanted, first.target);
  if (!device.note.empty() && !common.quiet) fmt::print(stderr, "evo: {}\n", device.note);
  terminal::Waiting waiting(common);
  waiting.on(fmt::format("proving {} and {}, then timing them in turn on {}", sides[0].variant.id,
                         sides[1].variant.id, device.id));
  if (device.id == "virtual") return session::compare_modelled(sides, settings);
  const std::stop_token stop = stop_on_signals();
  session::Comparison comparison = session::compare_on_gpu(sides, settings, device.id, stop);
  if (stop.stop_requested())
    throw model::Exception(model::ExitCode::interrupted, "interrupted before the comparison was done");
  return comparison;
}

session::ComparisonSettings settings_of(const CompareOptions& options, const session::Compared& first) {
  session::ComparisonSettings settings;
  settings.threshold = options.threshold / 100;
  settings.error = options.error;
  settings.seconds = options.seconds;
  settings.cold = session::times_cold(first, options.cache);
  settings.seed = options.source.input_seed.value_or(session::draw_entropy());
  return settings;
}

}  // namespace

int compare_command(const Options& options) {
  const CompareOptions& compare = options.compare;
  const auto sides = [&] {
    terminal::Waiting waiting(options.common);
    waiting.on(fmt::format("reading {} and {}", compare.first, compare.second));
    return session::read_compared(compare.first, compare.second, compare.source);
  }();
  const session::Comparison comparison =
      compare_on(sides, compare, options.common, settings_of(compare, sides[0]));
  if (options.common.json) {
    terminal::print_json(terminal::compare_to_json(sides, comparison));
  } else {
    fmt::print("{}", compare.markdown ? terminal::compare_markdown(sides, comparison)
                                      : terminal::compare_text(sides, comparison));
  }
  return comparison.exit_code();
}

int baseline_command(const Options& options) {
  const CompareOptions& save = options.baseline;
  const session::Compared side = session::read_compared(save.first, save.source);
  session::ComparisonSettings settings = settings_of(save, side);
  // Timed beside itself: the protocol of a comparison, and all of its pairs.
  settings.threshold = 1e-9;
  const session::Comparison comparison = compare_on({side, side}, save, options.common, settings);
  if (comparison.refused)
    throw model::Exception(model::ExitCode::verification_failed,
                           fmt::format("{} is refused: {}", save.first, comparison.refused->reason));
  const session::StoredBaseline baseline = session::baseline_of(side, comparison);
  session::write_baseline(baseline, save.output);
  if (options.common.json) {
    terminal::print_json(terminal::baseline_to_json(baseline, side.variant.id, save.output));
  } else {
    fmt::print("{}", terminal::baseline_text(baseline, side.variant.id, save.output));
  }
  return 0;
}

}  // namespace evo::cli
