#include "terminal/operator_output.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "model/edits.hpp"

namespace evo::terminal {
namespace {

/// What the champion is without one of its edits.
struct WithoutEdit {
  std::string edit;
  std::optional<double> factor;  ///< its latency over the champion's
  std::string status;            ///< how its trial ended; empty: there was none
  std::string checked;           ///< what the check at the end of the run says; empty: there was none
};

/// Takes what a check says, which timed both in turn, in the place of what a trial has.
void take_check(WithoutEdit& one, std::span<const session::InsightCheck> checks) {
  for (const session::InsightCheck& check : checks) {
    if (check.from.size() != 1 || !model::names_an_edit(check.from.begin()->first) ||
        model::to_string(check.from.begin()->second) != one.edit || check.to.size() != 1 ||
        model::to_string(check.to.begin()->second) != model::no_edit)
      continue;
    const double ratio = check.ratio().ratio;
    one.factor = std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
    one.checked = check.refused.empty() ? std::string(session::name_of(status_of(check, checks.size())))
                                        : check.refused;
    return;
  }
}

std::vector<WithoutEdit> without_edits(std::span<const engine::TrialRecord> trials,
                                       const engine::TrialRecord& champion,
                                       std::span<const session::InsightCheck> checks) {
  std::vector<WithoutEdit> all;
  for (const engine::EditShare& share : engine::edit_shares(trials, champion)) {
    all.push_back({source::text_of(share.edit), share.factor, {}, {}});
    if (share.without != nullptr) all.back().status = model::name_of(share.without->status);
    take_check(all.back(), checks);
  }
  return all;
}

}  // namespace

std::string operators_text(std::span<const engine::TrialRecord> trials, const engine::TrialRecord* champion,
                           std::span<const session::InsightCheck> checks) {
  if (!engine::has_edits(trials)) return {};
  std::string text = "operator            proposed  parsed compiled  changed sanitized  correct  faster\n";
  for (const engine::OperatorCounts& row : engine::operator_counts(trials)) {
    text += fmt::format("{:<19} {:>8} {:>7} {:>8} {:>8} {:>9} {:>8} {:>7}\n", row.name, row.proposed,
                        row.parsed, row.compiled, row.changed, row.sanitized, row.correct, row.faster);
  }
  if (champion == nullptr) return text;
  for (const WithoutEdit& one : without_edits(trials, *champion, checks)) {
    text += fmt::format("edit       {}\n", model::short_edit(one.edit));
    if (one.factor) {
      text += fmt::format("           without it {:.4f} times the latency{}\n", *one.factor,
                          one.checked.empty() ? "" : ", " + one.checked);
    } else if (!one.checked.empty() || !one.status.empty()) {
      text += fmt::format("           without it {}\n", one.checked.empty() ? one.status : one.checked);
    } else {
      text += "           its removal was not tried\n";
    }
  }
  return text;
}

boost::json::object operators_json(std::span<const engine::TrialRecord> trials,
                                   const engine::TrialRecord* champion,
                                   std::span<const session::InsightCheck> checks) {
  boost::json::object operators;
  for (const engine::OperatorCounts& row : engine::operator_counts(trials)) {
    operators[row.name] = {{"proposed", row.proposed},   {"parsed", row.parsed},
                           {"compiled", row.compiled},   {"changed", row.changed},
                           {"sanitized", row.sanitized}, {"correct", row.correct},
                           {"faster", row.faster}};
  }
  boost::json::object document{{"operators", std::move(operators)}};
  if (champion == nullptr) return document;
  boost::json::array edits;
  for (const WithoutEdit& one : without_edits(trials, *champion, checks)) {
    edits.push_back(boost::json::object{
        {"edit", one.edit},
        {"without", one.status.empty() ? boost::json::value(nullptr) : boost::json::value(one.status)},
        {"factor", one.factor ? boost::json::value(*one.factor) : boost::json::value(nullptr)},
        {"checked", one.checked.empty() ? boost::json::value(nullptr) : boost::json::value(one.checked)}});
  }
  document["edits"] = std::move(edits);
  return document;
}

}  // namespace evo::terminal
