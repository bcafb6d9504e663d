// evo characterize on the virtual device, with the real compiler: what a person sees without a GPU.
#include <fstream>

#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

struct CharacterizeVerb : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  Output characterize(const std::string& subject, std::vector<std::string> more) const {
    std::vector<std::string> arguments{"characterize", subject, "--input-seed", "3", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_evo(arguments);
  }
  const std::string experiment = source_path("examples/sgemm/experiment.yaml");
  const std::string source = source_path("examples/sgemm/sgemm.cu");
  const std::string problem = source_path("examples/sgemm");
  Scratch scratch;
};

TEST_F(CharacterizeVerb, ASourceAgainstABaselineOverAGrid) {
  const Output output =
      characterize(source, {"--problem", problem, "--genes", "TILE=16", "--baseline", experiment, "--axis",
                            "m=16,64", "--axis", "n=32..64", "--axis", "k=48", "--device", "virtual",
                            "--json", "-o", scratch / "plots.svg"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("latency_kind").as_string(), "modelled");
  EXPECT_EQ(document.at("ceilings").at("kind").as_string(), "target_data");
  EXPECT_EQ(document.at("arithmetic").as_string(), "fp32");
  const auto& shapes = document.at("shapes").as_array();
  ASSERT_EQ(shapes.size(), 4U);
  EXPECT_EQ(shapes[3].at("name").as_string(), "m=64,n=64,k=48");
  EXPECT_EQ(shapes[3].at("flops").to_number<double>(), 2.0 * 64 * 64 * 48);
  for (const auto& shape : shapes) {
    EXPECT_TRUE(shape.at("refused").is_null());
    EXPECT_TRUE(shape.at("ci95").is_null()) << "no interval where nothing was measured";
    EXPECT_TRUE(shape.at("gpu_state").is_null());
    const double us = shape.at("latency_us").to_number<double>();
    const auto& baseline = shape.at("contenders").at(1);
    EXPECT_EQ(baseline.at("role").as_string(), "baseline");
    EXPECT_NEAR(baseline.at("speedup").to_number<double>(),
                baseline.at("latency_us").to_number<double>() / us, 1e-9);
    EXPECT_TRUE(baseline.at("speedup_ci95").is_null());
    EXPECT_NEAR(shape.at("roofline").at("share").to_number<double>(),
                shape.at("roofline").at("limit_us").to_number<double>() / us, 1e-9);
  }
  const std::string picture = read_file(scratch / "plots.svg");
  EXPECT_NE(picture.find(">MODELLED<"), std::string::npos);
  EXPECT_EQ(picture.find("MEASURED"), std::string::npos);
}

TEST_F(CharacterizeVerb, AShapeOnWhichAKernelIsWrongHasNoSpeed) {
  std::string text = read_file(source);
  const auto at = text.find("= sum[r];");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 9, "= sum[r] + (k == 331);");
  std::ofstream(scratch / "wrong.cu") << text;
  const Output output = characterize(
      scratch / "wrong.cu", {"--problem", problem, "--axis", "k=32,331", "--device", "virtual", "--json"});
  const auto document = parse_object(output.out);
  const auto& shapes = document.at("shapes").as_array();
  ASSERT_EQ(shapes.size(), 2U) << output.err;
  EXPECT_FALSE(shapes[1].at("refused").is_null());
  EXPECT_TRUE(shapes[1].at("latency_us").is_null());
  EXPECT_TRUE(shapes[1].at("contenders").as_array().empty());
}

TEST_F(CharacterizeVerb, ARunsChampionAgainstItsBaselineAndAnExport) {
  const std::string run = scratch / "run";
  ASSERT_EQ(run_evo({"run", source_path("examples/vector_add/experiment.yaml"), "--run-dir", run,
                     "--input-seed", "5", "-q"})
                .exit_code,
            0);
  const Output champion = characterize(run, {"--axis", "n=1000,65536", "--json"});
  ASSERT_EQ(champion.exit_code, 0) << champion.err;
  const auto document = parse_object(champion.out);
  EXPECT_EQ(document.at("subject").at("contender").as_string(), "champion");
  EXPECT_EQ(document.at("baseline").at("contender").as_string(), "baseline");
  EXPECT_EQ(document.at("shapes").at(1).at("contenders").as_array().size(), 2U);
  const auto baseline = parse_object(characterize(run + "@baseline", {"--axis", "n=1000", "--json"}).out);
  EXPECT_EQ(baseline.at("no_baseline").as_string(), "the subject is the baseline");

  for (const std::string& verb : {std::string("insights"), std::string("bench")}) {
    const std::string file = scratch / (verb + ".svg");
    EXPECT_EQ(run_evo({verb, run, "--plot", file}).exit_code, 0);
    EXPECT_NE(read_file(file).find(">MODELLED<"), std::string::npos) << verb;
    EXPECT_EQ(run_evo({verb, run, "--plot", scratch / "plot.png"}).exit_code, 2);
  }

  ASSERT_EQ(run_evo({"export", run, "-o", scratch / "kernel"}).exit_code, 0);
  const Output exported =
      characterize(scratch / "kernel", {"--problem", source_path("examples/vector_add"), "--axis", "n=1000",
                                        "--device", "virtual", "--markdown"});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_EQ(exported.out.substr(0, 20), "### evo characterize");
  EXPECT_NE(exported.out.find("| 1000 |"), std::string::npos);
}

TEST_F(CharacterizeVerb, WithoutAGridTheShapesAreTheSubjectsWorkloads) {
  const Output output =
      characterize(experiment, {"--device", "virtual", "--json", "-o", scratch / "one.svg"});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const auto document = parse_object(output.out);
  ASSERT_EQ(document.at("shapes").as_array().size(), 1U);
  EXPECT_EQ(document.at("shapes").at(0).at("name").as_string(), "square");
  EXPECT_TRUE(document.at("shapes").at(0).at("axes").as_object().empty());
  EXPECT_EQ(document.at("fixed").at("m").as_int64(), 128);
  EXPECT_NE(read_file(scratch / "one.svg").find("Roofline"), std::string::npos);
}

TEST_F(CharacterizeVerb, MistakesAreUsageErrors) {
  for (const auto& [axis, said] : {std::pair<std::string, std::string>{"kk=3", "did you mean 'k'"},
                                   {"m=9000", "the nearest legal value is 8192"},
                                   {"m=1,one", "not 'one'"},
                                   {"m", "expected AXIS=VALUE"}}) {
    const Output output = characterize(experiment, {"--axis", axis});
    EXPECT_EQ(output.exit_code, 2) << axis;
    EXPECT_NE(output.err.find(said), std::string::npos) << output.err;
  }
  EXPECT_EQ(characterize(experiment, {"-o", "plots.png"}).exit_code, 2);
  EXPECT_EQ(characterize(source, {"--axis", "m=3"}).exit_code, 2) << "a source needs its problem";
  EXPECT_EQ(characterize(scratch / "nothing", {}).exit_code, 2);
}

}  // namespace
}  // namespace evo::cli
