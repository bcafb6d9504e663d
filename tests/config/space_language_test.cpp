// Genes, constraints, defines, options and shapes of a template: what can be said, and what a mistake is
// told.
#include <gtest/gtest.h>

#include "config/loader.hpp"
#include "model/variant.hpp"
#include "tests/config/files.hpp"

namespace evo::config {
namespace {

using testing::Files;

struct SpaceLanguage : ::testing::Test {
  Files files;
  SearchPath path = files.search_path();

  void edit(const std::string& from, const std::string& to) {
    files.edit("kernels/copy/problem.yaml", from, to);
  }
  model::Template kernel() {
    const auto problem = load_problem("copy", path);
    EXPECT_TRUE(problem) << (problem ? "" : problem.error().text());
    return problem ? problem->templates.front() : model::Template{};
  }
  std::string error() {
    const auto problem = load_problem("copy", path);
    return problem ? "no error" : problem.error().text();
  }
  /// The error with the gene THREADS said by `text`.
  std::string error_of_gene(const std::string& text) {
    edit("THREADS: {values: [32, 64], initial: 64}", "THREADS: " + text);
    return error();
  }
  std::vector<model::Value> values_of_gene(const std::string& text) {
    edit("THREADS: {values: [32, 64], initial: 64}", "THREADS: " + text);
    const model::Template read = kernel();
    const model::Gene* gene = read.space.find("THREADS");
    return gene == nullptr ? std::vector<model::Value>{} : gene->values;
  }
  /// The error with `text` as another key of the template.
  std::string error_of_key(const std::string& text) {
    edit("    entry: copy\n", "    entry: copy\n    " + text + "\n");
    return error();
  }
  std::string source() {
    const auto problem = load_problem("copy", path);
    EXPECT_TRUE(problem) << (problem ? "" : problem.error().text());
    const model::Template& read = problem->templates.front();
    const model::Space bound(read.space.genes(), {}, {{"width", std::int64_t{4}}});
    return model::make_variant(read, bound, bound.initial()).source;
  }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

std::vector<model::Value> numbers(const std::vector<std::int64_t>& list) {
  return {list.begin(), list.end()};
}

TEST_F(SpaceLanguage, AListIsAGene) {
  EXPECT_EQ(values_of_gene("[64, 32]"), numbers({64, 32}));
  EXPECT_EQ(kernel().space.find("THREADS")->initial, model::Value(std::int64_t{64}));
}

TEST_F(SpaceLanguage, RangesAndPowersOfTwo) {
  EXPECT_EQ(values_of_gene("{values: {from: 32, to: 130, step: 32}}"), numbers({32, 64, 96, 128}));
  edit("{values: {from: 32, to: 130, step: 32}}", "{from: 62, to: 64}");
  EXPECT_EQ(kernel().space.find("THREADS")->values, numbers({62, 63, 64}));
  edit("{from: 62, to: 64}", "{values: {powers_of_two: [16, 64]}, initial: 64}");
  EXPECT_EQ(kernel().space.find("THREADS")->values, numbers({16, 32, 64}));
}

TEST_F(SpaceLanguage, WrongRangesAreTold) {
  EXPECT_TRUE(says(error_of_gene("{from: 64, to: 32}"), "problem.yaml:26:")) << error();
  edit("{from: 64, to: 32}", "{values: {form: 1, to: 2}}");
  EXPECT_TRUE(says(error(), "unknown key") && says(error(), "did you mean 'from'?")) << error();
  edit("{values: {form: 1, to: 2}}", "{powers_of_two: [16, 48]}");
  EXPECT_TRUE(says(error(), "48 is no power of two")) << error();
  edit("{powers_of_two: [16, 48]}", "{from: 0, to: 1000000}");
  EXPECT_TRUE(says(error(), "100000 values")) << error();
}

TEST_F(SpaceLanguage, RealNumbersStayReal) {
  edit("      KIND:", "      F: [0.5, 1, 2e-3]\n      KIND:");
  const model::Template read = kernel();
  EXPECT_EQ(read.space.find("F")->values[1], model::Value(std::string("1.0")));
  EXPECT_TRUE(says(source(), "#define F 0.5\n")) << source();
  EXPECT_FALSE(says(source(), "F_0.5"));
}

TEST_F(SpaceLanguage, ValuesOfOneKindOnly) {
  edit("values: [a, b]", "values: [a, 1]");
  EXPECT_TRUE(says(error(), "all numbers or all names")) << error();
  edit("values: [a, 1]", "values: [0.5, a]");
  EXPECT_TRUE(says(error(), "'a' is no number")) << error();
  edit("values: [0.5, a]", "values: [0.5, 0.50]");
  EXPECT_TRUE(says(error(), "0.5 occurs twice")) << error();
}

TEST_F(SpaceLanguage, AGeneMayBeATemplateArgumentOnly) {
  edit("KIND: {values: [a, b]}", "KIND: {values: [float, unsigned int], as: template}");
  EXPECT_TRUE(says(error(), "needs {KIND} in the entry")) << error();
  edit("entry: copy\n", "entry: copy<{KIND}>\n");
  edit("KIND == 'a'", "KIND == 'float'");
  EXPECT_FALSE(says(source(), "KIND")) << source();
  edit("copy<{KIND}>", "copy<{KINDS}>");
  EXPECT_TRUE(says(error(), "did you mean 'KIND'?") && says(error(), "problem.yaml:23:")) << error();
}

TEST_F(SpaceLanguage, AGeneMayStandForItsText) {
  edit("KIND: {values: [a, b]}", "KIND: {values: [float, unsigned int], as: text}");
  edit("KIND == 'a'", "KIND == 'float'");
  EXPECT_TRUE(says(source(), "#define KIND float\n")) << source();
  EXPECT_FALSE(says(source(), "KIND_float")) << source();
  edit("as: text", "as: macro");
  EXPECT_TRUE(says(error(), "'unsigned int' is none of them")) << error();
}

TEST_F(SpaceLanguage, AGeneMayBeSaidByAnotherMacro) {
  edit("THREADS: {values: [32, 64], initial: 64}",
       "THREADS: {values: [32, 64], define: PAIRS = THREADS / 2}");
  EXPECT_TRUE(says(source(), "#define PAIRS 16\n")) << source();
  EXPECT_FALSE(says(source(), "#define THREADS"));
  edit("define: PAIRS = THREADS / 2", "as: none");
  EXPECT_FALSE(says(source(), "THREADS"));
  edit("as: none", "as: define");
  EXPECT_TRUE(says(error(), "needs the key define")) << error();
  edit("as: define", "as: macros");
  EXPECT_TRUE(says(error(), "did you mean 'macro'?")) << error();
}

TEST_F(SpaceLanguage, DefinesAreExpressionsOrTexts) {
  EXPECT_EQ(error_of_key("defines: {WIDE: 2 * width + THREADS, REAL: float, flag: 1, NAME: \"k{THREADS}\"}"),
            "no error");
  const std::string text = source();
  EXPECT_TRUE(says(text, "#define WIDE 72\n#define REAL float\n#define flag 1\n#define NAME k64\n")) << text;
}

TEST_F(SpaceLanguage, MisspeltDefinesAreTold) {
  EXPECT_TRUE(says(error_of_key("defines: {WIDE: widht}"), "did you mean 'width'?")) << error();
  EXPECT_TRUE(says(error(), "problem.yaml:24:")) << error();
  edit("WIDE: widht", "THREADS: 1");
  EXPECT_TRUE(says(error(), "THREADS is a gene")) << error();
}

TEST_F(SpaceLanguage, ADefineOfTheSourceYields) {
  files.write(
      "kernels/copy/plain.cu",
      "#define THREADS 1\n#define WIDTH \\\n  4096\n#ifndef N\n#define N 3\n#endif\n#define OTHER 2\n");
  EXPECT_EQ(error_of_key("defines: {N: 5}"), "no error");
  const std::string text = source();
  EXPECT_TRUE(says(text, "// yields to evo: #define THREADS 1\n// yields to evo: #define WIDTH \n")) << text;
  EXPECT_TRUE(says(text, "\n#define N 3\n#endif\n#define OTHER 2\n")) << "guarded, or not evo's: " << text;
  const model::Template read = kernel();
  ASSERT_EQ(read.notes.size(), 2U);
  EXPECT_TRUE(says(read.notes[0], "plain.cu:1:")) << read.notes[0];
  EXPECT_EQ(std::count(read.source.begin(), read.source.end(), '\n'), 7) << "lines keep their numbers";
}

TEST_F(SpaceLanguage, ADefineOfAHeaderYields) {
  files.write("kernels/copy/plain.cu", "#include \"sizes.h\"\n");
  files.write("kernels/copy/sizes.h", "#pragma once\n#define N 3\n#define OTHER 2\n");
  EXPECT_EQ(error_of_key("defines: {N: 5}"), "no error");
  const model::Template read = kernel();
  EXPECT_EQ(read.headers.at("sizes.h"), "#pragma once\n// yields to evo: #define N 3\n#define OTHER 2\n");
  ASSERT_EQ(read.notes.size(), 1U);
  EXPECT_TRUE(says(read.notes[0], "sizes.h:2:")) << read.notes[0];
}

TEST_F(SpaceLanguage, OptionsAreOfAList) {
  EXPECT_EQ(error_of_key("options: [--use_fast_math, -fmad=false, -DX=1, -std=c++20, --maxrregcount=64]"),
            "no error");
  EXPECT_EQ(kernel().options, (std::vector<std::string>{"--use_fast_math", "--fmad=false", "-DX=1",
                                                        "--std=c++20", "--maxrregcount=64"}));
}

TEST_F(SpaceLanguage, OtherOptionsAreRefused) {
  edit("    entry: copy\n", "    entry: copy\n    options: [HERE]\n");
  std::string before = "HERE";
  const auto refusal = [&](const std::string& option) {
    edit("options: [" + before + "]", "options: [" + option + "]");
    before = option;
    return error();
  };
  EXPECT_TRUE(says(refusal("--use_fast_maths"), "did you mean '--use_fast_math'?")) << error();
  EXPECT_TRUE(says(error(), "problem.yaml:24:15")) << error();
  EXPECT_TRUE(says(refusal("-O3"), "leave it out"));
  EXPECT_TRUE(says(refusal("-arch=sm_90"), "target"));
  EXPECT_TRUE(says(refusal("--fmad=maybe"), "unknown value 'maybe'"));
  EXPECT_TRUE(says(refusal("-I/etc"), "beside problem.yaml"));
  EXPECT_TRUE(says(refusal("-I../other"), "beside problem.yaml"));
  EXPECT_TRUE(says(refusal("-Iinclude"), "there is no folder"));
  EXPECT_TRUE(says(refusal("-DX=__TIME__"), "another program"));
  EXPECT_TRUE(says(refusal("'-DX=\"/etc/passwd\"'"), "made of letters"));
  EXPECT_TRUE(says(refusal("--pre-include=/etc/passwd"), "headers"));
  EXPECT_TRUE(says(refusal("--dump-inc=x"), "no option that a template may set"));
}

TEST_F(SpaceLanguage, FoldersOfHeadersAreRead) {
  files.write("kernels/copy/include/deep/a.cuh", "// a\n");
  EXPECT_EQ(error_of_key("options: [-Iinclude]"), "no error");
  EXPECT_EQ(kernel().headers.at("deep/a.cuh"), "// a\n");
  EXPECT_TRUE(kernel().options.empty());
}

TEST_F(SpaceLanguage, OptionsMayBeAGene) {
  edit("      KIND:", "      FAST: {options: {0: [], 1: [--use_fast_math, -DF]}}\n      KIND:");
  const model::Template read = kernel();
  EXPECT_EQ(read.space.find("FAST")->values, numbers({0, 1}));
  model::Genome genome = read.space.initial();
  EXPECT_TRUE(model::compile_options(read, genome).empty());
  genome.set("FAST", std::int64_t{1});
  EXPECT_EQ(model::compile_options(read, genome), (std::vector<std::string>{"--use_fast_math", "-DF"}));
  EXPECT_FALSE(says(source(), "FAST"));
  edit("{options: {0: [], 1: [--use_fast_math, -DF]}}", "{values: [0, 1], options: {2: [-DF]}}");
  EXPECT_TRUE(says(error(), "2 is none of the gene's values")) << error();
}

TEST_F(SpaceLanguage, ConstraintsAreExpressions) {
  edit("    constraints:\n", "    constraints:\n      - 32 <= THREADS <= 64 and KIND in ['a', 'b']\n");
  const model::Template read = kernel();
  ASSERT_EQ(read.space.constraints().size(), 2U);
  EXPECT_EQ(read.space.constraints()[0].reason, "");
  EXPECT_EQ(read.space.count_legal().all, 6U);
  edit("- 32 <= THREADS <= 64", "- 32 <= THREAD <= 64");
  EXPECT_TRUE(says(error(), "did you mean 'THREADS'?")) << error();
}

TEST_F(SpaceLanguage, ShapesKnowAxesAndGenes) {
  EXPECT_EQ(error_of_key("shapes: [n % THREADS == 0]"), "no error");
  EXPECT_EQ(kernel().domain.size(), 1U);
  edit("n % THREADS == 0", "m % THREADS == 0");
  EXPECT_TRUE(says(error(), "unknown name 'm'") && says(error(), "problem.yaml:24:")) << error();
}

TEST_F(SpaceLanguage, UnreachedLinesNeedAFileALineAndAReason) {
  EXPECT_EQ(error_of_key("unreached: {\"plain.cu:1\": only for odd sizes}"), "no error");
  EXPECT_EQ(kernel().unreached.at("plain.cu:1"), "only for odd sizes");
  edit("plain.cu:1", "plane.cu:1");
  EXPECT_TRUE(says(error(), "did you mean 'plain.cu'?")) << error();
  edit("plane.cu:1", "plain.cu:0");
  EXPECT_TRUE(says(error(), "expected FILE:LINE")) << error();
}

TEST_F(SpaceLanguage, ACommandMayMakeTheSource) {
  edit("source: plain.cu", "source: {command: [python3, gen.py]}");
  files.write("kernels/copy/gen.py", "print('x')\n");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  EXPECT_EQ(problem->templates.front().generator_command, (std::vector<std::string>{"python3", "gen.py"}));
  files.write("kernels/copy/gen.py", "print('y')\n");
  EXPECT_NE(load_problem("copy", path)->content_hash, problem->content_hash);
  edit("{command: [python3, gen.py]}", "{comand: [python3]}");
  EXPECT_TRUE(says(error(), "did you mean 'command'?")) << error();
}

TEST_F(SpaceLanguage, MetricsKnowAxesTimeAndWork) {
  edit("oracle: copy\n", "oracle: copy\nmetrics: {GB/s: bytes / time, rows: n / time * 1e9}\n");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  ASSERT_EQ(problem->metrics.size(), 2U);
  EXPECT_EQ(problem->metrics[0].name, "GB/s");
  edit("bytes / time", "bites / time");
  EXPECT_TRUE(says(error(), "did you mean 'bytes'?") && says(error(), "problem.yaml:11:")) << error();
  edit("bites / time", "bytes / / time");
  EXPECT_TRUE(says(error(), "unexpected '/'")) << error();
  edit("bytes / / time", "flops / time");
  edit("work: {flops: n, bytes: 8 * n}\n", "");
  EXPECT_TRUE(says(error(), "section work")) << error();
}

TEST_F(SpaceLanguage, MuchMayBeLeftOut) {
  edit("work: {flops: n, bytes: 8 * n}\n", "");
  edit("input_sets:\n  - {name: normal, kind: normal, sigma: 2}\n  - {name: ones, kind: ones}\n", "");
  const auto problem = load_problem("copy", path);
  ASSERT_TRUE(problem) << problem.error().text();
  ASSERT_EQ(problem->input_sets.size(), 1U);
  EXPECT_EQ(problem->input_sets[0].kind, "normal");
  EXPECT_TRUE(problem->work.assumed);
  EXPECT_TRUE(problem->templates.front().launch.static_smem_open);
}

}  // namespace
}  // namespace evo::config
