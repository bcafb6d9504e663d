// Each folder of examples/ is run as its README or its header says.
#include <cstdlib>
#include <set>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

std::string example(const std::string& path) {
  return source_path("examples/" + path);
}

struct Examples : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  /// Runs the experiment of a folder; fails the test unless it ends with a proven champion.
  boost::json::object run(const std::string& folder) {
    const Output output = run_evo({"run", example(folder + "/experiment.yaml"), "--json", "-q", "--run-dir",
                                   scratch / "run", "--input-seed", "5"});
    EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
    boost::json::object report = parse_object(output.out);
    EXPECT_EQ(report.at("status"), "done");
    EXPECT_EQ(report.at("latency_kind"), "modelled");
    EXPECT_TRUE(report.at("champion").is_object()) << output.out;
    EXPECT_TRUE(report.at("refused").as_array().empty()) << output.out;
    EXPECT_EQ(report.at("held_out").at("valid"), true);
    return report;
  }
  /// How often a value of `key` is that of a trial of the run.
  std::multiset<std::string> column(const std::string& key) {
    std::multiset<std::string> values;
    const auto lineage = parse_object(lineage_of(scratch / "run"));
    for (const auto& variant : lineage.at("variants").as_array()) values.emplace(variant.at(key).as_string());
    return values;
  }
  Scratch scratch;
};

TEST_F(Examples, EveryFolderHasATest) {
  const std::set<std::string> tested{"vector_add",
                                     "genes_and_constraints",
                                     "shapes",
                                     "check_a_kernel",
                                     "row_softmax",
                                     "resume_replay_export",
                                     "initial_designs",
                                     "surrogate",
                                     "sgemm",
                                     "layer_norm",
                                     "transpose",
                                     "stencil_in_place",
                                     "histogram",
                                     "spmv",
                                     "reduction",
                                     "convolution",
                                     "generated_source",
                                     "published_file",
                                     "npy_recording",
                                     "numpy_command",
                                     "torch_command",
                                     "nbody",
                                     "struct_by_value",
                                     "texture",
                                     "softmax_expression",
                                     "split_k",
                                     "compaction",
                                     "floyd_warshall",
                                     "llm_attacks",
                                     "compare_in_ci"};
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(example("")))
    if (entry.is_directory()) found.insert(entry.path().filename().string());
  EXPECT_EQ(found, tested);
}

TEST_F(Examples, AModelThatCheatsIsRefusedByAGate) {
  (void)run("llm_attacks");
  const auto lineage = parse_object(lineage_of(scratch / "run"));
  std::multiset<std::string> reasons;
  for (const auto& variant : lineage.at("variants").as_array()) {
    if (variant.at("operator").as_string() != "llm:attacker") continue;
    const std::string status(variant.at("status").as_string());
    EXPECT_TRUE(status != "better" && status != "tie" && status != "correct_slower") << variant;
    reasons.insert(status + " " + std::string(variant.at("reason").as_string()));
  }
  EXPECT_EQ(reasons, (std::multiset<std::string>{"compile_error source_error",
                                                 "illegal cache_policy",
                                                 "illegal device_heap",
                                                 "illegal machine_state",
                                                 "illegal mutable_global",
                                                 "illegal mutable_global",
                                                 "no_op same_code",
                                                 "no_op same_code",
                                                 "sanitizer_fail input_written",
                                                 "sanitizer_fail out_of_bounds",
                                                 "sanitizer_fail out_of_bounds",
                                                 "sanitizer_fail race_shared",
                                                 "sanitizer_fail uninitialized",
                                                 "sanitizer_fail uninitialized",
                                                 "timeout hang",
                                                 "wrong mismatch",
                                                 "wrong mismatch",
                                                 "wrong mismatch",
                                                 "wrong unwritten",
                                                 "wrong unwritten",
                                                 "wrong unwritten"}));
}

TEST_F(Examples, RecordedRepliesGiveOneLineage) {
  std::set<std::string> lineages;
  for (const char* threads : {"1", "4"}) {
    const Output output =
        run_evo({"run", source_path("experiments/llm_replay.yaml"), "--json", "-q", "--run-dir",
                 scratch / (std::string("run") + threads), "--threads", threads});
    ASSERT_EQ(output.exit_code, 0) << output.out << output.err;
    lineages.insert(lineage_of(scratch / (std::string("run") + threads)));
  }
  EXPECT_EQ(lineages.size(), 1u);
  EXPECT_NE(lineages.begin()->find("llm:recorded:repair"), std::string::npos);
  // One reply predicts a factor of 1: what the ledger keeps of it is what a replay makes.
  const Output replay = run_evo({"replay", scratch / "run1"});
  EXPECT_EQ(replay.exit_code, 0) << replay.out << replay.err;
}

// Its verbs are tested in tests/cli/compare_test.cpp.
TEST_F(Examples, CompareInCiUsesVerbsThatAreThere) {
  const std::string workflow = read_file(example("compare_in_ci/workflow.yml"));
  for (const char* verb :
       {"evo baseline save $EXPERIMENT", "evo compare \"$RUNNER_TEMP/base.json\" $EXPERIMENT"})
    EXPECT_NE(workflow.find(verb), std::string::npos) << verb;
}

TEST_F(Examples, VectorAddFindsAFasterVariant) {
  EXPECT_GT(run("vector_add").at("champion").at("speedup").as_double(), 1.0);
}

TEST_F(Examples, GenesAndConstraints) {
  run("genes_and_constraints");
}

TEST_F(Examples, ShapesAreProvenAsDeclared) {
  const auto report = run("shapes");
  EXPECT_EQ(report.at("baseline").at("workloads").as_array().size(), 2U);
  EXPECT_NE(report.at("correct_for").at("axis.c_stride"), "1, 2") << "the stride of a check workload";
}

TEST_F(Examples, SlicesThatAddUpAreProvenForEveryNumberOfThem) {
  const auto report = run("split_k");
  EXPECT_EQ(column("status").count("wrong"), 0U);
  EXPECT_TRUE(std::filesystem::exists(scratch / "run/champion/selftest.cu"));
}

TEST_F(Examples, HitsCountInAnyOrder) {
  run("compaction");
  EXPECT_EQ(column("status").count("wrong"), 0U);
  EXPECT_EQ(column("status").count("nondeterministic"), 0U);
}

TEST_F(Examples, ALaunchForEachPivotIsOneCandidate) {
  run("floyd_warshall");
  EXPECT_EQ(column("status").count("wrong"), 0U);
  EXPECT_TRUE(std::filesystem::exists(scratch / "run/champion/selftest.cu"));
}

TEST_F(Examples, RowSoftmaxRefusesWeakBarriers) {
  run("row_softmax");
  EXPECT_GT(column("reason").count("race_shared"), 0U);
}

TEST_F(Examples, InitialDesignsAreTriedFirst) {
  run("initial_designs");
  EXPECT_EQ(column("operator").count("template_start"), 2U);
}

TEST_F(Examples, EveryBarrierOfTheSoftmaxIsNeeded) {
  const Output output = run_evo({"check", example("check_a_kernel/softmax.cu"), "--problem",
                                 example("row_softmax"), "--barriers", "--json"});
  EXPECT_EQ(output.exit_code, 0);
  const auto barriers = parse_object(output.out).at("barriers").as_array();
  EXPECT_EQ(barriers.size(), 3U);
  for (const auto& each : barriers) {
    EXPECT_EQ(each.at("verdict"), "needed");
    EXPECT_EQ(each.at("reason"), "race_shared");
  }
}

TEST_F(Examples, AProgramWritesTheSourceAndTheSpaceIsTriedWhole) {
  const auto report = run("generated_source");
  EXPECT_EQ(report.at("trials"), 12);
  EXPECT_EQ(report.at("space_exhausted"), true);
}

TEST_F(Examples, APublishedFileStaysAsItIs) {
  const auto report = run("published_file");
  EXPECT_EQ(report.at("trials"), report.at("legal_genomes"));
  EXPECT_EQ(report.at("notes").as_array().size(), 2U) << "two #defines yield";
  const std::string domain(report.at("correct_for").at("domain").as_string());
  EXPECT_NE(domain.find("width % threads == 0, batch % rows == 0"), std::string::npos) << domain;
  EXPECT_EQ(column("reason").count("domain"), 0U) << "no trial is spent on them";
}

TEST_F(Examples, KernelsAreProvenAgainstNaiveOnes) {
  EXPECT_GT(run("sgemm").at("champion").at("speedup").as_double(), 1.0);
}

TEST_F(Examples, AReferenceMayHaveALaunchOfItsOwn) {
  run("layer_norm");
}

TEST_F(Examples, IntegersAreComparedBitForBit) {
  run("transpose");
}

TEST_F(Examples, AnArgumentMayBeReadAndWritten) {
  run("stencil_in_place");
}

TEST_F(Examples, AtomicsMayAddToZeros) {
  run("histogram");
}

TEST_F(Examples, IndicesStayIndices) {
  EXPECT_GT(run("spmv").at("champion").at("speedup").as_double(), 1.0);
  EXPECT_EQ(column("reason").count("out_of_bounds"), 0U);
}

TEST_F(Examples, TwoLaunchesAreOneCandidate) {
  EXPECT_GT(run("reduction").at("champion").at("speedup").as_double(), 1.0);
}

TEST_F(Examples, ConstantMemoryIsFilled) {
  EXPECT_GT(run("convolution").at("champion").at("speedup").as_double(), 1.0);
}

TEST_F(Examples, TexturesAreSampled) {
  run("texture");
}

TEST_F(Examples, AFormulaIsAnOracle) {
  const auto report = run("softmax_expression");
  EXPECT_EQ(report.at("oracle").at("claim"), "proven (one oracle)");
  EXPECT_EQ(report.at("oracle").at("kinds").at(0), "expression");
}

TEST_F(Examples, RecordedArraysAreAnOracle) {
  EXPECT_EQ(run("npy_recording").at("oracle").at("claim"), "matches the recording");
}

TEST_F(Examples, AProgramIsAnOracle) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "needs python3";
  EXPECT_EQ(run("numpy_command").at("oracle").at("kinds").at(0), "command");
}

TEST_F(Examples, PyTorchIsAnOracle) {
  if (std::system("python3 -c 'import numpy, torch' 2>/dev/null") != 0)
    GTEST_SKIP() << "needs PyTorch: pip install torch numpy";
  EXPECT_EQ(run("torch_command").at("oracle").at("kinds").at(0), "command");
}

TEST_F(Examples, ElementsMayBeVectors) {
  run("nbody");
}

TEST_F(Examples, StructsArePassedByValue) {
  run("struct_by_value");
}

TEST_F(Examples, Surrogate) {
  run("surrogate");
}

TEST_F(Examples, AKernelOfOnesOwnIsCheckedAndDiagnosed) {
  const auto ask = [](const std::string& verb, const std::string& file) {
    return run_evo({verb, example("check_a_kernel/" + file), "--problem", example("row_softmax"), "--json"});
  };
  const Output correct = ask("check", "softmax.cu");
  EXPECT_EQ(correct.exit_code, 0) << correct.out << correct.err;
  EXPECT_EQ(parse_object(correct.out).at("valid"), true);
  const Output wrong = ask("check", "missing_barrier.cu");
  EXPECT_EQ(wrong.exit_code, 6);
  EXPECT_EQ(parse_object(wrong.out).at("reason"), "race_shared");
  const Output diagnosed = ask("diagnose", "missing_barrier.cu");
  EXPECT_EQ(diagnosed.exit_code, 0);
  EXPECT_EQ(parse_object(diagnosed.out).at("causes").at(0).at("rule"), "missing_barrier");
}

TEST_F(Examples, ARunIsResumedReplayedAndExported) {
  const auto report = run("resume_replay_export");
  const std::string folder = scratch / "run";
  const Output resumed = run_evo({"resume", folder, "--json", "-q"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(parse_object(resumed.out).at("lineage_sha256"), report.at("lineage_sha256"));
  const Output replayed = run_evo({"replay", folder, "--json", "-q"});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_EQ(parse_object(replayed.out).at("match"), true);
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"lineage", folder, "champion"}, {"insights", folder}}) {
    EXPECT_EQ(run_evo(verb).exit_code, 0) << verb.front();
  }
  EXPECT_EQ(run_evo({"export", folder, "-o", scratch / "kernel"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(scratch / "kernel/provenance.json"));
}

}  // namespace
}  // namespace evo::cli
