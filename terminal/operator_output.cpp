#include "terminal/operator_output.hpp"

#include <fmt/format.h>

namespace evo::terminal {

std::string operators_text(std::span<const engine::TrialRecord> trials, const engine::TrialRecord* champion) {
  if (!engine::has_edits(trials)) return {};
  std::string text = "operator            proposed  parsed compiled  changed sanitized  correct  faster\n";
  for (const engine::OperatorCounts& row : engine::operator_counts(trials)) {
    text += fmt::format("{:<19} {:>8} {:>7} {:>8} {:>8} {:>9} {:>8} {:>7}\n", row.name, row.proposed,
                        row.parsed, row.compiled, row.changed, row.sanitized, row.correct, row.faster);
  }
  if (champion == nullptr) return text;
  for (const engine::EditShare& share : engine::edit_shares(trials, *champion)) {
    text += fmt::format("edit       {}\n", source::text_of(share.edit));
    if (share.factor) {
      text += fmt::format("           without it {:.4f} times the latency\n", *share.factor);
    } else if (share.without != nullptr) {
      text += fmt::format("           without it {} ({})\n", model::name_of(share.without->status),
                          share.without->reason);
    } else {
      text += "           its removal was not tried\n";
    }
  }
  return text;
}

boost::json::object operators_json(std::span<const engine::TrialRecord> trials,
                                   const engine::TrialRecord* champion) {
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
  for (const engine::EditShare& share : engine::edit_shares(trials, *champion)) {
    boost::json::object edit{{"edit", source::text_of(share.edit)}};
    edit["without"] = share.without != nullptr
                          ? boost::json::value(std::string(model::name_of(share.without->status)))
                          : boost::json::value(nullptr);
    edit["factor"] = share.factor ? boost::json::value(*share.factor) : boost::json::value(nullptr);
    edits.push_back(std::move(edit));
  }
  document["edits"] = std::move(edits);
  return document;
}

}  // namespace evo::terminal
