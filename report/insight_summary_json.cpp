#include <cmath>

#include <fmt/format.h>

#include <boost/json.hpp>

#include "evaluators/profile/reading_json.hpp"
#include "report/insight_screen.hpp"
#include "report/json_output.hpp"

namespace evo::report {
namespace {

namespace summary_json = boost::json;

summary_json::value gene_value(const model::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return summary_json::value(std::get<std::string>(value));
}

summary_json::object gene_values(const model::Environment& values) {
  summary_json::object object;
  for (const auto& [gene, value] : values) object[gene] = gene_value(value);
  return object;
}

summary_json::object tested_json(const session::Tested& tested) {
  summary_json::value ratio = nullptr, interval = nullptr;
  if (std::isfinite(tested.ratio.ratio)) {
    ratio = tested.ratio.ratio;
    interval = summary_json::array{tested.ratio.interval[0], tested.ratio.interval[1]};
  }
  return {{"status", name_of(tested.status)},  {"ratio", std::move(ratio)}, {"interval", std::move(interval)},
          {"comparisons", tested.comparisons}, {"pairs", tested.pairs},     {"found", tested.found}};
}

summary_json::object gene_json(const session::GeneWorth& worth) {
  summary_json::object object = tested_json(worth.tested);
  object["was"] = gene_values(worth.was);
  object["now"] = gene_values(worth.now);
  object["share"] = worth.share ? summary_json::value(*worth.share) : summary_json::value(nullptr);
  object["effect"] = nullptr;
  if (worth.estimated) {
    object["effect"] = worth.estimated->effect;
    object["effect_interval"] =
        summary_json::array{worth.estimated->interval[0], worth.estimated->interval[1]};
    object["trials"] = worth.estimated->trials;
  }
  return object;
}

summary_json::object claim_json(const session::ClaimTested& one) {
  summary_json::object object = tested_json(one.tested);
  object["kind"] = name_of(one.claim.kind);
  object["values"] = gene_values(one.claim.values);
  object["trials"] = one.claim.trials;
  if (one.claim.kind == session::ClaimKind::failure) {
    object["end"] = model::name_of(one.claim.failure.status);
    object["reason"] = one.claim.failure.reason;
    object["of"] = one.claim.failure.of;
    object["insight"] = one.claim.failure.id;
  } else {
    const bool estimated = !one.claim.is_suspicion();
    object["effect"] = estimated ? summary_json::value(one.claim.effect) : summary_json::value(nullptr);
    object["effect_interval"] =
        estimated ? summary_json::value(summary_json::array{one.claim.interval[0], one.claim.interval[1]})
                  : summary_json::value(nullptr);
  }
  return object;
}

summary_json::object counter_json(const engine::CounterEffects& of) {
  summary_json::array effects;
  for (const engine::JointEffect& effect : of.fit.effects)
    effects.push_back({{"values", gene_values(effect.values)},
                       {"effect", effect.effect},
                       {"interval", summary_json::array{effect.interval[0], effect.interval[1]}},
                       {"significant", effect.significant()},
                       {"trials", effect.trials}});
  return {{"counter", of.counter},   {"basis", model::name_of(of.basis)},
          {"relative", of.relative}, {"trials", of.fit.trials},
          {"noise", of.fit.noise},   {"effects", std::move(effects)}};
}

}  // namespace

summary_json::object insight_summary_json(const session::InsightSummary& summary) {
  summary_json::array genes, claims, next;
  for (const session::GeneWorth& worth : summary.genes) genes.push_back(gene_json(worth));
  for (const session::ClaimTested& one : summary.claims) claims.push_back(claim_json(one));
  for (const session::Suggestion& one : summary.next)
    next.push_back({{"text", one.text}, {"evidence", one.evidence}});
  summary_json::value champion = nullptr, template_name = nullptr;
  if (summary.champion) {
    champion = summary_json::value(summary.champion->variant);
    template_name = summary_json::value(summary.champion->template_name);
  }
  summary_json::value reduced = nullptr;
  if (summary.reduced) {
    summary_json::object object = tested_json(*summary.reduced);
    object["values"] = gene_values(summary.goes_back);
    object["variant"] = summary.reduced_variant;
    object["went_back"] = summary.went_back;
    reduced = std::move(object);
  }
  summary_json::array profile;
  for (const model::CounterReading& reading : summary.profile)
    profile.push_back(evaluators::profile::to_json(reading, 0));
  summary_json::array counters;
  for (const engine::CounterEffects& of : summary.counters) counters.push_back(counter_json(of));
  return {{"generation", summary.generation},
          {"trials", summary.trials},
          {"runs", summary.runs},
          {"champion", std::move(champion)},
          {"template", std::move(template_name)},
          {"latency_kind", model::name_of(summary.kind)},
          {"speedup", summary.speedup},
          {"noise", summary.noise},
          {"genes", std::move(genes)},
          {"claims", std::move(claims)},
          {"reduced", std::move(reduced)},
          {"profile", std::move(profile)},
          {"counters", std::move(counters)},
          {"next", std::move(next)}};
}

}  // namespace evo::report
