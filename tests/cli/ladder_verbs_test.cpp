// validate and check: what a kernel engineer with a doubtful kernel sees.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

struct LadderVerbs : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }

  /// check on scalar.cu after replacing `from` by `to`.
  Output check_edited(const std::string& from, const std::string& to,
                      const std::vector<std::string>& extra = {}) {
    std::string text = read_file(source_path("kernels/attention_forward/scalar.cu"));
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    std::ofstream(scratch / "edited.cu") << text;
    std::vector<std::string> arguments{"check",     scratch / "edited.cu",
                                       "--problem", source_path("kernels/attention_forward"),
                                       "--json",    "--device",
                                       "virtual",   "--input-seed",
                                       "3"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return run_evo(arguments);
  }
  Scratch scratch;
};

TEST_F(LadderVerbs, AReferenceOfOnesOwnTakesTheOraclesPlace) {
  const std::string folder = source_path("examples/sgemm");
  const auto check = [&](const std::string& reference) {
    return run_evo({"check", folder + "/sgemm.cu", "--problem", folder, "--reference", reference, "--json",
                    "--device", "virtual"});
  };
  const Output correct = check(folder + "/reference.cu");
  EXPECT_EQ(correct.exit_code, 0) << correct.out << correct.err;
  EXPECT_EQ(parse_object(correct.out).at("oracle").at("claim"), "proven (one oracle)");
  std::string text = read_file(folder + "/reference.cu");
  text.replace(text.find("j < k;"), 6, "j + 1 < k;");
  std::ofstream(scratch / "short.cu") << text;
  const Output wrong = check(scratch / "short.cu");
  EXPECT_EQ(wrong.exit_code, 6);
  EXPECT_EQ(parse_object(wrong.out).at("reason"), "mismatch");
  EXPECT_EQ(check(folder + "/sgemm.cu").exit_code, 2) << "the kernel itself";
}

/// examples/sgemm with other lines, and what validate says of it.
struct EditedProblem : LadderVerbs {
  Output validate(const std::vector<std::pair<std::string, std::string>>& edits) {
    std::filesystem::copy(
        source_path("examples/sgemm"), scratch / "p",
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    std::string text = read_file(source_path("examples/sgemm/problem.yaml"));
    for (const auto& [from, to] : edits) text.replace(text.find(from), from.size(), to);
    std::ofstream(scratch / "p/problem.yaml") << text;
    return run_evo({"validate", scratch / "p/experiment.yaml", "--json"});
  }
  static constexpr const char* kernel = "{kernel: reference.cu}";
};

TEST_F(EditedProblem, TwoOraclesThatAgreeProve) {
  const Output output =
      validate({{kernel, "[{kernel: reference.cu}, {expression: \"C[i, j] = sum(l, A[i, l] * B[l, j])\"}]"}});
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  const auto oracle = parse_object(output.out).at("oracle").as_object();
  EXPECT_EQ(oracle.at("claim"), "proven");
  EXPECT_EQ(oracle.at("kinds").as_array().size(), 2U);
}

TEST_F(EditedProblem, TwoOraclesThatDisagreeRefuseIt) {
  const Output output = validate(
      {{kernel, "[{kernel: reference.cu}, {expression: \"C[i, j] = sum(l < k - 1, A[i, l] * B[l, j])\"}]"}});
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_NE(output.err.find("the oracles disagree"), std::string::npos) << output.err;
}

TEST_F(EditedProblem, InputsThatAreAllOnesRefuseItAsRunDoes) {
  const Output output = validate(
      {{"{name: normal, kind: normal}, {name: shifted, kind: normal, mean: 2}", "{kind: constant}"}});
  EXPECT_EQ(output.exit_code, 6);
  EXPECT_NE(output.err.find("argument A"), std::string::npos) << output.err;
}

/// `check` of `source` as `name`, for vector_add.
struct CheckedSource : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  Output check(const std::string& name, const std::string& source, const std::vector<std::string>& more = {},
               const std::string& problem = "vector_add") {
    std::ofstream(scratch / name, std::ios::binary) << source;
    std::vector<std::string> words{
        "check",  scratch / name, "--problem", source_path("suites/attacks/problems/" + problem),
        "--json", "--device",     "virtual"};
    words.insert(words.end(), more.begin(), more.end());
    return run_evo(words);
  }
  static std::string add(const std::string& before, const std::string& value = "a[i] + b[i]") {
    return before +
           "extern \"C\" __global__ void add(const float* a, const float* b, float* c, int n, int c_stride) "
           "{\n"
           "  const int i = blockIdx.x * THREADS + threadIdx.x;\n  if (i < n) c[i * c_stride] = " +
           value + ";\n}\n";
  }
  Scratch scratch;
};

TEST_F(CheckedSource, AGoodKernelPassesEveryGate) {
  const Output output = check("k.cu", add(""));
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("valid"), true);
  EXPECT_EQ(document.at("status"), "proven");
  EXPECT_GE(document.at("gates").as_array().size(), 5U);
}

TEST_F(CheckedSource, ASpillingKernelPassesUnderASettingThatAllowsIt) {
  const std::string source = read_file(source_path("suites/attacks/controls/softmax_spilling.cu"));
  const Output refused = check("k.cu", source, {}, "row_softmax");
  EXPECT_EQ(refused.exit_code, 6);
  EXPECT_EQ(parse_object(refused.out).at("reason"), "spills");
  const Output allowed = check("k.cu", source, {"--set", "gates.max_spill_bytes=65536"}, "row_softmax");
  EXPECT_EQ(allowed.exit_code, 0) << allowed.out;
}

TEST_F(CheckedSource, FileNamesMayBeAnything) {
  for (const char* name : {"a b.cu", "we\"ird.cu", "new\nline.cu", "caf\xc3\xa9.cu", "latin\xe9.cu",
                           "back\\slash.cu", "a;b{c}.cu", "%s{}.cu", "plain"}) {
    const Output correct = check(name, add(""));
    EXPECT_EQ(correct.exit_code, 0) << name << correct.out << correct.err;
    const Output wrong = check(name, add("", "nothing"));
    EXPECT_EQ(wrong.exit_code, 6) << name;
    const auto evidence = parse_object(wrong.out).at("evidence").as_array();
    EXPECT_EQ(evidence.at(0).at("line").to_number<int>(), 3) << name;
    EXPECT_FALSE(evidence.at(0).at("file").as_string().empty());
  }
}

TEST_F(CheckedSource, SourcesMayBeInAnyEncoding) {
  // Several at once, where each alone would be taken too.
  std::string open = add("\xef\xbb\xbf// utf-8\n// one\r\n");
  open.pop_back();  // no newline at the end
  const std::string crlf = std::regex_replace(add("// caf\xe9\n/* \xff\xfe */"), std::regex("\n"), "\r\n");
  for (const std::string& correct : {open, crlf}) {
    const Output output = check("k.cu", correct);
    EXPECT_EQ(output.exit_code, 0) << output.out;
  }
  const auto reason = [&](const std::string& source) {
    const Output output = check("k.cu", source);
    EXPECT_EQ(output.exit_code, 6);
    for (std::size_t at = 0; at < output.out.size(); ++at)
      EXPECT_LT(static_cast<unsigned char>(output.out[at]), 0x80U) << "as escapes";
    return std::string(parse_object(output.out).at("reason").as_string());
  };
  EXPECT_EQ(reason(""), "no_entry");
  EXPECT_EQ(reason(add("") + std::string(1, '\0') + "x"), "source_encoding");
  EXPECT_EQ(reason(add("", "\xe9 + undefined_name")), "source_error") << "the line is quoted";
}

TEST_F(CheckedSource, WhatIsNotKnownIsNamedInTheEvidence) {
  const Output output = check("k.cu", add("", "a[i] + b[i]; asm volatile(\"pmevent 1;\")"));
  EXPECT_EQ(output.exit_code, 6);
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("status"), "unsupported");
  EXPECT_EQ(document.at("reason"), "unsupported_instruction");
  EXPECT_EQ(document.at("evidence").at(0).at("instruction"), "pmevent 1");
  EXPECT_TRUE(document.at("not_checked").as_array().empty());
}

TEST_F(LadderVerbs, BenchOnTheVirtualDeviceIsModelled) {
  const std::string experiment = source_path("examples/sgemm/experiment.yaml");
  const Output output = run_evo({"bench", experiment, "--device", "virtual", "--json", "-q"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("latency_kind"), "modelled");
  EXPECT_TRUE(document.at("cases").as_array().empty());
  const auto& baseline = document.at("modelled").at(0);
  EXPECT_EQ(baseline.at("contender"), "baseline");
  EXPECT_GT(baseline.at("workloads").at(0).at("latency_us").to_number<double>(), 0);
}

TEST_F(LadderVerbs, CopiesOfTheBaselineAreNeitherFasterNorWrong) {
  const Output output = run_evo({"bench", source_path("examples/vector_add/experiment.yaml"), "--aa", "3",
                                 "--device", "virtual", "--json", "-q"});
  ASSERT_EQ(output.exit_code, 0) << output.out << output.err;
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("copies"), 3);
  EXPECT_EQ(document.at("tie"), 3) << "the model of equal code is equal";
  EXPECT_EQ(document.at("faster"), 0);
  EXPECT_EQ(document.at("refused"), 0);
  EXPECT_EQ(document.at("same_code"), document.at("sources"));
}

TEST_F(LadderVerbs, AKernelThatDoesNotCompileNamesTheLine) {
  const Output output = check_edited("extern \"C\"", "int oops = ;\nextern \"C\"");
  EXPECT_EQ(output.exit_code, 6);
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("status"), "compile_error");
  EXPECT_EQ(document.at("gate"), "compile");
  EXPECT_GT(document.at("evidence").as_array().at(0).as_object().at("line").to_number<int>(), 0);
}

TEST_F(LadderVerbs, AWeakenedBarrierIsARace) {
  const Output output = check_edited("extern \"C\"", "extern \"C\"", {"--genes", "SYNC_KV_LOADED=none"});
  EXPECT_EQ(output.exit_code, 6);
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("status"), "sanitizer_fail");
  EXPECT_EQ(document.at("reason"), "race_shared");
}

TEST_F(LadderVerbs, AnUnknownGeneIsAUsageError) {
  const Output output = check_edited("extern \"C\"", "extern \"C\"", {"--genes", "BLOCK_X=3"});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_NE(output.err.find("BLOCK_X"), std::string::npos) << output.err;
}

TEST_F(LadderVerbs, TheSeedsFaultsAreRefusedWithTheirLines) {
  // The pitch breaks the 16-byte accesses; where the tile hides that, the missing barrier is seen.
  const std::pair<std::string, std::string> faults[] = {{"32", "misaligned"}, {"64", "race_shared"}};
  for (const auto& [tile, kind] : faults) {
    const Output output = run_evo({"validate", source_path("experiments/case_misaligned.yaml"), "--json",
                                   "--set", "baseline.genes.BLOCK_N=" + tile});
    EXPECT_EQ(output.exit_code, 6) << output.err;
    const auto document = parse_object(output.out);
    EXPECT_EQ(document.at("valid"), false);
    EXPECT_EQ(document.at("gate"), "sanitize");
    EXPECT_EQ(document.at("reason").as_string(), kind);
    const auto& first = document.at("evidence").as_array().at(0).as_object();
    EXPECT_EQ(first.at("kind").as_string(), kind);
    EXPECT_EQ(first.at("file"), "naive_tiles.cu");
    EXPECT_GT(first.at("line").to_number<int>(), 0);
  }
}

TEST_F(LadderVerbs, OneRunTellsAllFaults) {
  const std::string experiment = source_path("experiments/case_misaligned.yaml");
  const Output output = run_evo({"validate", experiment, "--json"});
  EXPECT_EQ(output.exit_code, 6) << output.err;
  std::set<std::string> kinds;
  const auto document = parse_object(output.out);
  for (const auto& item : document.at("evidence").as_array()) {
    const auto& entry = item.as_object();
    const std::string kind(entry.at("kind").as_string());
    kinds.insert(kind);
    EXPECT_TRUE(kind != "misaligned" || entry.contains("width"));
    EXPECT_TRUE(kind != "race_shared" || entry.contains("other_line"));
  }
  EXPECT_TRUE(kinds.contains("misaligned"));
  EXPECT_TRUE(kinds.contains("race_shared"));
  const Output text = run_evo({"validate", experiment});
  EXPECT_NE(text.out.find(" findings"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(": misaligned: "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(": race_shared: "), std::string::npos) << text.out;
}

TEST_F(LadderVerbs, AGoodBaselineIsValid) {
  const Output output = run_evo({"validate", source_path("examples/vector_add/experiment.yaml"), "--json"});
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  EXPECT_EQ(parse_object(output.out).at("valid"), true);
}

TEST_F(LadderVerbs, TheEvaluatorKnowsTheVerdictsThatAreKnown) {
  const Output output = run_evo({"doctor", "--evaluator", "--device", "virtual", "--json"});
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("ok"), true);
  EXPECT_GE(document.at("checks").as_array().size(), 11U);
}

TEST_F(LadderVerbs, AnEvaluatorThatAcceptsNonsenseStartsNoRun) {
  // A problem whose tolerance lets anything through: the run must not start.
  std::filesystem::copy(source_path("kernels/attention_forward"), scratch / "attention_forward");
  std::filesystem::create_directories(scratch / "common");
  std::filesystem::copy(
      source_path("kernels/common"), scratch / "common",
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  std::string problem = read_file(scratch / "attention_forward/problem.yaml");
  const std::string bound = "relative_frobenius: 3.0e-3";
  const std::size_t at = problem.find(bound);
  ASSERT_NE(at, std::string::npos);
  problem.replace(at, bound.size(), "relative_frobenius: 1.0");
  const std::string largest = "max_abs_over_rms: 5.0e-2";
  problem.replace(problem.find(largest), largest.size(), "max_abs_over_rms: 1000000");
  std::ofstream(scratch / "attention_forward/problem.yaml") << problem;
  const Output output =
      run_evo({"run", source_path("experiments/quickstart.yaml"), "--device", "virtual", "--set",
               "problem=" + (scratch / "attention_forward"), "--run-dir", scratch / "run"});
  EXPECT_EQ(output.exit_code, 6) << output.err;
  EXPECT_NE(output.err.find("self-test failed"), std::string::npos) << output.err;
}

}  // namespace
}  // namespace evo::cli
