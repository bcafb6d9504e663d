// A final verdict as text, as JSON and as an event of a ledger.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// One line of the decision table.
struct Criterion {
  std::string name, workload;
  json::value found, bound;  ///< bound: null where nothing is asked
  bool met = true;
  bool decides = true;  ///< false: said beside the decision, which does not ask it
  std::string text;     ///< what was found, for a person
};

/// Of one workload: how large the difference is. It agrees with a promotion where the champion is faster.
void add_effect_sizes(std::vector<Criterion>& all, const PairedSeries& one) {
  const double g = measure::hedges_g(one.opponent_us, one.candidate_us);
  const double delta = measure::cliffs_delta(one.opponent_us, one.candidate_us);
  const measure::MannWhitney test = measure::mann_whitney(one.candidate_us, one.opponent_us);
  all.push_back(
      {"hedges_g", one.workload, finite_or_null(g), json::value(0), g < 0, false, fmt::format("{:.2f}", g)});
  all.push_back({"cliffs_delta", one.workload, finite_or_null(delta), json::value(0), delta < 0, false,
                 fmt::format("{:.2f}", delta)});
  all.push_back({"mann_whitney_p", one.workload, test.p, 1 - verdict_confidence,
                 test.p < 1 - verdict_confidence, false, fmt::format("U {:.0f}, p {:.2g}", test.u, test.p)});
  const auto champion = measure::oddities(one.candidate_us), baseline = measure::oddities(one.opponent_us);
  std::string odd;
  for (const std::string& word : champion) odd += "champion " + word + " ";
  for (const std::string& word : baseline) odd += "baseline " + word + " ";
  all.push_back({"samples_not_odd", one.workload, json::value(odd), nullptr, odd.empty(), false,
                 odd.empty() ? "nothing odd" : odd.substr(0, odd.size() - 1)});
}

/// What a promotion asks, each with what was found, and what else speaks for or against it.
std::vector<Criterion> criteria_of(const FinalVerdict& verdict) {
  const measure::RatioInterval ratio = verdict.ratio();
  std::vector<Criterion> all;
  all.push_back({"timed_and_right",
                 {},
                 json::value(verdict.failure),
                 nullptr,
                 verdict.failure.empty(),
                 true,
                 verdict.failure.empty() ? "both sides" : verdict.failure});
  if (is_measured(verdict)) {
    all.push_back({"pairs",
                   {},
                   verdict.pairs(),
                   fewest_pairs,
                   verdict.pairs() >= fewest_pairs,
                   true,
                   fmt::format("{}", verdict.pairs())});
  }
  all.push_back({"interval_below_margin",
                 {},
                 finite_or_null(ratio.interval[1]),
                 1 - verdict.margin,
                 ratio.interval[1] < 1 - verdict.margin,
                 true,
                 fmt::format("{:.4f} [{:.4f}, {:.4f}]", ratio.ratio, ratio.interval[0], ratio.interval[1])});
  all.push_back({"accuracy_class",
                 {},
                 json::value(verdict.accuracy_class),
                 nullptr,
                 true,
                 false,
                 verdict.accuracy_class});
  if (!verdict.counter_bounds.empty()) {
    // Who breaks one is refused before he is compared.
    const std::string bounds = fmt::format("{}", fmt::join(verdict.counter_bounds, ", "));
    all.push_back({"counter_bounds", {}, json::value(bounds), nullptr, true, false, bounds});
  }
  if (verdict.clocks.watched || !verdict.clocks.reasons.empty()) {
    const HeldClocks& clocks = verdict.clocks;
    const std::string seen =
        clocks.reasons.empty() ? "nothing held them down"
                               : fmt::format("{}: {} jobs discarded, {} kept",
                                             fmt::join(clocks.reasons, ", "), clocks.discarded, clocks.kept);
    all.push_back({"clocks_not_held_down", {}, json::value(seen), nullptr, clocks.kept == 0, false, seen});
  }
  if (is_measured(verdict) && verdict.failure.empty())
    for (const PairedSeries& one : verdict.series) add_effect_sizes(all, one);
  return all;
}

json::array criteria_json(const FinalVerdict& verdict) {
  json::array list;
  for (const Criterion& one : criteria_of(verdict)) {
    json::object entry{{"name", one.name}, {"found", one.found}, {"met", one.met}, {"decides", one.decides}};
    if (!one.bound.is_null()) entry["bound"] = one.bound;
    if (!one.workload.empty()) entry["workload"] = one.workload;
    list.push_back(std::move(entry));
  }
  return list;
}

std::string asked_of(const Criterion& one, const FinalVerdict& verdict) {
  if (one.name == "pairs") return fmt::format("at least {}", fewest_pairs);
  if (one.name == "interval_below_margin") return fmt::format("all below {:g}", 1 - verdict.margin);
  if (one.name == "hedges_g" || one.name == "cliffs_delta") return "below 0";
  if (one.name == "mann_whitney_p") return fmt::format("below {:g}", 1 - verdict_confidence);
  return {};
}

/// The criteria one by one; those in brackets do not decide.
std::string decision_table(const FinalVerdict& verdict) {
  std::string text = fmt::format("  {:<34} {:<28} {:<14} {}\n", "criterion", "found", "asked", "met");
  for (const Criterion& one : criteria_of(verdict)) {
    std::string name = one.workload.empty() ? one.name : one.workload + ": " + one.name;
    const char* met = one.met ? "yes" : "no";
    text += fmt::format("  {:<34} {:<28} {:<14} {}\n", name, one.text, asked_of(one, verdict),
                        one.decides ? std::string(met) : fmt::format("({})", met));
  }
  return text;
}

/// What was written, to the bit: Boost's reader may miss it by a unit in the last place. Nothing that is kept
/// has more than 15 digits.
double number(const json::value& value) {
  return std::strtod(fmt::format("{:.15g}", value.to_number<double>()).c_str(), nullptr);
}

/// Of few digits, so that what is read back is what was written.
double rounded_error(double error) {
  return std::strtod(fmt::format("{:.6g}", error).c_str(), nullptr);
}

std::vector<double> doubles(const json::value& array) {
  std::vector<double> all;
  for (const json::value& one : array.as_array()) all.push_back(number(one));
  return all;
}

std::vector<std::string> texts(const json::value& array) {
  std::vector<std::string> all;
  for (const json::value& one : array.as_array()) all.emplace_back(one.as_string());
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
  const json::object& search = object.at("search").as_object();
  verdict.comparisons = search.at("comparisons").to_number<std::size_t>();
  verdict.false_promotion_at_most = number(search.at("false_promotion_at_most"));
  // Of an evo whose comparisons had no screening: the bound is what they have spent.
  const json::value* spent = search.if_contains("spent");
  verdict.decided = spent != nullptr ? search.at("decided").to_number<std::size_t>() : verdict.comparisons;
  verdict.spent_error = spent != nullptr ? number(*spent) : verdict.false_promotion_at_most;
  // Those before had neither.
  if (const json::value* clocks = object.if_contains("clocks")) {
    verdict.clocks = {clocks->at("watched").as_bool(), clocks->at("discarded").to_number<std::uint32_t>(),
                      clocks->at("kept").to_number<std::uint32_t>(), texts(clocks->at("reasons"))};
  }
  if (const json::value* bounds = object.if_contains("counter_bounds"))
    verdict.counter_bounds = texts(*bounds);
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
  return {{"decision", name_of(verdict.decision())},
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
           {{"comparisons", verdict.comparisons},
            {"decided", verdict.decided},
            {"spent", rounded_error(verdict.spent_error)},
            {"false_promotion_at_most", rounded_error(verdict.false_promotion_at_most)}}},
          {"clocks",
           {{"watched", verdict.clocks.watched},
            {"discarded", verdict.clocks.discarded},
            {"kept", verdict.clocks.kept},
            {"reasons", strings(verdict.clocks.reasons)}}},
          {"counter_bounds", strings(verdict.counter_bounds)},
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
      "  error over this run at most {:.2g} %: the search timed {} candidates in turn with their champion, "
      "{} "
      "of them beyond the screening; {:.2g} % spent\n",
      100 * verdict.false_promotion_at_most, verdict.comparisons, verdict.decided, 100 * verdict.spent_error);
  for (const PairedSeries& one : verdict.series)
    text += fmt::format("  {}: {:.4g} us, baseline {:.4g} us\n", one.workload,
                        measure::median(one.candidate_us), measure::median(one.opponent_us));
  text += decision_table(verdict);
  return text;
}

engine::EventRecord event_of(const FinalVerdict& verdict, std::int64_t trial) {
  return {final_verdict_event,
          trial,
          {{"variant", verdict.variant},
           {"decision", std::string(name_of(verdict.decision()))},
           {"verdict", json::serialize(to_json(verdict))}}};
}

std::optional<FinalVerdict> find_verdict(const std::vector<engine::EventRecord>& events, std::int64_t trial,
                                         std::string_view variant) {
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    const auto kept = event->details.find("verdict");
    if (event->kind != final_verdict_event || event->trial != trial || kept == event->details.end()) continue;
    const auto of = event->details.find("variant");
    if (!variant.empty() && (of == event->details.end() || of->second != variant)) continue;
    try {
      return verdict_of(json::parse(kept->second).as_object());
    } catch (const std::exception&) {
      return std::nullopt;  // of another version; it is taken again
    }
  }
  return std::nullopt;
}

}  // namespace evo::session
