// The table is about the templates as they are now.
#include <cctype>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "suites/source_edit.hpp"
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
  const model::Problem shipped = shipped_problem("attention_forward");
  for (const suites::SeededBug& bug : seeded_bugs()) {
    SCOPED_TRACE(bug.name);
    model::Problem problem = shipped;
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

/// `text` with one identifier renamed.
std::string renamed(const std::string& text, const std::string& from, const std::string& to) {
  std::string out;
  std::size_t done = 0;
  for (const suites::Token& token : suites::tokens_of(text)) {
    if (token.text != from) continue;
    out.append(text, done, token.begin - done).append(to);
    done = token.begin + from.size();
  }
  return out.append(text, done);
}

// Names of the interface (genes, sizes, arguments) and of the language cannot be renamed at will; that they
// are among those tried here makes the test harder, not wrong.
TEST(BugTable, SurvivesTheRenameOfAnyNameThatItQuotes) {
  const model::Problem problem = shipped_problem("attention_forward");
  int tried = 0;
  std::vector<std::string> broken;
  for (const suites::SeededBug& bug : seeded_bugs()) {
    std::set<std::string> names;
    for (const suites::Token& token : suites::tokens_of(bug.from)) {
      const bool word = std::isalpha(static_cast<unsigned char>(token.text.front())) != 0;
      const model::Gene* gene = problem.find_template(bug.template_name)->space.find(token.text);
      if (word && gene == nullptr && token.text != "expf") names.insert(std::string(token.text));
    }
    for (const std::string& name : names) {
      model::Template kernel = *problem.find_template(bug.template_name);
      kernel.source = renamed(kernel.source, name, "renamed_" + name);
      for (auto& [file, text] : kernel.headers) text = renamed(text, name, "renamed_" + name);
      ++tried;
      if (!suites::seed_bug(kernel, bug)) broken.push_back(bug.name + ": " + name);
    }
  }
  EXPECT_TRUE(broken.empty()) << tried << " renames, " << testing::PrintToString(broken);
}

TEST(BugTable, NoneIsLeftToAGpu) {
  for (const suites::SeededBug& bug : seeded_bugs()) EXPECT_EQ(bug.needs_gpu, "") << bug.name;
}

TEST(SourceEdit, BlanksLineBreaksAndCommentsDoNotCount) {
  const std::string source = "int f(int a) {\n  return a  // why\n         + 1;\n}\n";
  const auto edited = suites::apply_edit(source, {"return a+1;", "return a + 2;"});
  ASSERT_TRUE(edited) << edited.error().text();
  EXPECT_EQ(edited->text, "int f(int a) {\n  return a + 2;\n}\n");
  EXPECT_EQ(edited->line, 2);
}

TEST(SourceEdit, ANameThatIsGoneStandsForItsNewOneThroughout) {
  const auto edited = suites::apply_edit("total = fmaf(total, alpha, part);",
                                         {"sum = fmaf(sum, alpha, part);", "sum = sum + part;"});
  ASSERT_TRUE(edited) << edited.error().text();
  EXPECT_EQ(edited->text, "total = total + part;");
  // Two different names have not taken the place of one.
  EXPECT_FALSE(suites::apply_edit("one = fmaf(two, alpha, part);", {"sum = fmaf(sum, alpha, part);", ""}));
  // A name that is still there stands for itself.
  EXPECT_FALSE(suites::apply_edit("other = 1; top = 2;", {"top = 1;", ""}));
}

TEST(SourceEdit, AnAnchorNamesTheStatementBeforeOrBehindIt) {
  const std::string source = "a = 0;\nb(1,\n  a = 0);  // @call\n// @last\na = 0;\n";
  EXPECT_EQ(suites::apply_edit(source, {"a = 0", "a = 1"}).error().message,
            "the text to be replaced stands there more than once");
  EXPECT_EQ(suites::apply_edit(source, {"a = 0", "a = 1", "call"})->line, 3);
  EXPECT_EQ(suites::apply_edit(source, {"a = 0", "a = 1", "last"})->line, 5);
  EXPECT_NE(suites::apply_edit(source, {"a = 0", "a = 1", "las"}).error().message.find("anchor"),
            std::string::npos);
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
