// evo insights RUN: needs neither NVRTC nor a device, nor the kernels.
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "model/error.hpp"
#include "report/bandit_output.hpp"
#include "report/barrier_claims_output.hpp"
#include "report/insight_screen.hpp"
#include "report/insights_plot.hpp"
#include "session/insight_summary.hpp"
#include "session/profile_file.hpp"
#include "session/run_folder.hpp"
#include "session/variants.hpp"
#include "terminal/failure_counts.hpp"
#include "terminal/json_output.hpp"
#include "terminal/text_output.hpp"

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

/// The experiment's templates; nullopt where they are no longer there, which a summary can do without.
std::optional<engine::SearchSpace> space_of(const std::string& run) {
  try {
    return engine::make_search_space(session::open_run(run).experiment);
  } catch (const model::Exception&) {
    return std::nullopt;
  }
}

/// Counters that the run's experiment bounds; none where it is no longer there.
std::vector<std::string> bounded_in(const std::string& run) {
  try {
    return session::bounded_counters(session::open_run(run).experiment);
  } catch (const model::Exception&) {
    return {};
  }
}

/// Weights of the run's operators; none where its experiment is no longer there, or has no bandit.
std::vector<engine::BanditGeneration> bandit_of(const std::string& run, const session::RunRecords& records) {
  try {
    return engine::bandit_history(session::open_run(run).experiment.search, records.trials, records.events);
  } catch (const model::Exception&) {
    return {};
  }
}

session::RunRecords records_of(const engine::Ledger& ledger) {
  return {ledger.trials(), ledger.insights(), ledger.events()};
}

/// The further runs, if they are of one problem and their latencies of one kind.
std::vector<session::RunRecords> merged(const InsightsOptions& wanted, const engine::Ledger& ledger) {
  std::vector<session::RunRecords> others;
  const auto meta = ledger.meta();
  std::set<std::string> seen;
  for (const std::string& run : wanted.merge) {
    const auto other = session::open_ledger_for_reading(session::RunFolder{run});
    const auto own = other->meta();
    const auto refuse = [&](const std::string& why) {
      throw model::Exception(model::ExitCode::usage, fmt::format("--merge {}: {}", run, why));
    };
    if (!meta || !own) refuse("one of the runs has not begun");
    std::error_code none;
    if (std::filesystem::equivalent(run, wanted.run, none) || !seen.insert(run).second)
      refuse("a run counts once");
    if (own->problem_hash != meta->problem_hash)
      refuse(fmt::format("its problem is not that of {}: effects of two problems are not estimated together",
                         wanted.run));
    if (own->latency_kind != meta->latency_kind)
      refuse(fmt::format("its latencies are {}, those of {} are {}: they are never mixed",
                         model::name_of(own->latency_kind), wanted.run, model::name_of(meta->latency_kind)));
    others.push_back(records_of(*other));
  }
  return others;
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

void print_marginal(const std::vector<model::Insights>& insights,
                    const std::vector<engine::TrialRecord>& trials) {
  fmt::print("\nmarginal effects, one gene at a time\n{}", terminal::insights_text(insights));
  const std::string failed = terminal::failure_counts_text(trials);
  const bool explained = !insights.empty() && !insights.back().failures.empty();
  if (!failed.empty())
    fmt::print("  {}{}", failed,
               explained ? "" : "  no value of a gene goes with them often enough to say more\n");
  if (failed.empty() && !insights.empty()) fmt::print("  no trial failed\n");
}

}  // namespace

int insights_command(const Options& options) {
  const InsightsOptions& wanted = options.insights;
  const auto ledger = session::open_ledger_for_reading(session::RunFolder{wanted.run});
  const session::RunRecords records = records_of(*ledger);
  const int last = records.trials.empty() ? 0 : records.trials.back().generation;
  if (wanted.generation.value_or(0) > last)
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("--generation {}: the run has generations 0 to {}", *wanted.generation, last));
  const std::vector<session::RunRecords> others = merged(wanted, *ledger);
  if (!wanted.plot.empty()) write_plot(wanted, *ledger, records.insights);
  const auto space = space_of(wanted.run);
  session::InsightSummary summary =
      session::summarize(records, space ? &*space : nullptr, wanted.generation, others);
  add_profile_to(summary, wanted.run, options.common.quiet);
  session::add_counter_effects(summary, records, others,
                               wanted.all ? std::nullopt : std::optional(bounded_in(wanted.run)));
  const auto barriers = engine::barrier_claims(records.trials, space ? &*space : nullptr);
  if (options.common.json) {
    boost::json::object document = terminal::insights_to_json(records.insights);
    document["failed_trials"] = terminal::failure_counts_json(records.trials);
    document["barriers"] = report::barrier_claims_json(barriers);
    document["bandit"] = report::bandit_json(bandit_of(wanted.run, records));
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
    print_marginal(records.insights, records.trials);
  else if (const std::string failed = terminal::failure_counts_text(records.trials); !failed.empty())
    fmt::print("\n{}", failed);
  if (const std::string shown = report::barrier_claims_text(barriers); !shown.empty())
    fmt::print("\n{}", shown);
  if (const std::string weights = report::bandit_text(bandit_of(wanted.run, records)); !weights.empty())
    fmt::print("\n{}", weights);
  return 0;
}

}  // namespace evo::cli
