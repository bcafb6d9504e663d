// Pairs that were timed in turn as JSON and as a figure in a line of text.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <boost/json.hpp>

#include "evaluators/measure/effect_size.hpp"
#include "session/timed_pairs.hpp"

namespace evo::session {
namespace {

namespace json = boost::json;
namespace measure = evaluators::measure;
using evaluators::gates::PairedSeries;

/// The other side's key: a comparator is no baseline.
std::string other_side_of(const TimedPairs& pairs) {
  return pairs.against == "baseline" ? "baseline" : "comparator";
}

json::object workload_json(const PairedSeries& one, const TimedPairs& of) {
  const std::string other = other_side_of(of);
  json::value statistics = nullptr;
  if (of.kind == model::LatencyKind::measured) {
    const measure::MannWhitney test = measure::mann_whitney(one.candidate_us, one.opponent_us);
    statistics = {{"hedges_g", finite_or_null(measure::hedges_g(one.opponent_us, one.candidate_us))},
                  {"cliffs_delta", finite_or_null(measure::cliffs_delta(one.opponent_us, one.candidate_us))},
                  {"mann_whitney", {{"u", test.u}, {"z", test.z}, {"p", test.p}}}};
  }
  json::object samples{{"champion_us", json::array(one.candidate_us.begin(), one.candidate_us.end())}};
  samples[other + "_us"] = json::array(one.opponent_us.begin(), one.opponent_us.end());
  json::object object{{"name", one.workload},
                      {"weight", one.weight},
                      {"champion_us", finite_or_null(measure::median(one.candidate_us))}};
  object[other + "_us"] = finite_or_null(measure::median(one.opponent_us));
  object["statistics"] = std::move(statistics);
  object["odd_champion"] = strings(measure::oddities(one.candidate_us));
  object["odd_" + other] = strings(measure::oddities(one.opponent_us));
  object["samples"] = std::move(samples);
  return object;
}

std::vector<double> doubles(const json::value& array) {
  std::vector<double> all;
  for (const json::value& one : array.as_array()) all.push_back(exact_number(one));
  return all;
}

std::string text_or(const json::object& object, const char* key, const char* otherwise) {
  const json::value* found = object.if_contains(key);
  return found == nullptr ? otherwise : std::string(found->as_string());
}

}  // namespace

json::value finite_or_null(double value) {
  return std::isfinite(value) ? json::value(value) : json::value(nullptr);
}

json::array strings(const std::vector<std::string>& all) {
  json::array list;
  for (const std::string& one : all) list.emplace_back(one);
  return list;
}

double exact_number(const json::value& value) {
  return std::strtod(fmt::format("{:.15g}", value.to_number<double>()).c_str(), nullptr);
}

void add_samples_json(json::object& object, const TimedPairs& pairs) {
  json::array seeds, workloads;
  for (const std::uint64_t seed : pairs.input_seeds) seeds.emplace_back(std::to_string(seed));
  for (const PairedSeries& one : pairs.series) workloads.push_back(workload_json(one, pairs));
  object["clocks"] = {{"watched", pairs.clocks.watched},
                      {"discarded", pairs.clocks.discarded},
                      {"kept", pairs.clocks.kept},
                      {"reasons", strings(pairs.clocks.reasons)}};
  object["rounds_a_load"] = pairs.rounds_a_load;
  object["input_seeds"] = std::move(seeds);
  object["workloads"] = std::move(workloads);
}

json::object to_json(const TimedPairs& pairs, double margin) {
  const measure::RatioInterval ratio = pairs.ratio();
  const bool measured = pairs.kind == model::LatencyKind::measured;
  json::value interval = nullptr;
  if (measured && std::isfinite(ratio.interval[0]))
    interval = json::array{ratio.interval[0], ratio.interval[1]};
  json::object object{{"against", pairs.against},
                      {"cache", pairs.cache},
                      {"latency_kind", model::name_of(pairs.kind)},
                      {"failure", pairs.failure},
                      {"decision", name_of(pairs.decision_at(margin))},
                      {"ratio", finite_or_null(ratio.ratio)},
                      {"interval", std::move(interval)},
                      {"speedup", finite_or_null(1 / ratio.ratio)},
                      {"pairs", pairs.pairs()}};
  add_samples_json(object, pairs);
  return object;
}

TimedPairs timed_pairs_from_json(const json::object& object) {
  TimedPairs pairs;
  // A verdict of an evo that timed hot alone, and against the baseline, says neither.
  pairs.against = text_or(object, "against", "baseline");
  pairs.cache = text_or(object, "cache", "hot");
  pairs.kind = object.at("latency_kind").as_string() == "measured" ? model::LatencyKind::measured
                                                                   : model::LatencyKind::modelled;
  pairs.failure = std::string(object.at("failure").as_string());
  pairs.rounds_a_load = object.at("rounds_a_load").to_number<std::size_t>();
  for (const json::value& seed : object.at("input_seeds").as_array())
    pairs.input_seeds.push_back(std::stoull(std::string(seed.as_string())));
  if (const json::value* clocks = object.if_contains("clocks")) {
    pairs.clocks = {clocks->at("watched").as_bool(),
                    clocks->at("discarded").to_number<std::uint32_t>(),
                    clocks->at("kept").to_number<std::uint32_t>(),
                    {}};
    for (const json::value& reason : clocks->at("reasons").as_array())
      pairs.clocks.reasons.emplace_back(reason.as_string());
  }
  const std::string other = other_side_of(pairs) + "_us";
  for (const json::value& entry : object.at("workloads").as_array()) {
    const json::object& one = entry.as_object();
    const json::object& samples = one.at("samples").as_object();
    pairs.series.push_back({std::string(one.at("name").as_string()), exact_number(one.at("weight")),
                            doubles(samples.at("champion_us")), doubles(samples.at(other))});
  }
  return pairs;
}

std::string speedup_text(const TimedPairs& pairs) {
  const measure::RatioInterval ratio = pairs.ratio();
  if (pairs.kind != model::LatencyKind::measured) return fmt::format("{:.3f}x", 1 / ratio.ratio);
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", 1 / ratio.ratio, 1 / ratio.interval[1],
                     1 / ratio.interval[0]);
}

}  // namespace evo::session
