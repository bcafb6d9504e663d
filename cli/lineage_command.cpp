// evo lineage RUN [VARIANT]: needs neither NVRTC nor a device.
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "engine/lineage.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"
#include "terminal/json_output.hpp"
#include "terminal/model_output.hpp"
#include "terminal/operator_output.hpp"
#include "terminal/text_output.hpp"

namespace evo::cli {
int lineage_command(const Options& options) {
  const session::RunFolder folder{options.lineage.run};
  const auto ledger = session::open_ledger_for_reading(folder);
  std::vector<engine::TrialRecord> trials = ledger->trials();
  const std::string hash = engine::lineage_sha256(trials);
  const std::vector<engine::TrialRecord> all = trials;
  const std::vector<engine::EventRecord> events = ledger->events();
  const engine::TrialRecord* champion = session::find_champion(all, events);
  const std::vector<session::InsightCheck> checks = champion != nullptr
                                                        ? session::find_checks(events, champion->index)
                                                        : std::vector<session::InsightCheck>();
  if (!options.lineage.variant.empty())
    trials = session::ancestors(trials, session::variant_of_trial(session::find_variant(
                                            trials, options.lineage.variant, ledger->events())));
  if (options.common.json) {
    boost::json::object document = terminal::lineage_to_json(trials);
    document["lineage_sha256"] = hash;  // always the whole run's
    if (engine::has_edits(all)) document["source"] = terminal::operators_json(all, champion, checks);
    terminal::print_json(document);
  } else {
    const std::string path = options.lineage.variant.empty() ? "" : "\n" + terminal::path_text(trials);
    const std::string edits = terminal::operators_text(all, champion, checks);
    const std::string models = terminal::models_text(ledger->events(), all);
    fmt::print("{}{}{}{}lineage_sha256 {}\n", terminal::lineage_text(trials), path, edits, models, hash);
  }
  return 0;
}

}  // namespace evo::cli
