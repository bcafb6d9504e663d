#include "terminal/aa_output.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "terminal/json_output.hpp"
#include "terminal/text_output.hpp"

namespace evo::terminal {

using model::Status;

std::string refusal_text(const engine::TrialRecord& trial) {
  return fmt::format("{} ({})\n{}", model::name_of(trial.status), trial.reason,
                     evidence_text(trial.evidence));
}

std::string aa_text(const session::AaOutcome& outcome, int copies, const std::string& device,
                    const model::Latency& baseline, const std::vector<evaluators::gates::GateTime>& times) {
  std::string text = fmt::format("A/A on {}: {} copies of the baseline, {} sources, {:.1f} s\n", device,
                                 copies, outcome.sources, outcome.seconds);
  text += fmt::format("baseline   {}\n", latency_text(baseline));
  text += fmt::format("copies     {:.4f} to {:.4f} of the baseline's latency\n", outcome.least_ratio,
                      outcome.largest_ratio);
  if (outcome.paired > 0)
    text += fmt::format("in turn    {} of them, {:.4f} to {:.4f} of the baseline's latency\n", outcome.paired,
                        outcome.least_paired, outcome.largest_paired);
  text += fmt::format("faster     {}\ntie        {}\nslower     {}\nrefused    {}\n", outcome.faster(),
                      outcome.count(Status::tie), outcome.count(Status::correct_slower), outcome.refused());
  text += fmt::format("same code  {} of {} sources; a run would have taken such for duplicates\n",
                      outcome.same_code, outcome.sources);
  if (outcome.first_refused)
    text += fmt::format("the first refusal: {}", refusal_text(*outcome.first_refused));
  return text + fmt::format("\n{}", times_text(times));
}

boost::json::object aa_to_json(const session::AaOutcome& outcome, int copies, const std::string& device,
                               const model::Latency& baseline,
                               const std::vector<evaluators::gates::GateTime>& times) {
  return {{"copies", copies},
          {"sources", outcome.sources},
          {"device", device},
          {"baseline_us", baseline.microseconds},
          {"latency_kind", model::name_of(baseline.kind)},
          {"faster", outcome.faster()},
          {"tie", outcome.count(Status::tie)},
          {"slower", outcome.count(Status::correct_slower)},
          {"refused", outcome.refused()},
          {"least_ratio", outcome.least_ratio},
          {"largest_ratio", outcome.largest_ratio},
          {"paired", outcome.paired},
          {"least_paired_ratio", outcome.least_paired},
          {"largest_paired_ratio", outcome.largest_paired},
          {"same_code", outcome.same_code},
          {"seconds", outcome.seconds},
          {"time", times_to_json(times)}};
}

}  // namespace evo::terminal
