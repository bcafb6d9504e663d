// The table of bugs (tests/bugs): is the cause that was seeded the one that is stated, and how far is the
// line from the edit? Twenty are drawn at random, without the template's own text to compare with.
//   EVO_DIAGNOSE_SEED=N      another draw (the seed is printed)
//   EVO_DIAGNOSE_ALL=1       all of them
//   EVO_DIAGNOSE_TEMPLATE=T  those of one template
//   EVO_DIAGNOSE_ONLY=WORDS  those whose name has these words
//   EVO_DIAGNOSE_KNOWN=1     with the template's own text: edits are compared, which is easy
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "model/random.hpp"
#include "tests/bugs/seeded.hpp"
#include "tests/diagnose/support.hpp"

namespace evo::tests {
namespace {

using config::SeededBug;

struct Outcome {
  bool cause = false, line = false, fast = false;
};

std::string setting(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Of the place that is named first.
bool within_three(const diagnose::PostMortem& report, const config::SeededPlace& seeded) {
  if (report.places.empty()) return false;
  const diagnose::SourcePlace& place = report.places.front();
  return place.file == seeded.file && std::abs(place.line - seeded.line) <= 3;
}

Outcome diagnose_bug(const model::Problem& shipped, const SeededBug& bug, bool known) {
  model::Problem problem = shipped;
  model::Template& kernel = find_template(problem, bug.template_name);
  const config::SeededPlace seeded = or_throw(config::seed_bug(kernel, bug));
  const std::string source = kernel.source;
  if (known) kernel.source = shipped.find_template(bug.template_name)->source;
  Genes genes;
  for (const auto& [name, value] : bug.genes) genes.emplace_back(name, value);
  diagnose::Subject subject = make_subject(problem, bug.template_name, genes, source);
  subject.known_genome.reset();
  if (!known) subject.known_source.reset();
  const diagnose::PostMortem report = run_diagnosis(subject, 60).post_mortem;
  const std::string stated = first_cause(report);
  Outcome outcome;
  outcome.cause = std::find(bug.causes.begin(), bug.causes.end(), stated) != bug.causes.end();
  outcome.line = within_three(report, seeded);
  outcome.fast = report.seconds < 60;
  const std::string place =
      report.places.empty() ? "no place" : fmt::format("{}:{}", report.places[0].file, report.places[0].line);
  fmt::print("{:<44} {} {:<26} line {} {}:{} ({}){} {:5.1f} s\n", bug.name,
             outcome.cause ? "cause ok " : "CAUSE NOT", stated, outcome.line ? "ok " : "NOT", seeded.file,
             seeded.line, place, report.failing ? "" : " NOTHING FAILED", report.seconds);
  if (!outcome.cause || !setting("EVO_DIAGNOSE_ONLY").empty()) fmt::print("{}", text_report(report));
  std::fflush(stdout);
  return outcome;
}

std::vector<SeededBug> chosen_bugs(std::uint64_t seed) {
  const std::string kernel = setting("EVO_DIAGNOSE_TEMPLATE"), only = setting("EVO_DIAGNOSE_ONLY");
  std::vector<SeededBug> chosen;
  for (const SeededBug& bug : seeded_bugs()) {
    const bool wanted = (kernel.empty() || kernel == bug.template_name) &&
                        (only.empty() || bug.name.find(only) != std::string::npos);
    if (!bug.causes.empty() && bug.needs_gpu.empty() && wanted) chosen.push_back(bug);
  }
  model::RandomStream stream({.seed = seed, .generation = 0, .slot = 0, .purpose = "seeded bugs"});
  for (std::size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[stream.below(i)]);
  if (setting("EVO_DIAGNOSE_ALL").empty() && chosen.size() > 20) chosen.resize(20);
  return chosen;
}

TEST(SeededBugs, TheStatedCauseIsTheSeededOne) {
  if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  const model::Problem problem = shipped_problem("attention_forward");
  const std::string text = setting("EVO_DIAGNOSE_SEED");
  const std::uint64_t seed = text.empty() ? 1 : std::strtoull(text.c_str(), nullptr, 10);
  const bool known = !setting("EVO_DIAGNOSE_KNOWN").empty();
  const std::vector<SeededBug> chosen = chosen_bugs(seed);
  fmt::print("seed {}, {} of {} bugs, {} the template's own text\n", seed, chosen.size(),
             seeded_bugs().size(), known ? "with" : "without");
  int causes = 0, lines = 0, fast = 0;
  for (const SeededBug& bug : chosen) {
    const Outcome outcome = diagnose_bug(problem, bug, known);
    causes += outcome.cause ? 1 : 0;
    lines += outcome.line ? 1 : 0;
    fast += outcome.fast ? 1 : 0;
  }
  const int count = static_cast<int>(chosen.size());
  fmt::print("cause right in {} of {}, line within three in {} of {}, under 60 s in {}\n", causes, count,
             lines, count, fast);
  EXPECT_GE(causes * 20, count * 17);
  EXPECT_GE(lines * 20, count * 15);
}

}  // namespace
}  // namespace evo::tests
