#include <fmt/format.h>

#include "diagnose/report.hpp"
#include "model/file_name.hpp"

namespace evo::diagnose {
namespace {

std::string shown_place(const model::Evidence& evidence) {
  const std::string place = model::place_text(evidence.file, evidence.line);
  return place.empty() ? "no line" : place;
}

constexpr std::size_t causes_shown = 3;
constexpr std::size_t findings_shown = 8;

void add_symptom(const PostMortem& report, std::string& text) {
  text += fmt::format("symptom      {} ({})", model::name_of(report.symptom.status), report.symptom.reason);
  if (report.failing_launch > 1)
    text += fmt::format(", at launch {} of {}", report.failing_launch, report.launches);
  text += "\n";
  for (std::size_t i = 0; i < report.symptom.evidence.size() && i < findings_shown; ++i) {
    const model::Evidence& evidence = report.symptom.evidence[i];
    if (evidence.line > 0) {
      text += fmt::format("             {}: {}\n", shown_place(evidence), evidence.message);
    } else {
      text += fmt::format("             {}\n", evidence.message);
    }
  }
  if (report.symptom.evidence.size() > findings_shown)
    text +=
        fmt::format("             and {} more findings\n", report.symptom.evidence.size() - findings_shown);
}

void add_shape(const PostMortem& report, std::string& text) {
  if (report.minimal.axes.empty()) return;
  text += fmt::format("smallest     {}, inputs {}", shape_text(report.minimal), report.input_set);
  if (report.launches > 1) text += fmt::format(", {} launches", report.launches);
  text += "\n";
  for (const Reduction& step : report.reductions) {
    text += fmt::format("             {}: {} -> {}{}\n", step.what, step.from, step.to,
                        step.passes.empty() ? "" : fmt::format(" ({} passes)", step.passes));
  }
  for (const std::string& input : report.inputs_that_matter)
    text += fmt::format("             matters: {}\n", input);
}

void add_stages(const PostMortem& report, std::string& text) {
  if (report.tiles.tiles.empty()) return;
  const Tile* first = report.tiles.first_divergent();
  text +=
      fmt::format("diverges     {}\n", first ? fmt::format("first in {}", first->check.name) : "in no stage");
  for (const Tile& tile : report.tiles.tiles) {
    text +=
        fmt::format("  {:<10} {}\n", tile.check.name + (tile.check.correct ? "" : " !"), text_of(tile.check));
  }
}

void add_causes(const PostMortem& report, std::string& text) {
  for (std::size_t i = 0; i < report.causes.size() && i < causes_shown; ++i) {
    const Cause& cause = report.causes[i];
    text += fmt::format("{} {} ({}, score {}): {}\n", i == 0 ? "likely cause" : "   or       ",
                        cause.rule->name, cause.rule->category, cause.score, cause.rule->cause);
    for (const WeighedFact& fact : cause.evidence_for)
      text += fmt::format("             + {}\n", fact.fact.text);
    for (const WeighedFact& fact : cause.evidence_against)
      text += fmt::format("             - {}\n", fact.fact.text);
    if (i == 0) text += fmt::format("             try: {}\n", cause.rule->remedy);
  }
  if (report.causes.empty()) text += "likely cause unknown: no rule fits what was observed\n";
}

}  // namespace

std::string text_report(const PostMortem& report) {
  std::string text = fmt::format("{} (problem {}, template {}, accuracy class {})\n", report.title,
                                 report.problem, report.template_name, report.accuracy_class);
  if (!report.failing) {
    text += "nothing failed: no diagnosis\n";
  } else {
    text += fmt::format("verdict      {}\n", report.category);
    add_symptom(report, text);
    add_shape(report, text);
    add_stages(report, text);
    for (std::size_t i = 0; i < report.places.size() && i < findings_shown; ++i) {
      const SourcePlace& place = report.places[i];
      const std::string lines = place.last_line == place.line
                                    ? fmt::format("{}", place.line)
                                    : fmt::format("{}-{}", place.line, place.last_line);
      text += fmt::format("{} {}:{}  {}\n", i == 0 ? "source      " : "            ", place.file, lines,
                          place.why);
      if (!place.text.empty()) text += fmt::format("               {}\n", place.text);
    }
    add_causes(report, text);
  }
  for (const model::Evidence& evidence : report.sanitizer)
    text += fmt::format("sanitizer    {}: {}: {}\n", shown_place(evidence), evidence.kind, evidence.message);
  for (const std::string& file : report.files) text += fmt::format("written      {}\n", file);
  for (const std::string& note : report.notes) text += fmt::format("note         {}\n", note);
  return text + fmt::format("cost         {:.1f} s, {} runs on the virtual device\n", report.seconds,
                            report.observations);
}

}  // namespace evo::diagnose
