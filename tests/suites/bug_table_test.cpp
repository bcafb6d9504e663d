// The table is about the templates as they are now.
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "tests/suites/seeded.hpp"
#include "tests/support/targets.hpp"

namespace evo::tests {
namespace {

TEST(BugTable, HasEveryBugOfTheCatalogue) {
  std::set<int> numbers;
  for (const suites::SeededBug& bug : seeded_bugs()) {
    if (bug.id != "-") numbers.insert(std::stoi(bug.id));
  }
  for (int number = 1; number <= 28; ++number) EXPECT_TRUE(numbers.contains(number)) << number;
}

TEST(BugTable, EveryEditFitsItsTemplateAndEveryGenomeIsLegal) {
  for (const suites::SeededBug& bug : seeded_bugs()) {
    SCOPED_TRACE(bug.name);
    model::Problem problem = shipped_problem("attention_forward");
    model::Template& kernel = find_template(problem, bug.template_name);
    const auto place = suites::seed_bug(kernel, bug);
    ASSERT_TRUE(place) << place.error().text();
    EXPECT_GT(place->line, 0);
    const auto genome = suites::genome_of(kernel, bug);
    ASSERT_TRUE(genome) << genome.error().text();
    const model::Space space =
        model::bind_space(problem, kernel, {{"head_dim", 64}}, tests::shipped_target(bug.target));
    EXPECT_EQ(space.violation(*genome), std::nullopt);
  }
}

TEST(BugTable, OnlyWhatNoVirtualDeviceRunsIsLeftToAGpu) {
  const model::Problem problem = shipped_problem("attention_forward");
  for (const suites::SeededBug& bug : seeded_bugs()) {
    // What the compiled code lacks is seen before anything runs.
    const bool seen_in_code =
        bug.gate == "sanitize" && bug.reasons == std::vector<std::string>{"proxy_fence"};
    EXPECT_EQ(bug.needs_gpu.empty(), problem.find_template(bug.template_name)->sync_checkable || seen_in_code)
        << bug.name;
  }
}

TEST(SeedBug, ATemplateThatHasChangedIsAnError) {
  model::Problem problem = shipped_problem("attention_forward");
  model::Template& kernel = find_template(problem, "scalar");
  suites::SeededBug bug;
  bug.name = "one";
  bug.from = "no such text in it";
  EXPECT_NE(suites::seed_bug(kernel, bug).error().text().find("not there any more"), std::string::npos);
  bug.from = "const int";
  EXPECT_NE(suites::seed_bug(kernel, bug).error().text().find("more than once"), std::string::npos);
  bug.file = "evo_tma.cuh";
  EXPECT_NE(suites::seed_bug(kernel, bug).error().text().find("no such file"), std::string::npos);
}

TEST(SeedBug, TheLineIsWhereTheEditBeginsToDiffer) {
  model::Template kernel;
  kernel.source_file = "k.cu";
  kernel.source = "a\nb\nc\nd\n";
  suites::SeededBug bug;
  bug.from = "b\nc";
  bug.to = "b\nx";
  const auto place = suites::seed_bug(kernel, bug);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->line, 3);
  EXPECT_EQ(place->file, "k.cu");
  EXPECT_EQ(kernel.source, "a\nb\nx\nd\n");
}

TEST(LoadSeededBugs, ComplainsWithFileAndLine) {
  const std::string file = testing::TempDir() + "/bugs.yaml";
  const auto load = [&](const std::string& rows) {
    std::ofstream(file) << "problem: .\nbugs:\n" << rows;
    const auto table = suites::load_seeded_bugs(file);
    return table ? std::string() : table.error().text();
  };
  const std::string row =
      "  - {id: 1, name: one, template: t, gate: sanitize, reason: \"*\", old: a, new: b}\n";
  EXPECT_EQ(load(row), "");
  EXPECT_NE(load(row + row).find(":4:"), std::string::npos);
  EXPECT_NE(load("  - {id: 1, name: one, template: t, gate: g, reason: r, old: a, new: a}\n").find("nothing"),
            std::string::npos);
  EXPECT_NE(load("  - {idd: 1}\n").find("bugs.yaml:3"), std::string::npos);
}

}  // namespace
}  // namespace evo::tests
