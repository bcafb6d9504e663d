// The table of bugs (suites/bugs): is the cause that was seeded the one that is stated, and how far is the
// line from the edit? Twenty are drawn at random, without the template's own text to compare with.
//   EVO_DIAGNOSE_SEED=N      this draw; without it another one each time (the seed is printed)
//   EVO_DIAGNOSE_ALL=1       all of them, and how each of five draws of twenty would have ended
//   EVO_DIAGNOSE_TEMPLATE=T  those of one template
//   EVO_DIAGNOSE_ONLY=WORDS  those whose name has these words
//   EVO_DIAGNOSE_KNOWN=1     with the template's own text: edits are compared, which is easy
//   EVO_DIAGNOSE_SECONDS=N   in place of 60 for each, where other work shares the machine
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>

#include <fmt/format.h>

#include "model/random.hpp"
#include "tests/diagnose/support.hpp"
#include "tests/suites/seeded.hpp"

namespace evo::tests {
namespace {

using suites::SeededBug;

struct Outcome {
  bool cause = false, line = false, fast = false;
};

struct Score {
  int count = 0, causes = 0, lines = 0, fast = 0;
  void add(const Outcome& outcome) {
    ++count;
    causes += outcome.cause ? 1 : 0;
    lines += outcome.line ? 1 : 0;
    fast += outcome.fast ? 1 : 0;
  }
};

std::string setting(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Of the place that is named first.
bool within_three(const diagnose::PostMortem& report, const suites::SeededPlace& seeded) {
  if (report.places.empty()) return false;
  const diagnose::SourcePlace& place = report.places.front();
  return place.file == seeded.file && std::abs(place.line - seeded.line) <= 3;
}

Outcome diagnose_bug(const model::Problem& shipped, const SeededBug& bug, bool known) {
  model::Problem problem = shipped;
  model::Template& kernel = find_template(problem, bug.template_name);
  const suites::SeededPlace seeded = or_throw(suites::seed_bug(kernel, bug));
  const std::string source = kernel.source;
  if (known) kernel.source = shipped.find_template(bug.template_name)->source;
  Genes genes;
  for (const auto& [name, value] : bug.genes) genes.emplace_back(name, value);
  diagnose::Subject subject = make_subject(problem, bug.template_name, genes, source);
  subject.known_genome.reset();
  if (!known) subject.known_source.reset();
  const std::string limit = setting("EVO_DIAGNOSE_SECONDS");
  const std::clock_t start = std::clock();
  const diagnose::PostMortem report =
      run_diagnosis(subject, limit.empty() ? 60 : std::atof(limit.c_str())).post_mortem;
  // Of all threads: what a machine of its own would take at most.
  const double spent = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const std::string stated = first_cause(report);
  Outcome outcome;
  outcome.cause = std::find(bug.causes.begin(), bug.causes.end(), stated) != bug.causes.end();
  outcome.line = within_three(report, seeded);
  outcome.fast = std::min(report.seconds, spent) < 60;
  const std::string place =
      report.places.empty() ? "no place" : fmt::format("{}:{}", report.places[0].file, report.places[0].line);
  fmt::print("{:<62} {} {:<26} line {} {}:{} ({}){} {:5.1f} s, CPU {:5.1f} s\n", bug.name,
             outcome.cause ? "cause ok " : "CAUSE NOT", stated, outcome.line ? "ok " : "NOT", seeded.file,
             seeded.line, place, report.failing ? "" : " NOTHING FAILED", report.seconds, spent);
  if (!outcome.cause || !setting("EVO_DIAGNOSE_ONLY").empty()) fmt::print("{}", text_report(report));
  std::fflush(stdout);
  return outcome;
}

/// The bugs that a diagnosis can be held to.
std::vector<SeededBug> wanted_bugs() {
  const std::string kernel = setting("EVO_DIAGNOSE_TEMPLATE"), only = setting("EVO_DIAGNOSE_ONLY");
  std::vector<SeededBug> bugs;
  for (const SeededBug& bug : seeded_bugs()) {
    const bool wanted = (kernel.empty() || kernel == bug.template_name) &&
                        (only.empty() || bug.name.find(only) != std::string::npos);
    if (!bug.causes.empty() && bug.needs_gpu.empty() && wanted) bugs.push_back(bug);
  }
  return bugs;
}

std::vector<SeededBug> draw_twenty(std::vector<SeededBug> bugs, std::uint64_t seed) {
  model::RandomStream stream({.seed = seed, .generation = 0, .slot = 0, .purpose = "seeded bugs"});
  for (std::size_t i = bugs.size(); i > 1; --i) std::swap(bugs[i - 1], bugs[stream.below(i)]);
  if (bugs.size() > 20) bugs.resize(20);
  return bugs;
}

void print(const std::string& title, const Score& score) {
  fmt::print("{}: cause correct in {} of {}, line within three in {}, under 60 s in {}\n", title,
             score.causes, score.count, score.lines, score.fast);
}

/// How draws of twenty would have ended: five of them, and how many of a thousand have 17 causes and 15
/// lines.
void print_draws(const std::vector<SeededBug>& bugs, const std::map<std::string, Outcome>& outcomes) {
  constexpr int draws = 1000, shown = 5;
  int enough = 0;
  for (int seed = 1; seed <= draws; ++seed) {
    Score score;
    for (const SeededBug& bug : draw_twenty(bugs, static_cast<std::uint64_t>(seed)))
      score.add(outcomes.at(bug.name));
    if (seed <= shown) print(fmt::format("twenty of seed {}", seed), score);
    enough += score.causes * 20 >= score.count * 17 && score.lines * 20 >= score.count * 15 ? 1 : 0;
  }
  fmt::print("of {} draws {} have enough of both\n", draws, enough);
}

TEST(SeededBugs, TheStatedCauseIsTheSeededOne) {
  if (nvrtc() == nullptr) GTEST_SKIP() << "needs NVRTC";
  const model::Problem problem = shipped_problem("attention_forward");
  const std::string text = setting("EVO_DIAGNOSE_SEED");
  const std::uint64_t seed = text.empty() ? std::random_device()() : std::strtoull(text.c_str(), nullptr, 10);
  const bool known = !setting("EVO_DIAGNOSE_KNOWN").empty(), all = !setting("EVO_DIAGNOSE_ALL").empty();
  const std::vector<SeededBug> wanted = wanted_bugs();
  const std::vector<SeededBug> chosen = all ? wanted : draw_twenty(wanted, seed);
  fmt::print("seed {}, {} of {} bugs, {} the template's own text\n", seed, chosen.size(),
             seeded_bugs().size(), known ? "with" : "without");
  Score score;
  std::map<std::string, Outcome> outcomes;
  std::map<std::string, Score> by_template;
  for (const SeededBug& bug : chosen) {
    const Outcome outcome = diagnose_bug(problem, bug, known);
    outcomes[bug.name] = outcome;
    score.add(outcome);
    by_template[bug.template_name].add(outcome);
  }
  for (const auto& [name, part] : by_template) print(name, part);
  print("all", score);
  if (all) print_draws(wanted, outcomes);
  EXPECT_GE(score.causes * 20, score.count * 17);
  EXPECT_GE(score.lines * 20, score.count * 15);
}

}  // namespace
}  // namespace evo::tests
