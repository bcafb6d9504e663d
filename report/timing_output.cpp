#include "report/timing_output.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/clock_reasons.hpp"
#include "report/json_output.hpp"

namespace evo::report {
namespace {

namespace json = boost::json;

json::array texts(const std::vector<std::string>& all) {
  json::array list;
  for (const std::string& one : all) list.emplace_back(one);
  return list;
}

json::object to_json(const engine::Simplicity& simplicity) {
  return {{"genes", simplicity.changed},
          {"registers", simplicity.registers},
          {"shared_bytes", simplicity.shared_bytes}};
}

}  // namespace

json::object clocks_json(const model::HeldClocks& clocks) {
  return {{"watched", clocks.watched},
          {"discarded", clocks.discarded},
          {"kept", clocks.kept},
          {"reasons", texts(clocks.reasons)}};
}

json::value timing_json(const std::optional<model::TimingNotes>& timing) {
  if (!timing) return nullptr;
  json::array odd;
  for (const model::OddSeries& one : timing->odd)
    odd.push_back({{"workload", one.workload}, {"side", one.side}, {"words", texts(one.words)}});
  return json::object{{"clocks", clocks_json(timing->clocks)}, {"odd", std::move(odd)}};
}

json::array samples_json(const std::vector<model::SampleSeries>& samples) {
  json::array list;
  for (const model::SampleSeries& one : samples)
    list.push_back(
        {{"workload", one.workload}, {"side", one.side}, {"us", json::array(one.us.begin(), one.us.end())}});
  return list;
}

std::string clocks_text(const model::HeldClocks& clocks) {
  if (!clocks.reasons.empty())
    return fmt::format("{}: {} timing{} thrown away, {} kept", fmt::join(clocks.reasons, ", "),
                       clocks.discarded, clocks.discarded == 1 ? "" : "s", clocks.kept);
  return clocks.watched ? "nothing held them down" : "nobody could tell";
}

std::string odd_text(const model::TimingNotes& timing) {
  std::vector<std::string> parts;
  for (const model::OddSeries& one : timing.odd)
    parts.push_back(fmt::format("{}{}{}: {}", one.workload, one.side.empty() ? "" : " ", one.side,
                                fmt::join(one.words, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

void RunTimings::add(const engine::TrialRecord& trial) {
  std::set<std::string> words;
  const auto take = [&](const std::optional<model::TimingNotes>& timing) {
    if (!timing) return;
    ++timings_;
    unwatched_ += timing->clocks.watched ? 0 : 1;
    discarded_ += timing->clocks.discarded;
    kept_ += timing->clocks.kept;
    std::vector<std::string> reasons;
    for (const std::string& reason : timing->clocks.reasons) model::add_reasons(reason, reasons);
    const bool disturbed = std::ranges::find(reasons, model::another_process) != reasons.end();
    disturbed_ += disturbed ? 1 : 0;
    if (reasons.size() > (disturbed ? 1U : 0U)) kept_held_down_ += timing->clocks.kept;
    for (const std::string& reason : reasons) model::add_reasons(reason, reasons_);
    for (const model::OddSeries& one : timing->odd) words.insert(one.words.begin(), one.words.end());
  };
  take(trial.timing);
  if (trial.paired) take(trial.paired->timing);
  for (const std::string& word : words) ++odd_[word];
}

json::object to_json(const RunTimings& timings) {
  json::object odd;
  for (const auto& [word, count] : timings.odd()) odd[word] = count;
  return {{"timings", timings.timings()},        {"unwatched", timings.unwatched()},
          {"discarded", timings.discarded()},    {"kept", timings.kept()},
          {"reasons", texts(timings.reasons())}, {"odd_trials", std::move(odd)}};
}

std::string timings_text(const RunTimings& timings) {
  std::string text;
  std::vector<std::string> reasons = timings.reasons();
  std::erase(reasons, model::another_process);
  if (!reasons.empty())
    text += fmt::format("clocks     held down ({}): {} timings thrown away and taken again, {} kept\n",
                        fmt::join(reasons, ", "), timings.discarded(), timings.kept_held_down());
  if (timings.disturbed() > 0)
    text += fmt::format(
        "others     a process that is not evo's was on the GPU in {} of {} timings: it takes no turns\n",
        timings.disturbed(), timings.timings());
  if (timings.timings() > 0 && timings.unwatched() > 0)
    text += fmt::format("clocks     of {} of {} timings nobody could tell whether they were held down\n",
                        timings.unwatched(), timings.timings());
  std::vector<std::string> odd;
  for (const auto& [word, count] : timings.odd()) odd.push_back(fmt::format("{} in {}", word, count));
  if (!odd.empty())
    text +=
        fmt::format("samples    unusual: {} trials; evo show RUN VARIANT has them\n", fmt::join(odd, ", "));
  return text;
}

json::object to_json(const engine::Tie& tie) {
  return {{"trial", tie.trial},
          {"variant", tie.variant},
          {"champion", tie.champion},
          {"taken", tie.taken},
          {"own", to_json(tie.own)},
          {"of_champion", to_json(tie.of_champion)},
          {"paired", paired_to_json(tie.paired)}};
}

json::object to_json(const engine::TieHistory& ties) {
  json::array last;
  for (const engine::Tie& tie : ties.last()) last.push_back(to_json(tie));
  return {{"kept", ties.kept()}, {"taken", ties.taken()}, {"last", std::move(last)}};
}

std::string ties_text(const engine::TieHistory& ties) {
  if (ties.kept() + ties.taken() == 0) return {};
  std::string text = fmt::format(
      "ties       with the champion of their moment: {} kept it, {} simpler took its "
      "place; the last:\n",
      ties.kept(), ties.taken());
  for (const engine::Tie& tie : ties.last()) text += fmt::format("  {}\n", engine::text_of(tie));
  return text;
}

}  // namespace evo::report
