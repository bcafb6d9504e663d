#include "engine/screen.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "engine/proposer.hpp"
#include "engine/record_json.hpp"
#include "model/error.hpp"
#include "model/random.hpp"

namespace evo::engine {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 6> choice_names{"best",   "explored",     "alone",
                                                       "rested", "not_modelled", "failed"};

json::object json_of(const ScreenedCandidate& one) {
  json::object object{
      {"variant", one.variant}, {"template", one.template_name}, {"operator", one.operator_name}};
  object["genes"] = json::parse(to_json(one.genome.values()));
  // A text: numbers of JSON may come back a last digit off, and a run that goes on ranks by them.
  if (one.modelled_us) object["modelled_us"] = fmt::format("{}", *one.modelled_us);
  if (!one.failed.empty()) object["failed"] = one.failed;
  if (!one.not_modelled.empty()) object["not_modelled"] = one.not_modelled;
  return object;
}

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found != nullptr ? std::string(found->as_string()) : std::string();
}

ScreenedCandidate candidate_of(const json::object& object) {
  ScreenedCandidate one;
  one.variant = text_at(object, "variant");
  one.template_name = text_at(object, "template");
  one.operator_name = text_at(object, "operator");
  one.genome = model::Genome(environment_from_json(json::serialize(object.at("genes"))));
  if (const std::string us = text_at(object, "modelled_us"); !us.empty())
    one.modelled_us = std::strtod(us.c_str(), nullptr);
  one.failed = text_at(object, "failed");
  one.not_modelled = text_at(object, "not_modelled");
  return one;
}

}  // namespace

std::string_view name_of(ScreenChoice choice) {
  return choice_names.at(static_cast<std::size_t>(choice));
}

Chosen choose(std::span<const ScreenedCandidate> pool, const model::SearchSettings& settings,
              const SlotId& slot) {
  if (!pool.front().not_modelled.empty()) return {0, ScreenChoice::not_modelled};
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < pool.size(); ++i)
    if (pool[i].modelled_us) ranked.push_back(i);
  if (ranked.empty()) {
    const auto other =
        std::ranges::find_if(pool, [](const ScreenedCandidate& one) { return !one.not_modelled.empty(); });
    if (other == pool.end()) return {0, ScreenChoice::failed};
    return {static_cast<std::size_t>(other - pool.begin()), ScreenChoice::not_modelled};
  }
  std::ranges::stable_sort(ranked, {}, [&](std::size_t i) { return *pool[i].modelled_us; });
  if (ranked.size() == 1) return {ranked.front(), ScreenChoice::alone};
  model::RandomStream random({settings.seed, static_cast<std::uint64_t>(slot.generation),
                              static_cast<std::uint64_t>(slot.slot), "screen"});
  if (!random.chance(settings.screen.explore)) return {ranked.front(), ScreenChoice::best};
  // All alike, so that those which are seen stand for those which are not.
  return {ranked[1 + random.below(ranked.size() - 1)], ScreenChoice::explored};
}

EventRecord event_of(const ScreenedSlot& slot) {
  json::array candidates;
  for (const ScreenedCandidate& one : slot.pool) candidates.push_back(json_of(one));
  return {event_kinds::screened,
          slot.trial,
          {{"choice", std::string(name_of(slot.chosen.choice))},
           {"variant", slot.pool.at(slot.chosen.position).variant},
           {"model", slot.model},
           {"model_cpu_ms", fmt::format("{:.3f}", slot.model_cpu_ms)},
           {"prepare_ms", fmt::format("{:.3f}", slot.prepare_ms)},
           {"candidates", json::serialize(candidates)}}};
}

std::map<std::string, std::string> without_clock(std::map<std::string, std::string> details) {
  details.erase("model_cpu_ms");
  details.erase("prepare_ms");
  return details;
}

std::optional<ScreenedSlot> screened_slot(const EventRecord& event) {
  if (event.kind != event_kinds::screened) return std::nullopt;
  try {
    ScreenedSlot slot;
    slot.trial = event.trial;
    slot.model = event.details.at("model");
    slot.model_cpu_ms = std::strtod(event.details.at("model_cpu_ms").c_str(), nullptr);
    slot.prepare_ms = std::strtod(event.details.at("prepare_ms").c_str(), nullptr);
    const auto name = std::ranges::find(choice_names, event.details.at("choice"));
    if (name == choice_names.end()) return std::nullopt;
    slot.chosen.choice = static_cast<ScreenChoice>(name - choice_names.begin());
    const json::value candidates = json::parse(event.details.at("candidates"));
    for (const json::value& one : candidates.as_array()) slot.pool.push_back(candidate_of(one.as_object()));
    const auto chosen =
        std::ranges::find(slot.pool, event.details.at("variant"), &ScreenedCandidate::variant);
    if (chosen == slot.pool.end()) return std::nullopt;
    slot.chosen.position = static_cast<std::size_t>(chosen - slot.pool.begin());
    return slot;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void remember_pools(Proposer& proposer, std::span<const EventRecord> events,
                    std::span<const TrialRecord> trials, std::int64_t first) {
  std::map<std::int64_t, std::vector<std::string>> drawn;
  for (const TrialRecord& trial : trials)
    if (trial.index >= first) drawn[trial.index] = {genome_key(trial.template_name, trial.genome)};
  for (const EventRecord& event : events) {
    const auto slot = screened_slot(event);
    if (!slot || event.trial >= std::ssize(trials)) continue;
    if (const auto& us = slot->pool[slot->chosen.position].modelled_us)
      proposer.note_modelled(slot->trial, *us);
    if (!drawn.contains(event.trial)) continue;
    std::vector<std::string>& keys = drawn[event.trial];
    keys.clear();
    for (const ScreenedCandidate& one : slot->pool) keys.push_back(genome_key(one.template_name, one.genome));
  }
  for (auto& [index, keys] : drawn) proposer.remember_drawn(index, std::move(keys));
}

void check_screening_model(std::span<const EventRecord> events, const std::string& model) {
  for (const EventRecord& event : events) {
    const auto slot = screened_slot(event);
    if (!slot) continue;
    if (slot->model == model) return;
    throw model::Exception(
        model::ExitCode::environment,
        fmt::format("this run cannot be continued or replayed here: the latency model that screens: the run "
                    "has '{}', now it is '{}'",
                    slot->model, model));
  }
}

}  // namespace evo::engine
