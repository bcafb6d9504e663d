// What a run that has ended says: the report that is kept beside it, and the document of `--json`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "engine/economics.hpp"
#include "engine/lead.hpp"
#include "engine/ledger.hpp"
#include "model/experiment.hpp"
#include "report/crew.hpp"
#include "report/timing_output.hpp"
#include "session/insight_summary.hpp"
#include "session/run.hpp"
#include "session/screen_report.hpp"

namespace evo::terminal {

class RunOutput {
 public:
  /// Reads what the ledger has of the run, once. `run`: the path of its folder. All of them must outlive it.
  /// Throws model::Exception where the ledger cannot be read.
  RunOutput(const std::string& run, const model::Experiment& experiment, const session::RunOutcome& outcome,
            const engine::Ledger& ledger);

  /// The report: why the baseline was refused, the run's end, its finalists, and a paragraph for each thing
  /// that there is something to say of.
  [[nodiscard]] std::string text() const;
  /// docs/reference/json.md, `run`. `notes`: those that were printed before the run; `farm`: what went
  /// through the farm, nullopt for a run without one, whose document has no such key.
  [[nodiscard]] boost::json::object document(const std::vector<std::string>& notes,
                                             const std::optional<boost::json::object>& farm) const;

 private:
  const std::string& run_;
  const model::Experiment& experiment_;
  const session::RunOutcome& outcome_;
  std::vector<engine::EventRecord> events_;
  engine::Economics economics_;
  std::optional<session::InsightSummary> insights_;  ///< where a check of insights was made
  std::optional<session::ScreenReport> screening_;
  report::Crew crew_;
  report::RunTimings timings_;
  engine::TieHistory ties_;
};

}  // namespace evo::terminal
