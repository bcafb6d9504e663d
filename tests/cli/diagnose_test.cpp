// evo diagnose: what someone with a kernel that fails sees.
#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

struct DiagnoseVerb : ::testing::Test {
  void SetUp() override { SKIP_WITHOUT_NVRTC(); }
  Scratch scratch;
};

TEST_F(DiagnoseVerb, AMisalignedPitchIsNamedAndAReproducerWritten) {
  const std::string folder = scratch / "post";
  const Output output =
      run_evo({"diagnose", source_path("kernels/case_misaligned/naive_tiles.cu"), "--problem",
               source_path("kernels/case_misaligned"), "--json", "-o", folder});
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("failing"), true);
  EXPECT_EQ(document.at("causes").at(0).at("rule"), "misaligned_shared_pitch");
  EXPECT_EQ(document.at("smallest").at("axes").at("seq"), 1);
  EXPECT_GT(document.at("symptom").at("evidence").at(0).at("line").to_number<int>(), 0);
  for (const char* file :
       {"post_mortem.md", "post_mortem.txt", "post_mortem.json", "reproducer/reproducer.cu"})
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(folder) / file)) << file;
}

TEST_F(DiagnoseVerb, AVariantOfARunThatWorksIsSaidToWork) {
  const std::string folder = scratch / "run";
  ASSERT_EQ(run_evo(quick_run(folder, {"--set", "budget.trials=2"})).exit_code, 0);
  const Output output = run_evo({"diagnose", folder, "baseline"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_NE(output.out.find("nothing failed: no diagnosis"), std::string::npos) << output.out;
  const Output which = run_evo({"diagnose", folder});
  EXPECT_EQ(which.exit_code, 2);
  EXPECT_NE(which.err.find("which variant"), std::string::npos) << which.err;
  EXPECT_EQ(run_evo({"diagnose", folder, "ffffffff"}).exit_code, 2);
}

TEST_F(DiagnoseVerb, ASourceNeedsItsProblem) {
  const std::string source = source_path("kernels/case_misaligned/naive_tiles.cu");
  const Output alone = run_evo({"diagnose", source});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_NE(alone.err.find("--problem"), std::string::npos) << alone.err;
  const Output both =
      run_evo({"diagnose", source, "champion", "--problem", source_path("kernels/case_misaligned")});
  EXPECT_EQ(both.exit_code, 2);
}

}  // namespace
}  // namespace evo::cli
