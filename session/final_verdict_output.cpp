// A final verdict as text, as JSON and as an event of a ledger.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <boost/json.hpp>

#include "evaluators/measure/effect_size.hpp"
#include "session/final_verdict.hpp"

namespace evo::session {
namespace {

namespace json = boost::json;
namespace measure = evaluators::measure;
using evaluators::gates::PairedSeries;

json::value finite_or_null(double value) {
  return std::isfinite(value) ? json::value(value) : json::value(nullptr);
}

json::array strings(const std::vector<std::string>& all) {
  json::array list;
  for (const std::string& one : all) list.emplace_back(one);
  return list;
}

bool is_measured(const FinalVerdict& verdict) {
  return verdict.kind == model::LatencyKind::measured;
}

json::object workload_json(const PairedSeries& one, bool measured) {
  json::value statistics = nullptr;
  if (measured) {
    const measure::MannWhitney test = measure::mann_whitney(one.candidate_us, one.opponent_us);
    statistics = {{"hedges_g", finite_or_null(measure::hedges_g(one.opponent_us, one.candidate_us))},
                  {"cliffs_delta", finite_or_null(measure::cliffs_delta(one.opponent_us, one.candidate_us))},
                  {"mann_whitney", {{"u", test.u}, {"z", test.z}, {"p", test.p}}}};
  }
  const double champion = measure::median(one.candidate_us), baseline = measure::median(one.opponent_us);
  return {{"name", one.workload},
          {"weight", one.weight},
          {"champion_us", finite_or_null(champion)},
          {"baseline_us", finite_or_null(baseline)},
          {"statistics", std::move(statistics)},
          {"odd_champion", strings(measure::oddities(one.candidate_us))},
          {"odd_baseline", strings(measure::oddities(one.opponent_us))},
          {"samples",
           {{"champion_us", json::array(one.candidate_us.begin(), one.candidate_us.end())},
            {"baseline_us", json::array(one.opponent_us.begin(), one.opponent_us.end())}}}};
}

/// What a promotion asks, each with what was found.
json::array criteria_json(const FinalVerdict& verdict) {
  const measure::RatioInterval ratio = verdict.ratio();
  json::array list;
  list.push_back({{"name", "timed_and_right"}, {"found", verdict.failure}, {"met", verdict.failure.empty()}});
  if (is_measured(verdict)) {
    list.push_back({{"name", "pairs"},
                    {"found", verdict.pairs()},
                    {"bound", fewest_pairs},
                    {"met", verdict.pairs() >= fewest_pairs}});
  }
  list.push_back({{"name", "interval_below_margin"},
                  {"found", finite_or_null(ratio.interval[1])},
                  {"bound", 1 - verdict.margin},
                  {"met", ratio.interval[1] < 1 - verdict.margin}});
  return list;
}

/// What was written, to the bit: Boost's reader may miss it by a unit in the last place. Nothing that is kept
/// has more than 15 digits.
double number(const json::value& value) {
  return std::strtod(fmt::format("{:.15g}", value.to_number<double>()).c_str(), nullptr);
}

std::vector<double> doubles(const json::value& array) {
  std::vector<double> all;
  for (const json::value& one : array.as_array()) all.push_back(number(one));
  return all;
}

std::string text_at(const json::object& object, const char* key) {
  return std::string(object.at(key).as_string());
}

/// Throws what boost::json throws where a key is missing or of another type.
FinalVerdict verdict_of(const json::object& object) {
  FinalVerdict verdict;
  verdict.variant = text_at(object, "variant");
  verdict.baseline = text_at(object, "baseline");
  verdict.kind = text_at(object, "latency_kind") == "measured" ? model::LatencyKind::measured
                                                               : model::LatencyKind::modelled;
  verdict.accuracy_class = text_at(object, "accuracy_class");
  verdict.device = text_at(object, "device");
  verdict.margin = number(object.at("margin"));
  for (const json::value& seed : object.at("input_seeds").as_array())
    verdict.input_seeds.push_back(std::stoull(std::string(seed.as_string())));
  verdict.rounds_a_load = object.at("rounds_a_load").to_number<std::size_t>();
  for (const json::value& entry : object.at("workloads").as_array()) {
    const json::object& one = entry.as_object();
    const json::object& samples = one.at("samples").as_object();
    verdict.series.push_back({text_at(one, "name"), number(one.at("weight")),
                              doubles(samples.at("champion_us")), doubles(samples.at("baseline_us"))});
  }
  verdict.comparisons = object.at("search").as_object().at("comparisons").to_number<std::size_t>();
  verdict.failure = text_at(object, "failure");
  return verdict;
}

}  // namespace

json::object to_json(const FinalVerdict& verdict) {
  const measure::RatioInterval ratio = verdict.ratio();
  json::array seeds, workloads;
  for (const std::uint64_t seed : verdict.input_seeds) seeds.emplace_back(std::to_string(seed));
  for (const PairedSeries& one : verdict.series)
    workloads.push_back(workload_json(one, is_measured(verdict)));
  json::value interval = nullptr;
  if (is_measured(verdict) && std::isfinite(ratio.interval[0]))
    interval = json::array{ratio.interval[0], ratio.interval[1]};
  return {
      {"decision", name_of(verdict.decision())},
      {"failure", verdict.failure},
      {"variant", verdict.variant},
      {"baseline", verdict.baseline},
      {"latency_kind", is_measured(verdict) ? "measured" : "modelled"},
      {"device", verdict.device},
      {"accuracy_class", verdict.accuracy_class},
      {"ratio", finite_or_null(ratio.ratio)},
      {"interval", std::move(interval)},
      {"confidence", is_measured(verdict) ? json::value(verdict_confidence) : json::value(nullptr)},
      {"speedup", finite_or_null(1 / ratio.ratio)},
      {"margin", verdict.margin},
      {"pairs", verdict.pairs()},
      {"search",
       {{"comparisons", verdict.comparisons}, {"false_promotion_at_most", verdict.false_promotion_bound()}}},
      {"rounds_a_load", verdict.rounds_a_load},
      {"input_seeds", std::move(seeds)},
      {"criteria", criteria_json(verdict)},
      {"workloads", std::move(workloads)}};
}

std::string text_of(const FinalVerdict& verdict) {
  const measure::RatioInterval ratio = verdict.ratio();
  const auto decision = name_of(verdict.decision());
  if (!verdict.failure.empty()) return fmt::format("final verdict: {}: {}\n", decision, verdict.failure);
  if (!is_measured(verdict)) {
    return fmt::format("final verdict: {}: {:.3f}x against the baseline (modelled, exact; margin {:g} %)\n",
                       decision, 1 / ratio.ratio, 100 * verdict.margin);
  }
  std::string text = fmt::format(
      "final verdict: {}: {:.3f}x [{:.3f}, {:.3f}] against the baseline ({} pairs in turn in a fresh "
      "process, "
      "inputs that no trial has seen; {:g} % interval over fresh loads; margin {:g} %)\n",
      decision, 1 / ratio.ratio, 1 / ratio.interval[1], 1 / ratio.interval[0], verdict.pairs(),
      100 * verdict_confidence, 100 * verdict.margin);
  text += fmt::format(
      "  the search timed {} candidates in turn: at most {:.2g} % chance that a copy was promoted\n",
      verdict.comparisons, 100 * verdict.false_promotion_bound());
  for (const PairedSeries& one : verdict.series) {
    text += fmt::format(
        "  {}: {:.4g} us, baseline {:.4g} us; Hedges' g {:.2f}, Cliff's delta {:.2f}, "
        "Mann-Whitney p {:.2g}\n",
        one.workload, measure::median(one.candidate_us), measure::median(one.opponent_us),
        measure::hedges_g(one.opponent_us, one.candidate_us),
        measure::cliffs_delta(one.opponent_us, one.candidate_us),
        measure::mann_whitney(one.candidate_us, one.opponent_us).p);
    for (const auto& [name, samples] :
         {std::pair{"champion", &one.candidate_us}, std::pair{"baseline", &one.opponent_us}}) {
      for (const std::string& odd : measure::oddities(*samples))
        text += fmt::format("  {}: the samples of the {} are {}\n", one.workload, name, odd);
    }
  }
  return text;
}

engine::EventRecord event_of(const FinalVerdict& verdict, std::int64_t trial) {
  return {final_verdict_event,
          trial,
          {{"variant", verdict.variant},
           {"decision", std::string(name_of(verdict.decision()))},
           {"verdict", json::serialize(to_json(verdict))}}};
}

std::optional<FinalVerdict> find_verdict(const std::vector<engine::EventRecord>& events, std::int64_t trial) {
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    const auto kept = event->details.find("verdict");
    if (event->kind != final_verdict_event || event->trial != trial || kept == event->details.end()) continue;
    try {
      return verdict_of(json::parse(kept->second).as_object());
    } catch (const std::exception&) {
      return std::nullopt;  // of another version; it is taken again
    }
  }
  return std::nullopt;
}

}  // namespace evo::session
