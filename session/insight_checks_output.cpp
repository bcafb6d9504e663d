// Checks of insights as JSON and as events of a ledger.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include <boost/json.hpp>

#include "session/insight_checks.hpp"

namespace evo::session {
namespace {

namespace check_json = boost::json;

check_json::object values_json(const model::Environment& values) {
  check_json::object object;
  for (const auto& [gene, value] : values) {
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      object[gene] = *integer;
    else
      object[gene] = std::get<std::string>(value);
  }
  return object;
}

model::Environment values_in(const check_json::value& object) {
  model::Environment values;
  for (const auto& [gene, value] : object.as_object()) {
    if (value.is_int64())
      values.insert_or_assign(std::string(gene), value.as_int64());
    else
      values.insert_or_assign(std::string(gene), std::string(value.as_string()));
  }
  return values;
}

/// As texts: Boost's reader may miss a double by a unit in the last place.
check_json::array samples_json(const std::vector<double>& samples) {
  check_json::array list;
  for (const double one : samples) list.emplace_back(fmt::format("{}", one));
  return list;
}

std::vector<double> samples_in(const check_json::value& list) {
  std::vector<double> samples;
  for (const check_json::value& one : list.as_array())
    samples.push_back(std::strtod(one.as_string().c_str(), nullptr));
  return samples;
}

std::string text_in(const check_json::object& object, const char* key) {
  return std::string(object.at(key).as_string());
}

check_json::object raw_json(const InsightCheck& check) {
  check_json::array workloads;
  for (const auto& one : check.series) {
    workloads.push_back({{"name", one.workload},
                         {"weight", fmt::format("{}", one.weight)},
                         {"flipped_us", samples_json(one.candidate_us)},
                         {"champion_us", samples_json(one.opponent_us)}});
  }
  return {{"template", check.template_name},
          {"from", values_json(check.from)},
          {"to", values_json(check.to)},
          {"champion", check.champion},
          {"flipped", check.flipped},
          {"latency_kind", model::name_of(check.kind)},
          {"rounds_a_load", check.rounds_a_load},
          {"workloads", std::move(workloads)},
          {"refused", check.refused},
          {"seconds", check.seconds},
          {"slot", check.idle ? "idle" : "budget"}};
}

/// Throws what boost::json throws where a key is missing or of another type.
InsightCheck check_of(const check_json::object& object) {
  InsightCheck check;
  check.template_name = text_in(object, "template");
  check.from = values_in(object.at("from"));
  check.to = values_in(object.at("to"));
  check.champion = text_in(object, "champion");
  check.flipped = text_in(object, "flipped");
  check.kind = model::latency_kind_from_name(text_in(object, "latency_kind")).value();
  check.rounds_a_load = object.at("rounds_a_load").to_number<std::size_t>();
  for (const check_json::value& entry : object.at("workloads").as_array()) {
    const check_json::object& one = entry.as_object();
    check.series.push_back({text_in(one, "name"), std::strtod(text_in(one, "weight").c_str(), nullptr),
                            samples_in(one.at("flipped_us")), samples_in(one.at("champion_us"))});
  }
  check.refused = text_in(object, "refused");
  check.seconds = object.at("seconds").to_number<double>();
  // Those of evo 0.2 have none, and are all of the budget.
  if (const auto* slot = object.if_contains("slot")) check.idle = slot->as_string() == "idle";
  return check;
}

std::string values_line(const model::Environment& values) {
  std::string text;
  for (const auto& [gene, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", gene, model::to_string(value));
  return text;
}

}  // namespace

check_json::object to_json(const InsightCheck& check, std::size_t checks) {
  const double confidence = confidence_of(checks);
  const auto [ratio, interval] = check.ratio(confidence);
  const bool known = std::isfinite(interval[0]) && std::isfinite(interval[1]);
  check_json::object object = raw_json(check);
  object.erase("workloads");
  object["status"] = name_of(status_of(check, checks));
  object["ratio"] = known ? check_json::value(ratio) : check_json::value(nullptr);
  object["interval"] =
      known ? check_json::value(check_json::array{interval[0], interval[1]}) : check_json::value(nullptr);
  object["confidence"] =
      check.kind == model::LatencyKind::measured ? check_json::value(confidence) : check_json::value(nullptr);
  object["pairs"] = check.pairs();
  return object;
}

engine::EventRecord event_of(const InsightCheck& check, std::int64_t trial) {
  const double ratio = check.ratio().ratio;
  return {insight_checked_event,
          trial,
          {{"from", values_line(check.from)},
           {"to", values_line(check.to)},
           {"ratio", std::isfinite(ratio) ? fmt::format("{:.6g}", ratio) : check.refused},
           {"check", check_json::serialize(raw_json(check))}}};
}

std::vector<InsightCheck> find_checks(const std::vector<engine::EventRecord>& events, std::int64_t trial) {
  std::vector<InsightCheck> checks;
  for (const engine::EventRecord& event : events) {
    const auto kept = event.details.find("check");
    if (event.kind != insight_checked_event || event.trial != trial || kept == event.details.end()) continue;
    try {
      checks.push_back(check_of(check_json::parse(kept->second).as_object()));
    } catch (const std::exception&) {
      continue;  // of another version; it is made again
    }
  }
  return checks;
}

}  // namespace evo::session
