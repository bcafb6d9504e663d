// evo check SOURCE --problem P: any kernel source up the ladder. Genes and launch plan come from one of the
// problem's templates, the source from the file. Without a problem: what `evo tune` would prove first.
#include <fmt/format.h>

#include "cli/gate_report.hpp"
#include "cli/intake_output.hpp"
#include "cli/verbs.hpp"
#include "intake/draft_settler.hpp"
#include "intake/settled_draft.hpp"
#include "model/error.hpp"
#include "session/evaluation_stack.hpp"
#include "session/load.hpp"
#include "session/source_experiment.hpp"

namespace evo::cli {
namespace {

int check_without_problem(const Options& options) {
  intake::Request request = options.check_intake;
  if (request.reference.empty()) {
    throw model::Exception(
        model::ExitCode::usage,
        "check needs to know what is correct: --problem P, or --reference FILE.cu with --axis n=SIZE");
  }
  request.kernel = options.check.source;
  request.device = options.check.device;
  request.target = options.check.target;
  intake::Draft draft = draft_of(options.common, request, intake::Purpose::run);
  if (!options.common.quiet) fmt::print(stderr, "{}", inferred_text(draft, request.kernel));
  const intake::TemporaryFolder folder;
  const intake::WrittenFolder written = intake::write_folder(draft, folder.path(), true);
  config::Overrides overrides = session::parse_overrides(options.check.set);
  if (options.check.input_seed)
    overrides.emplace_back("input_seed", std::to_string(*options.check.input_seed));
  const std::string file = (written.folder / "experiment.yaml").string();
  const std::uint64_t entropy = session::draw_entropy();  // every try sees the same inputs
  intake::DraftSettler settler(request);
  for (bool again = false;; again = true) {
    model::Experiment experiment = session::load_experiment_or_throw(file, overrides);
    if (!experiment.input_seed) experiment.input_seed = entropy;
    const std::size_t notes = draft.notes.size();
    try {
      return prove_and_print(options.common, experiment, request.kernel, SelfTest::skip,
                             options.check_barriers, again);
    } catch (const model::Exception& error) {
      // Of what evo guessed of the reference, as before a run of evo tune.
      if (!settler.mend_reference(draft, error.what()))
        throw model::Exception(error.code(), intake::in_users_words(request, error.what()) +
                                                 intake::shape_hint(draft, error.what()));
    }
    (void)intake::write_folder(draft, folder.path(), true);
    if (!options.common.quiet && draft.notes.size() >= notes)
      fmt::print(stderr, "note: {}\n", draft.notes.back());
  }
}

}  // namespace

int check_command(const Options& options) {
  if (options.check.problem.empty()) return check_without_problem(options);
  if (!options.check_intake.unreached.empty())
    throw model::Exception(model::ExitCode::usage,
                           "--unreached goes with --reference; a problem says it in its template: unreached: "
                           "{\"FILE:LINE\": why}");
  if (!options.check_intake.compute.empty())
    throw model::Exception(model::ExitCode::usage,
                           "--compute goes with --reference; a problem says it itself: compute: f16 beside "
                           "tolerance: auto");
  if (!options.check_intake.equal_writes.empty())
    throw model::Exception(model::ExitCode::usage,
                           "--equal-writes goes with --reference; a problem says it itself: equal_writes: "
                           "WHY");
  CheckOptions asked = options.check;
  asked.reference = options.check_intake.reference;
  asked.own_shared_memory = true;
  return prove_and_print(options.common, session::read_source_experiment(asked).experiment,
                         options.check.source, SelfTest::skip, options.check_barriers);
}

}  // namespace evo::cli
