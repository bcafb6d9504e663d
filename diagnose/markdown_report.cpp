#include <fmt/format.h>

#include "diagnose/report.hpp"
#include "model/file_name.hpp"

namespace evo::diagnose {
namespace {

std::string quoted_place(const model::Evidence& evidence) {
  const std::string place = model::place_text(evidence.file, evidence.line);
  return place.empty() ? "no line" : place;
}

/// A table's cell: no bars, no line breaks.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += "\\";
    safe += c == '\n' ? ' ' : c;
  }
  return safe;
}

std::string causes(const PostMortem& report) {
  std::string text = "## Likely causes\n\n";
  if (report.causes.empty()) return text + "No rule fits what was observed.\n";
  for (const Cause& cause : report.causes) {
    text += fmt::format("### {} ({}, score {})\n\n{}\n\n", cause.rule->name, cause.rule->category,
                        cause.score, cause.rule->cause);
    for (const WeighedFact& fact : cause.evidence_for)
      text += fmt::format("- for (+{}): {}\n", fact.weight, fact.fact.text);
    for (const WeighedFact& fact : cause.evidence_against)
      text += fmt::format("- against (-{}): {}\n", fact.weight, fact.fact.text);
    text += fmt::format("\nWhat to try: {}\n\n", cause.rule->remedy);
  }
  return text;
}

std::string stages(const PostMortem& report) {
  if (report.tiles.tiles.empty()) return {};
  std::string text =
      "## Stages\n\n| stage | size | correct | relative error | pattern | first wrong | first NaN or Inf | "
      "worst |\n";
  text += "|---|---|---|---|---|---|---|---|\n";
  const auto place = [](const std::optional<std::array<std::int64_t, 2>>& at) {
    return at ? fmt::format("[{}, {}]", (*at)[0], (*at)[1]) : std::string();
  };
  for (const Tile& tile : report.tiles.tiles) {
    const StageCheck& check = tile.check;
    std::string worst;
    for (const WorstElement& element : check.worst) {
      worst += fmt::format("{}[{}, {}] {:.5g} for {:.5g}", worst.empty() ? "" : "; ", element.row,
                           element.column, element.actual, element.expected);
    }
    text += fmt::format("| {} | {} x {} | {} | {:.3g} | {} | {} | {} | {} |\n", check.name, check.rows,
                        check.columns, check.correct ? "yes" : "**no**", check.relative_frobenius,
                        check.correct ? "" : cell(check.pattern.text), place(check.first_wrong),
                        place(check.first_non_finite), worst);
  }
  return text + "\n";
}

}  // namespace

std::string markdown_report(const PostMortem& report) {
  std::string text =
      fmt::format("# Post-mortem of {}\n\nProblem `{}`, template `{}`, accuracy class `{}`.\n\n",
                  report.title, report.problem, report.template_name, report.accuracy_class);
  if (!report.failing) return text + "Nothing failed.\n";
  text += fmt::format("Verdict: **{}**.\n\n## Symptom\n\n`{}`, reason `{}`.\n\n", report.category,
                      model::name_of(report.symptom.status), report.symptom.reason);
  for (const model::Evidence& evidence : report.symptom.evidence)
    text += fmt::format("- `{}` {}\n", quoted_place(evidence), evidence.message);
  if (!report.minimal.axes.empty()) {
    text += fmt::format("\n## Smallest failing conditions\n\n`{}`, inputs `{}`, {} launch(es).\n\n",
                        shape_text(report.minimal), report.input_set, report.launches);
    for (const Reduction& step : report.reductions) {
      text += fmt::format("- {}: {} to {}{}\n", step.what, step.from, step.to,
                          step.passes.empty() ? "" : fmt::format("; {} passes", step.passes));
    }
    for (const std::string& input : report.inputs_that_matter) text += fmt::format("- matters: {}\n", input);
  }
  text += "\n" + stages(report);
  if (!report.places.empty()) text += "## Source\n\n";
  for (const SourcePlace& place : report.places) {
    text += fmt::format("- `{}:{}`{} {}{}\n", place.file, place.line,
                        place.last_line > place.line ? fmt::format(" to {}", place.last_line) : "", place.why,
                        place.text.empty() ? "" : fmt::format(": `{}`", place.text));
  }
  text += "\n" + causes(report);
  if (!report.sanitizer.empty()) text += "## compute-sanitizer\n\n";
  for (const model::Evidence& evidence : report.sanitizer)
    text += fmt::format("- `{}` {}: {}\n", quoted_place(evidence), evidence.kind, evidence.message);
  if (!report.files.empty()) text += "\n## Files\n\n";
  for (const std::string& file : report.files) text += fmt::format("- `{}`\n", file);
  if (!report.notes.empty()) text += "\n## Notes\n\n";
  for (const std::string& note : report.notes) text += fmt::format("- {}\n", note);
  return text;
}

}  // namespace evo::diagnose
