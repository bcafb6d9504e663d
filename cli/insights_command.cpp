// evo insights RUN: needs neither NVRTC nor a device, nor the kernels.
#include <optional>

#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "report/bandit_output.hpp"
#include "report/barrier_claims_output.hpp"
#include "report/insight_screen.hpp"
#include "report/insights_plot.hpp"
#include "session/insight_records.hpp"
#include "session/insight_summary.hpp"
#include "session/profile_file.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"
#include "terminal/failure_counts.hpp"
#include "terminal/json_output.hpp"
#include "terminal/marginal_output.hpp"

namespace evo::cli {

namespace {

void write_plot(const InsightsOptions& wanted, const engine::Ledger& ledger,
                const std::vector<model::Insights>& insights) {
  if (!wanted.plot.ends_with(".svg"))
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("--plot {}: the plot is SVG; name a file that ends in .svg", wanted.plot));
  const auto meta = ledger.meta();
  report::InsightsOf of{wanted.run, "modelled", "no GPU has timed this"};
  if (meta && meta->latency_kind != model::LatencyKind::modelled)
    of = {wanted.run, std::string(model::name_of(meta->latency_kind)), "on " + meta->device_name};
  session::write_file_atomically(wanted.plot, report::insights_svg(insights, of));
}

/// Measured counters, or modelled ones where nothing else was counted.
void add_profile_to(session::InsightSummary& summary, const std::string& run, bool quiet) {
  if (!summary.champion) return;
  std::string problem;
  auto stored = session::read_profile(run, summary.champion->variant, problem);
  if (!problem.empty() && !quiet) fmt::print(stderr, "evo: {}\n", problem);
  if (!stored) return;
  if (stored->measured) {
    summary.profile.push_back(std::move(*stored->measured));
  } else if (stored->modelled) {
    summary.profile.push_back(std::move(*stored->modelled));
  }
}

}  // namespace

int insights_command(const Options& options) {
  const InsightsOptions& wanted = options.insights;
  const auto ledger = session::open_ledger_for_reading(session::RunFolder{wanted.run});
  const session::RunRecords records = session::records_of(*ledger);
  const int last = records.trials.empty() ? 0 : records.trials.back().generation;
  if (wanted.generation.value_or(0) > last)
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("--generation {}: the run has generations 0 to {}", *wanted.generation, last));
  const std::vector<session::RunRecords> others = session::further_records(wanted.run, *ledger, wanted.merge);
  if (!wanted.plot.empty()) write_plot(wanted, *ledger, records.insights);
  const auto space = session::space_of_run(wanted.run);
  session::InsightSummary summary =
      session::summarize(records, space ? &*space : nullptr, wanted.generation, others);
  add_profile_to(summary, wanted.run, options.common.quiet);
  session::add_counter_effects(
      summary, records, others,
      wanted.all ? std::nullopt : std::optional(session::counters_bounded_in(wanted.run)));
  const auto barriers = engine::barrier_claims(records.trials, space ? &*space : nullptr);
  if (options.common.json) {
    boost::json::object document = terminal::insights_to_json(records.insights);
    document["failed_trials"] = terminal::failure_counts_json(records.trials);
    document["barriers"] = report::barrier_claims_json(barriers);
    document["bandit"] = report::bandit_json(session::bandit_of_run(wanted.run, records));
    document["summary"] = report::insight_summary_json(summary);
    terminal::print_json(document);
    return 0;
  }
  if (wanted.markdown) {
    fmt::print("{}", report::insight_markdown(summary, wanted.all));
    return 0;
  }
  fmt::print("{}", report::insight_screen(summary, wanted.all));
  if (wanted.all)
    fmt::print("{}", terminal::marginal_text(records.insights, records.trials));
  else if (const std::string failed = terminal::failure_counts_text(records.trials); !failed.empty())
    fmt::print("\n{}", failed);
  if (const std::string shown = report::barrier_claims_text(barriers); !shown.empty())
    fmt::print("\n{}", shown);
  if (const std::string weights = report::bandit_text(session::bandit_of_run(wanted.run, records));
      !weights.empty())
    fmt::print("\n{}", weights);
  return 0;
}

}  // namespace evo::cli
