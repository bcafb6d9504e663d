// The suite on a GPU: the sanitize gate is the same, the gates behind it run on the device.
#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

TEST(AttackSuiteOnGpu, EveryFixtureEndsAsDeclared) {
  SKIP_WITHOUT_NVRTC();
  const Output output = run_evo({"bench", "--attacks", "--json", "--device", "cuda:0"});
  if (output.exit_code == 4) GTEST_SKIP() << output.err;
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const auto document = parse_object(output.out);
  for (const auto& entry : document.at("fixtures").as_array()) {
    const auto& fixture = entry.as_object();
    EXPECT_EQ(fixture.at("as_expected"), true)
        << fixture.at("attack") << " " << fixture.at("gate") << " " << fixture.at("reason");
  }
}

}  // namespace
}  // namespace evo::cli
