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

bool is_measured(const FinalVerdict& verdict) {
  return verdict.kind == model::LatencyKind::measured;
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
    const model::HeldClocks& clocks = verdict.clocks;
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

/// Of few digits, so that what is read back is what was written.
double rounded_error(double error) {
  return std::strtod(fmt::format("{:.6g}", error).c_str(), nullptr);
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
  static_cast<TimedPairs&>(verdict) = timed_pairs_from_json(object);
  verdict.variant = text_at(object, "variant");
  verdict.baseline = text_at(object, "baseline");
  verdict.accuracy_class = text_at(object, "accuracy_class");
  verdict.device = text_at(object, "device");
  verdict.margin = exact_number(object.at("margin"));
  const json::object& search = object.at("search").as_object();
  verdict.comparisons = search.at("comparisons").to_number<std::size_t>();
  verdict.false_promotion_at_most = exact_number(search.at("false_promotion_at_most"));
  // Of an evo whose comparisons had no screening: the bound is what they have spent.
  const json::value* spent = search.if_contains("spent");
  verdict.decided = spent != nullptr ? search.at("decided").to_number<std::size_t>() : verdict.comparisons;
  verdict.spent_error = spent != nullptr ? exact_number(*spent) : verdict.false_promotion_at_most;
  // Those before had none of these.
  if (const json::value* bounds = object.if_contains("counter_bounds"))
    verdict.counter_bounds = texts(*bounds);
  if (const json::value* other = object.if_contains("other_cache"); other != nullptr && other->is_object())
    verdict.other_cache = timed_pairs_from_json(other->as_object());
  if (const json::value* all = object.if_contains("comparators")) {
    for (const json::value& one : all->as_array())
      verdict.comparators.push_back(timed_pairs_from_json(one.as_object()));
  }
  return verdict;
}

std::string_view against_word(Decision decision) {
  if (decision == Decision::promoted) return "faster";
  if (decision == Decision::correct_slower) return "slower";
  return decision == Decision::tie ? "a tie" : "not valid";
}

/// What was recorded beside the decision.
std::string beside_text(const FinalVerdict& verdict) {
  std::string text;
  const auto add = [&](const std::string& what, const TimedPairs& pairs) {
    const std::string basis = pairs.kind == model::LatencyKind::measured
                                  ? fmt::format("{} pairs", pairs.pairs())
                                  : "modelled, exact";
    const std::string figure = pairs.failure.empty()
                                   ? fmt::format("{} ({}): {}", speedup_text(pairs), basis,
                                                 against_word(pairs.decision_at(verdict.margin)))
                                   : "not timed: " + pairs.failure;
    text += fmt::format("  {}: {}\n", what, figure);
  };
  if (const auto& other = verdict.other_cache)
    add(fmt::format("against the baseline with a {} L2, which does not decide", other->cache), *other);
  for (const TimedPairs& one : verdict.comparators) add("against " + one.against, one);
  return text;
}

}  // namespace

json::object to_json(const FinalVerdict& verdict) {
  const measure::RatioInterval ratio = verdict.ratio();
  json::value interval = nullptr;
  if (is_measured(verdict) && std::isfinite(ratio.interval[0]))
    interval = json::array{ratio.interval[0], ratio.interval[1]};
  json::object object{
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
       {{"comparisons", verdict.comparisons},
        {"decided", verdict.decided},
        {"spent", rounded_error(verdict.spent_error)},
        {"false_promotion_at_most", rounded_error(verdict.false_promotion_at_most)}}},
      {"cache", verdict.cache},
      {"counter_bounds", strings(verdict.counter_bounds)},
      {"criteria", criteria_json(verdict)}};
  add_samples_json(object, verdict);
  object["other_cache"] =
      verdict.other_cache ? json::value(to_json(*verdict.other_cache, verdict.margin)) : json::value(nullptr);
  json::array comparators;
  for (const TimedPairs& one : verdict.comparators) comparators.push_back(to_json(one, verdict.margin));
  object["comparators"] = std::move(comparators);
  return object;
}

std::string text_of(const FinalVerdict& verdict) {
  const measure::RatioInterval ratio = verdict.ratio();
  const auto decision = name_of(verdict.decision());
  if (!verdict.failure.empty()) return fmt::format("final verdict: {}: {}\n", decision, verdict.failure);
  if (!is_measured(verdict)) {
    const char* cold = verdict.cache == "cold" ? "; the model does not tell a cold L2 from a hot one" : "";
    return fmt::format("final verdict: {}: {:.3f}x against the baseline (modelled, exact; margin {:g} %{})\n",
                       decision, 1 / ratio.ratio, 100 * verdict.margin, cold) +
           beside_text(verdict);
  }
  std::string text = fmt::format(
      "final verdict: {}: {:.3f}x [{:.3f}, {:.3f}] against the baseline ({} pairs in turn in a fresh "
      "process, {} L2, "
      "inputs that no trial has seen; {:g} % interval over fresh loads; margin {:g} %)\n",
      decision, 1 / ratio.ratio, 1 / ratio.interval[1], 1 / ratio.interval[0], verdict.pairs(), verdict.cache,
      100 * verdict_confidence, 100 * verdict.margin);
  text += fmt::format(
      "  error over this run at most {:.2g} %: the search timed {} candidates in turn with their champion, "
      "{} "
      "of them beyond the screening; {:.2g} % spent\n",
      100 * verdict.false_promotion_at_most, verdict.comparisons, verdict.decided, 100 * verdict.spent_error);
  for (const PairedSeries& one : verdict.series)
    text += fmt::format("  {}: {:.4g} us, baseline {:.4g} us\n", one.workload,
                        measure::median(one.candidate_us), measure::median(one.opponent_us));
  text += beside_text(verdict);
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
