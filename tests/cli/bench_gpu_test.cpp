// evo bench on a GPU: everything that can be measured there is, and agrees with the reference.
#include "tests/cli/campaign.hpp"

#include "evaluators/devices/cuda/cuda_device.hpp"

namespace evo::cli {
namespace {

using namespace testing;

struct BenchOnGpu : ::testing::Test {
  void SetUp() override {
    SKIP_WITHOUT_NVRTC();
    const auto list = evaluators::cuda::list_cuda_devices();
    if (list.devices.empty()) GTEST_SKIP() << list.reason;
  }
  boost::json::object bench(std::vector<std::string> more) {
    std::vector<std::string> arguments{
        "bench", source_path("experiments/quickstart.yaml"), "--device", "cuda:0", "--json", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Output output = run_evo(arguments);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return parse_object(output.out);
  }
};

TEST_F(BenchOnGpu, EveryContenderThatIsThereIsRightAndTimed) {
  const auto document = bench({"--rounds", "2"});
  EXPECT_EQ(document.at("latency_kind"), "measured");
  const auto& contenders = document.at("cases").at(0).at("contenders").as_array();
  ASSERT_GE(contenders.size(), 2U);
  for (const auto& contender : contenders) {
    if (!contender.at("unavailable").is_null()) continue;
    EXPECT_GT(contender.at("hot").at("latency_us").to_number<double>(), 0);
    EXPECT_GE(contender.at("hot").at("launches").to_number<int>(), 20);
    if (contender.at("check").is_null()) continue;
    EXPECT_EQ(contender.at("check").at("pass"), true);
  }
  EXPECT_TRUE(contenders.at(0).at("unavailable").is_null());
}

TEST_F(BenchOnGpu, CopiesOfTheBaselineAreRight) {
  const Output output = run_evo({"bench", source_path("experiments/quickstart.yaml"), "--aa", "20",
                                 "--device", "cuda:0", "--json", "-q"});
  const auto document = parse_object(output.out);
  EXPECT_EQ(document.at("copies"), 20);
  EXPECT_EQ(document.at("refused"), 0) << output.err;
}

TEST_F(BenchOnGpu, WithoutPythonTheComparatorsAreListedWithTheReason) {
  const auto document = bench({"--rounds", "1", "--python", "no-such-python-anywhere"});
  EXPECT_EQ(document.at("comparators").at(0).at("available"), false);
  EXPECT_TRUE(document.at("cases").at(0).at("contenders").at(0).at("unavailable").is_null());
}

}  // namespace
}  // namespace evo::cli
