// `evo bench --bugs`: every bug of the table is refused where it says, and a bug that nobody refuses shows.
#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

// One seed, always the same: a test tells what a change broke. What a drawn seed lets through is looked for
// by `evo bench --bugs --seeds 20`, and what came of it is in docs/results.
TEST(BenchBugs, EachIsCaughtAsDeclared) {
  SKIP_WITHOUT_NVRTC();
  const char* const share = std::getenv("EVO_SUITE_SHARE");  // as of the attack suite
  const Output output = run_evo(
      {"bench", "--bugs", "--json", "--input-seed", "20", "--share", share != nullptr ? share : "1/1"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("unexpected").to_number<int>(), 0);
  EXPECT_EQ(document.at("missed").to_number<int>(), 0);
  for (const auto& entry : document.at("fixtures").as_array()) {
    const auto& bug = entry.as_object();
    EXPECT_EQ(bug.at("as_expected"), true)
        << bug.at("attack") << " " << bug.at("gate") << " " << bug.at("reason");
  }
}

TEST(BenchBugs, AnEditThatBreaksNothingIsAFailure) {
  SKIP_WITHOUT_NVRTC();
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "suite");
  std::ofstream(scratch / "suite/bugs.yaml")
      << "problem: " << source_path("kernels/attention_forward") << "\nbugs:\n"
      << "  - {id: \"-\", name: none, template: scalar, gate: correctness, reason: mismatch,\n"
      << "     old: \"const float inverse = 1.0f\", new: \"const float inverse =  1.0f\"}\n";
  const Output output = run_evo({"bench", "--bugs", "--attack-folder", scratch / "suite"});
  EXPECT_EQ(output.exit_code, 6);
  EXPECT_NE(output.out.find("NOT CAUGHT"), std::string::npos) << output.out;
}

}  // namespace
}  // namespace evo::cli
