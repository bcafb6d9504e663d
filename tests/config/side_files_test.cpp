// What lies beside problem.yaml: stages, sweeps, rules files, the reference kernel and the comparator.
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

struct SideFiles : ::testing::Test {
  Files files;
  SearchPath path{{files.path("kernels")}};

  /// Puts `section` into problem.yaml.
  void add(const std::string& section) {
    files.edit("kernels/copy/problem.yaml", "templates:\n", section + "\ntemplates:\n");
  }
  model::Problem problem() {
    auto loaded = load_problem("copy", path);
    if (!loaded) throw std::runtime_error(loaded.error().text());
    return std::move(*loaded);
  }
  std::string error() {
    const auto loaded = load_problem("copy", path);
    return loaded ? "no error" : loaded.error().text();
  }
  /// With `other` in the place of `now`, which it becomes.
  void expect_with(std::string& now, const std::string& other, const std::string& part) {
    files.edit("kernels/copy/problem.yaml", now, other);
    now = other;
    expect_error("problem.yaml", part);
  }
  void expect_error(const std::string& file, const std::string& part) {
    const std::string text = error();
    EXPECT_NE(text.find(file + ":"), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
};

TEST_F(SideFiles, BelongToTheProblemAndItsHash) {
  add("rules: [rules.yaml]");
  files.write("kernels/copy/rules.yaml", "suspects: []\n");
  std::set<std::string> hashes{problem().content_hash};
  files.write("kernels/copy/reference.cu", "// threads: n\n");
  hashes.insert(problem().content_hash);
  files.write("kernels/copy/comparator.py", "pass\n");
  hashes.insert(problem().content_hash);
  files.write("kernels/copy/rules.yaml", "suspects: []  # none\n");
  hashes.insert(problem().content_hash);
  EXPECT_EQ(hashes.size(), 4U);
  EXPECT_EQ(problem().reference, "// threads: n\n");
  EXPECT_EQ(problem().comparator, "pass\n");
}

TEST_F(SideFiles, HeadersBesideTheSourceNeedNotBeListed) {
  const std::string source =
      "#include \"a.cuh\"\n  #  include \"below/b.cuh\"\n#include <c.cuh>\n"
      "#include \"../d.cuh\"\n#include \"missing.cuh\"\n__global__ void k() {}\n";
  const auto before = problem();
  const std::string file = "kernels/copy/" + before.templates[0].source_file;
  files.write(file, source);
  files.write("kernels/copy/a.cuh", "#include \"e.cuh\"\n#include \"a.cuh\"\n");
  files.write("kernels/copy/e.cuh", "// e\n");
  files.write("kernels/copy/below/b.cuh", "// b\n");
  files.write("kernels/copy/c.cuh", "// c\n");
  files.write("kernels/d.cuh", "// d\n");
  const auto after = problem();
  std::set<std::string> names;
  for (const auto& [name, text] : after.templates[0].headers) {
    if (!before.templates[0].headers.contains(name)) names.insert(name);
  }
  EXPECT_EQ(names, (std::set<std::string>{"a.cuh", "e.cuh", "below/b.cuh"}));
  files.write("kernels/copy/e.cuh", "// another\n");
  EXPECT_NE(problem().content_hash, after.content_hash);
}

TEST_F(SideFiles, HeadersAboveTheSourceAreTakenWithinTheProblemsFolder) {
  const auto before = problem();
  const std::string source = before.templates[0].source_file;
  files.edit("kernels/copy/problem.yaml", "source: " + source, "source: sort/" + source);
  files.write("kernels/copy/sort/" + source,
              "#include \"../utils.cuh\"\n#include \"../../outside.cuh\"\n__global__ void k() {}\n");
  files.write("kernels/copy/utils.cuh", "#include \"./deep/../deep/more.cuh\"\n");
  files.write("kernels/copy/deep/more.cuh", "#include \"../utils.cuh\"\n// more\n");
  files.write("kernels/outside.cuh", "// of nobody\n");
  const model::Template kernel = problem().templates[0];
  EXPECT_EQ(kernel.source.substr(0, kernel.source.find('\n')), "#include \"utils.cuh\"");
  EXPECT_NE(kernel.source.find("../../outside.cuh"), std::string::npos)
      << "left to the compiler, which refuses it";
  EXPECT_EQ(kernel.headers.at("utils.cuh"), "#include \"more.cuh\"\n");
  EXPECT_EQ(kernel.headers.at("more.cuh"), "#include \"utils.cuh\"\n// more\n");
  EXPECT_FALSE(kernel.headers.contains("outside.cuh"));
}

TEST_F(SideFiles, ComparatorsAreNamedAndTheirFilesBelongToTheProblem) {
  files.write("kernels/copy/other.py", "pass\n");
  add("comparators:\n  - {name: library, python: other.py}\n  - {name: tool, command: [./tool, --fast]}");
  const auto before = problem();
  EXPECT_EQ(before.comparators,
            (std::vector<model::Comparator>{{"library", {"other.py"}, model::ComparatorKind::python},
                                            {"tool", {"./tool", "--fast"}}}));
  files.write("kernels/copy/other.py", "print()\n");
  EXPECT_NE(problem().content_hash, before.content_hash);
  files.write("kernels/copy/comparator.py", "pass\n");
  EXPECT_EQ(model::comparators_of(problem()).size(), 2U) << "those that are named, and no others";
  std::string now =
      "comparators:\n  - {name: library, python: other.py}\n  - {name: tool, command: [./tool, --fast]}";
  const auto expect = [&](const std::string& section, const std::string& part) {
    expect_with(now, section, part);
  };
  expect("comparators: [{name: a, comand: [x]}]", "did you mean 'command'?");
  expect("comparators: [{command: [x]}]", "'name' is missing");
  expect("comparators: [{name: a}]", "one of command");
  expect("comparators: [{name: a, command: [x], python: other.py}]", "one of command");
  expect("comparators: [{name: a, python: gone.py}]", "gone.py cannot be read");
  expect("comparators: [{name: a, functions: gone.py}]", "gone.py cannot be read");
  expect("comparators: [{name: a, python: other.py, functions: other.py}]", "one of command");
  expect("comparators: [{name: a, function: other.py}]", "did you mean 'functions'");
  expect("comparators: [{name: a, command: []}]", "list of words");
  expect("comparators: [{name: a, command: [x]}, {name: a, command: [y]}]", "two comparators");
  files.edit("kernels/copy/problem.yaml", now, "description: none");
  EXPECT_EQ(
      model::comparators_of(problem()),
      (std::vector<model::Comparator>{{"comparator.py", {"comparator.py"}, model::ComparatorKind::python}}));
}

/// Makes the one template "theirs" as well.
std::string with_theirs(std::string yaml) {
  const std::size_t plain = yaml.find("  plain:\n");
  std::string theirs = yaml.substr(plain);
  theirs.replace(theirs.find("plain:"), 6, "theirs:");
  return yaml + theirs;
}

TEST_F(SideFiles, AComparatorMayBeAKernelThatNoSearchTries) {
  files.write("kernels/copy/problem.yaml", with_theirs(testing::small_problem));
  add("comparators:\n  - {name: at 32, template: theirs, genes: {THREADS: 32}}\n  - {name: as it is, "
      "template: "
      "theirs}");
  const auto read = problem();
  ASSERT_EQ(read.comparators.size(), 2U);
  EXPECT_EQ(read.comparators[0].kind, model::ComparatorKind::kernel);
  ASSERT_NE(read.comparators[0].kernel, nullptr);
  EXPECT_EQ(read.comparators[0].kernel->name, "theirs");
  EXPECT_EQ(read.comparators[0].genome.values().at("THREADS"), model::Value(std::int64_t{32}));
  EXPECT_EQ(read.comparators[1].genome, read.find_template("theirs")->space.initial());
  EXPECT_TRUE(model::is_comparator(read, "theirs"));
  EXPECT_FALSE(model::is_comparator(read, "plain"));

  auto experiment = load_experiment(files.path("experiments/try.yaml"), {}, files.search_path());
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->templates, std::vector<std::string>{"plain"});
  EXPECT_TRUE(experiment->left_out.empty());
  files.edit("experiments/try.yaml", "target: l4", "templates: []\ntarget: l4");
  experiment = load_experiment(files.path("experiments/try.yaml"), {}, files.search_path());
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->templates, std::vector<std::string>{"plain"}) << "an empty list names none";
  files.edit("experiments/try.yaml", "template: plain", "template: theirs");
  experiment = load_experiment(files.path("experiments/try.yaml"), {}, files.search_path());
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_TRUE(experiment->templates.empty()) << "the baseline is searched, too: all are";
  files.edit("experiments/try.yaml", "template: theirs", "template: plain");
  files.edit("experiments/try.yaml", "templates: []", "templates: [theirs, plain]");
  experiment = load_experiment(files.path("experiments/try.yaml"), {}, files.search_path());
  ASSERT_TRUE(experiment) << experiment.error().text();
  EXPECT_EQ(experiment->templates, (std::vector<std::string>{"theirs", "plain"})) << "as it says";

  std::string now = "{name: at 32, template: theirs, genes: {THREADS: 32}}";
  const auto expect = [&](const std::string& item, const std::string& part) { expect_with(now, item, part); };
  expect("{name: a, template: thiers}", "did you mean 'theirs'");
  expect("{name: a, template: theirs, genes: {THREAD: 32}}", "did you mean 'THREADS'");
  expect("{name: a, template: theirs, genes: {THREADS: 33}}", "33");
  expect("{name: a, template: theirs, command: [x]}", "one of command");
  expect("{name: a, command: [x], genes: {THREADS: 32}}", "genes are those of a kernel");
  for (const char* taken : {"baseline", "champion", "kernel", "launch floor"})
    expect(fmt::format("{{name: {}, template: theirs}}", taken), "name of its own");
}

TEST_F(SideFiles, AComparatorThatTheTargetCannotRunIsToldBeforeARun) {
  files.write("kernels/copy/problem.yaml", with_theirs(testing::small_problem));
  add("comparators:\n  - {name: first, template: theirs, genes: {THREADS: 32, KIND: b}}\n"
      "  - {name: second, template: theirs}");
  const auto experiment = load_experiment(files.path("experiments/try.yaml"), {}, files.search_path());
  ASSERT_TRUE(experiment) << experiment.error().text();
  ASSERT_EQ(experiment->left_out.size(), 1U);
  EXPECT_NE(experiment->left_out[0].find("comparator first: "), std::string::npos);
  EXPECT_NE(experiment->left_out[0].find("b needs 64 threads"), std::string::npos) << experiment->left_out[0];
}

TEST_F(SideFiles, TheKernelThatIsMeantIsNoComparatorWhereThereIsAnother) {
  std::string yaml = with_theirs(testing::small_problem);
  const std::size_t plain = yaml.find("  plain:\n"), theirs = yaml.find("  theirs:\n");
  yaml = yaml.substr(0, plain) + yaml.substr(theirs) + yaml.substr(plain, theirs - plain);
  files.write("kernels/copy/problem.yaml", yaml);
  EXPECT_EQ(model::default_template(problem()).name, "theirs");
  add("comparators: [{name: a, template: theirs}]");
  EXPECT_EQ(problem().templates.front().name, "theirs");
  EXPECT_EQ(model::default_template(problem()).name, "plain");
}

TEST_F(SideFiles, AProblemWhoseTemplatesAreAllComparatorsHasNothingToSearch) {
  add("comparators: [{name: a, template: plain}]");
  const auto named = load_experiment(files.path("experiments/try.yaml"), {}, files.search_path());
  EXPECT_TRUE(named) << "its baseline is that template";
  files.edit("experiments/try.yaml", "  template: plain\n", "");
  const auto experiment = load_experiment(files.path("experiments/try.yaml"), {}, files.search_path());
  ASSERT_FALSE(experiment);
  EXPECT_NE(experiment.error().text().find("every template of the problem is a comparator"),
            std::string::npos)
      << experiment.error().text();
}

TEST_F(SideFiles, AHeaderInAFolderFindsThoseBesideItself) {
  const std::string source = problem().templates[0].source_file;
  files.write("kernels/copy/" + source, "#include \"sub/outer.cuh\"\n__global__ void k() {}\n");
  files.write("kernels/copy/sub/outer.cuh",
              "#include \"inner.cuh\"\n#include \"both.cuh\"\n#include \"only.cuh\"\n");
  files.write("kernels/copy/sub/inner.cuh", "// inner\n");
  files.write("kernels/copy/sub/both.cuh", "// the nearer one\n");
  files.write("kernels/copy/both.cuh", "// the farther one\n");
  files.write("kernels/copy/only.cuh", "// beside the source\n");
  const auto headers = problem().templates[0].headers;
  EXPECT_EQ(headers.at("inner.cuh"), "// inner\n");
  EXPECT_EQ(headers.at("sub_both.cuh"), "// the nearer one\n");
  EXPECT_EQ(headers.at("only.cuh"), "// beside the source\n");
  EXPECT_EQ(headers.at("sub/outer.cuh"),
            "#include \"inner.cuh\"\n#include \"sub_both.cuh\"\n#include \"only.cuh\"\n");
}

TEST_F(SideFiles, StagesSayWhatADiagnosisMayNote) {
  add("stages:\n  - {name: S, formula: f, rows: n, columns: 1, kept_in: f32}\n"
      "  - {name: M, formula: g, rows: n, columns: 1, running: max}\n"
      "  - {name: L, formula: h, rows: n, columns: 1, sums: S}");
  const auto stages = problem().stages;
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_TRUE(stages[0].kept_single);
  EXPECT_FALSE(stages[1].kept_single);
  EXPECT_TRUE(stages[1].running_maximum);
  EXPECT_EQ(stages[2].sums, "S");
  files.edit("kernels/copy/problem.yaml", "sums: S", "sums: T");
  expect_error("problem.yaml", "'T'");
}

TEST_F(SideFiles, SweepsNameEachCombination) {
  add("sweeps:\n  both:\n    - {name: \"w{width}_n{n}\", for: {width: [1, 4]}, n: 64 / width}\n"
      "  one: [{name: only, n: 5}]");
  const auto sweeps = problem().sweeps;
  ASSERT_EQ(sweeps.size(), 2U);
  EXPECT_EQ(sweeps[0].name, "both");
  ASSERT_EQ(sweeps[0].workloads.size(), 2U);
  EXPECT_EQ(sweeps[0].workloads[0].name, "w1_n64");
  EXPECT_EQ(sweeps[0].workloads[1].name, "w4_n16");
  EXPECT_EQ(sweeps[0].workloads[1].axes.at("n"), 16);
  EXPECT_EQ(sweeps[1].workloads.front().name, "only");
}

TEST_F(SideFiles, SweepsAreWithinTheAxes) {
  const std::string good = "sweeps:\n  all: [{name: \"n{n}\", for: {n: [1, 2]}, width: 2}]";
  add(good);
  EXPECT_EQ(error(), "no error");
  const auto after = [&](const std::string& from, const std::string& to, const std::string& part) {
    files.edit("kernels/copy/problem.yaml", from, to);
    expect_error("problem.yaml", part);
    files.edit("kernels/copy/problem.yaml", to, from);
  };
  after("[1, 2]}, width", "[1, 5000]}, width", "4096");
  after("width: 2}]", "width: 3}]", "width");
  after("for: {n:", "for: {m:", "there is no axis 'm'");
  after("\"n{n}\"", "\"same\"", "two workloads are called 'same'");
  after("\"n{n}\"", "\"n{m}\"", "no value for 'm'");
  after("width: 2}]", "n: 7}]", "has a value already");
  after("width: 2}]", "width: q * 2}]", "q");
  after("[{name", "[{nam", "did you mean 'name'");
}

TEST_F(SideFiles, RulesAndSuspectsAreRead) {
  add("rules: [rules.yaml]");
  files.write("kernels/copy/rules.yaml",
              "rules:\n  - {name: r, category: tail, cause: c, remedy: d, needs: [a.b], words: [w],\n"
              "     for: {a.b: 3}, against: {c.d: 2, e.f: 1}}\n"
              "suspects:\n  - {rule: r, fact: a.b, pattern: '\\bx\\(', why: y, look: factor_use}\n");
  const model::CauseRules causes = problem().causes;
  ASSERT_EQ(causes.rules.size(), 1U);
  EXPECT_EQ(causes.rules[0].needs, std::vector<std::string>{"a.b"});
  EXPECT_EQ(causes.rules[0].evidence_for[0].weight, 3);
  EXPECT_EQ(causes.rules[0].evidence_against[1].fact, "e.f");
  ASSERT_EQ(causes.suspects.size(), 1U);
  EXPECT_EQ(causes.suspects[0].pattern, "\\bx\\(");
  EXPECT_EQ(causes.suspects[0].look, model::Look::factor_use);
}

TEST_F(SideFiles, ARulesFileIsHeldToItsForm) {
  add("rules: [rules.yaml]");
  expect_error("problem.yaml", "rules.yaml cannot be read");
  const auto with = [&](const std::string& text, const std::string& part) {
    files.write("kernels/copy/rules.yaml", text);
    expect_error("rules.yaml", part);
  };
  with("rule: []\n", "did you mean 'rules'");
  with("rules: [{name: r}, {name: r}]\n", "the rule 'r' occurs twice");
  with("rules: [{name: r, for: {a.b: 0}}]\n", "0");
  with("rules: [{name: r, agains: {a.b: 1}}]\n", "did you mean 'against'");
  with("suspects: [{rule: r, pattern: '(', why: y}]\n", "no regular expression");
  with("suspects: [{rule: r, pattern: x, why: y, look: nam}]\n", "nam");
}

TEST_F(SideFiles, ATileIsAGeneOfIntegers) {
  files.edit("kernels/copy/problem.yaml", "THREADS: {values", "THREADS: {role: tile, values");
  const model::Problem tiled = problem();
  const model::Gene* gene = tiled.templates.front().space.find("THREADS");
  EXPECT_TRUE(gene->tile);
  EXPECT_EQ(gene->role, model::GeneRole::tuning);
  files.edit("kernels/copy/problem.yaml", "KIND: {values", "KIND: {role: tile, values");
  expect_error("problem.yaml", "integers");
}

TEST(SourceAbove, IsPartOfWhatTheProblemIs) {
  testing::Files files;
  files.write("kernels/above.cu", "extern \"C\" __global__ void copy() {}\n");
  files.edit("kernels/copy/problem.yaml", "source: plain.cu", "source: ../above.cu");
  const auto before = load_problem("copy", files.search_path());
  ASSERT_TRUE(before) << before.error().text();
  files.write("kernels/above.cu", "extern \"C\" __global__ void copy() { __syncthreads(); }\n");
  const auto after = load_problem("copy", files.search_path());
  ASSERT_TRUE(after) << after.error().text();
  EXPECT_NE(before->content_hash, after->content_hash);
}

}  // namespace
}  // namespace evo::config
