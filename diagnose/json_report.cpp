#include <cmath>

#include <boost/json.hpp>

#include "diagnose/report.hpp"
#include "evaluators/evidence_json.hpp"

namespace evo::diagnose {
namespace {

namespace json = boost::json;

/// JSON has no infinities and no NaN.
json::value number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

json::value place_or_null(const std::optional<std::array<std::int64_t, 2>>& at) {
  if (!at) return nullptr;
  return json::array{(*at)[0], (*at)[1]};
}

json::object axes(const model::Workload& workload) {
  json::object object;
  for (const auto& [axis, value] : workload.axes) object[axis] = value;
  return object;
}

json::array stages(const TileReport& report) {
  json::array list;
  for (const Tile& tile : report.tiles) {
    const StageCheck& check = tile.check;
    json::array worst, matches;
    for (const WorstElement& element : check.worst) {
      worst.push_back({{"at", json::array{element.row, element.column}},
                       {"actual", number(element.actual)},
                       {"expected", number(element.expected)}});
    }
    for (const std::string& match : check.matches) matches.emplace_back(match);
    list.push_back({{"stage", check.name},
                    {"formula", check.formula},
                    {"rows", check.rows},
                    {"columns", check.columns},
                    {"slice", check.slice},
                    {"right", check.correct},
                    {"relative_frobenius", number(check.relative_frobenius)},
                    {"wrong", check.wrong},
                    {"not_computed", check.not_computed},
                    {"non_finite", check.non_finite},
                    {"first_wrong", place_or_null(check.first_wrong)},
                    {"first_non_finite", place_or_null(check.first_non_finite)},
                    {"pattern", check.pattern.name},
                    {"pattern_text", check.pattern.text},
                    {"matches", std::move(matches)},
                    {"worst", std::move(worst)}});
  }
  return list;
}

json::array facts(const std::vector<WeighedFact>& weighed) {
  json::array list;
  for (const WeighedFact& item : weighed)
    list.push_back({{"fact", item.fact.name}, {"weight", item.weight}, {"text", item.fact.text}});
  return list;
}

json::array strings(const std::vector<std::string>& texts) {
  json::array list;
  for (const std::string& text : texts) list.emplace_back(text);
  return list;
}

json::array answers(const PostMortem& report) {
  json::array list;
  for (const Answer& answer : report.answers)
    list.push_back({{"mistake", answer.name},
                    {"argument", answer.argument},
                    {"text", answer.text},
                    {"error", answer.error}});
  return list;
}

json::value repair(const PostMortem& report) {
  if (!report.repair) return nullptr;
  const Mutant& mutant = report.repair->mutant;
  return json::object{
      {"kind", mutant.kind}, {"line", mutant.line}, {"text", mutant.text}, {"tried", report.repair->tried}};
}

}  // namespace

json::object json_report(const PostMortem& report) {
  const Tile* first = report.tiles.first_divergent();
  json::array reductions, causes, places, all_facts;
  for (const Reduction& step : report.reductions)
    reductions.push_back(
        {{"what", step.what}, {"from", step.from}, {"to", step.to}, {"passes", step.passes}});
  for (const Cause& cause : report.causes) {
    causes.push_back({{"rule", cause.rule->name},
                      {"category", cause.rule->category},
                      {"score", cause.score},
                      {"cause", cause.rule->cause},
                      {"remedy", cause.rule->remedy},
                      {"for", facts(cause.evidence_for)},
                      {"against", facts(cause.evidence_against)}});
  }
  for (const SourcePlace& place : report.places) {
    places.push_back({{"file", place.file},
                      {"line", place.line},
                      {"last_line", place.last_line},
                      {"text", place.text},
                      {"why", place.why}});
  }
  for (const Fact& fact : report.facts.all()) all_facts.push_back({{"fact", fact.name}, {"text", fact.text}});
  return {{"subject", report.title},
          {"problem", report.problem},
          {"template", report.template_name},
          {"accuracy_class", report.accuracy_class},
          {"failing", report.failing},
          {"category", report.category},
          {"symptom",
           {{"status",
             report.failing ? json::value(model::name_of(report.symptom.status)) : json::value(nullptr)},
            {"reason", report.symptom.reason},
            {"launch", report.failing_launch},
            {"evidence", evaluators::evidence_json(report.symptom.evidence)}}},
          {"smallest",
           {{"axes", axes(report.minimal)}, {"input_set", report.input_set}, {"launches", report.launches}}},
          {"original", axes(report.original)},
          {"reductions", std::move(reductions)},
          {"inputs_that_matter", strings(report.inputs_that_matter)},
          {"first_divergent", first ? json::value(first->check.name) : json::value(nullptr)},
          {"stages", stages(report.tiles)},
          {"source", std::move(places)},
          {"agrees_with", answers(report)},
          {"repair", repair(report)},
          {"causes", std::move(causes)},
          {"facts", std::move(all_facts)},
          {"sanitizer", evaluators::evidence_json(report.sanitizer)},
          {"files", strings(report.files)},
          {"notes", strings(report.notes)},
          {"seconds", report.seconds},
          {"runs", report.observations}};
}

}  // namespace evo::diagnose
