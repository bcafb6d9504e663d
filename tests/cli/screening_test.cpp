// Candidates screened by the virtual device's model, with the real compiler.
#include "tests/cli/campaign.hpp"

namespace evo::cli {
namespace {

using namespace testing;

TEST(Screening, TheModelSaysWhatTheVirtualDeviceSaysAndReplayAgrees) {
  SKIP_WITHOUT_NVRTC();
  const Scratch folder;
  const std::string run = folder / "run";
  const Output done = run_evo({"run",          source_path("examples/sgemm/experiment.yaml"),
                               "--json",       "-q",
                               "--run-dir",    run,
                               "--input-seed", "11",
                               "--device",     "virtual",
                               "--set",        "workloads=[{name: square, m: 64, n: 64, k: 64}]",
                               "--set",        "search.screen={pool: 3, explore: 0.3}",
                               "--set",        "search.population=5",
                               "--set",        "search.generations=2",
                               "--set",        "search.window=3",
                               "--set",        "budget.trials=7"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto document = parse_object(done.out);
  const auto& screening = document.at("screening").as_object();
  EXPECT_GT(screening.at("left_out").as_int64(), 0);
  const auto& ranks = screening.at("correlations").as_array();
  ASSERT_FALSE(ranks.empty());
  EXPECT_EQ(ranks.at(0).as_object().at("spearman").to_number<double>(), 1);
  // Of the variant that went, in the event, the very number that its trial has.
  const std::string same =
      "select count(*) from events, latencies, json_each(json_extract(events.details, '$.candidates')) as "
      "one "
      "where events.kind = 'screened' and latencies.trial = events.trial and "
      "json_extract(one.value, '$.variant') = json_extract(events.details, '$.variant') and "
      "abs(json_extract(one.value, '$.modelled_us') / latencies.latency_us - 1) {} 1e-9";
  const auto with = [&](const std::string& comparison) {
    std::string text = same;
    return text.replace(text.find("{}"), 2, comparison);
  };
  EXPECT_EQ(sql(run, with(">")), "0");
  EXPECT_GT(std::stoi(sql(run, with("<="))), 3);
  EXPECT_EQ(run_evo({"replay", run}).exit_code, 0);
}

}  // namespace
}  // namespace evo::cli
