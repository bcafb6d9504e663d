// The warp machine and the exact machine give the same bits, whatever the schedule and the number of threads.
#include <functional>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "model/random.hpp"
#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::BufferId;
using evaluators::devices::CheckLevel;

/// Random bits that stay finite as f32 and f16, with special values in between.
std::vector<float> floats(std::size_t count, std::uint64_t seed) {
  model::RandomStream random({seed, 0, 0, "floats"});
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(random.normal() * 3);
    switch (random.below(40)) {
      case 0:
        value = 0.0F;
        break;
      case 1:
        value = -0.0F;
        break;
      case 2:
        value = 1e-42F;
        break;
      case 3:
        value = std::numeric_limits<float>::infinity();
        break;
      case 4:
        value = std::numeric_limits<float>::quiet_NaN();
        break;
      case 5:
        value = 3e38F;
        break;
      default:
        break;
    }
  }
  return values;
}
template <class T>
std::vector<T> bits(std::size_t count, std::uint64_t seed) {
  model::RandomStream random({seed, 0, 0, "bits"});
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.next_u64());
  return values;
}

struct Scenario {
  std::string kernel;
  model::LaunchPlan plan;
  /// Makes the arguments; appends the buffers to compare with their sizes.
  std::function<Rig::Arguments(Rig&, std::uint64_t, std::vector<std::pair<BufferId, std::size_t>>&)>
      arguments;
};

std::vector<Scenario> scenarios() {
  using Outputs = std::vector<std::pair<BufferId, std::size_t>>;
  const auto output = [](Rig& rig, Outputs& outputs, std::size_t bytes) {
    const BufferId id = rig.empty<std::byte>("out", bytes);
    outputs.emplace_back(id, bytes);
    return pointer(id);
  };
  const auto filled = [](Rig& rig, Outputs& outputs, std::size_t bytes) {
    const BufferId id = rig.buffer("out", std::vector<std::byte>(bytes));
    outputs.emplace_back(id, bytes);
    return pointer(id);
  };
  return {
      {"integers",
       {{4, 1, 1}, {64, 1, 1}, 0},
       [=](Rig& rig, std::uint64_t seed, Outputs& outputs) -> Rig::Arguments {
         return {pointer(rig.buffer("a", bits<unsigned>(250, seed))),
                 pointer(rig.buffer("b", bits<unsigned>(250, seed + 1000))), output(rig, outputs, 1000),
                 scalar(250)};
       }},
      {"floats",
       {{4, 1, 1}, {64, 1, 1}, 0},
       [=](Rig& rig, std::uint64_t seed, Outputs& outputs) -> Rig::Arguments {
         return {pointer(rig.buffer("a", floats(250, seed))),
                 pointer(rig.buffer("b", floats(250, seed + 1000))), output(rig, outputs, 1000), scalar(250)};
       }},
      {"halves",
       {{2, 1, 1}, {64, 1, 1}, 0},
       [=](Rig& rig, std::uint64_t seed, Outputs& outputs) -> Rig::Arguments {
         return {pointer(rig.buffer("a", bits<std::uint16_t>(256, seed))),
                 pointer(rig.buffer("b", bits<std::uint16_t>(256, seed + 1000))), output(rig, outputs, 512),
                 scalar(256)};
       }},
      {"softmax",
       {{3, 1, 1}, {96, 1, 1}, 0},
       [=](Rig& rig, std::uint64_t seed, Outputs& outputs) -> Rig::Arguments {
         std::vector<float> in = floats(3 * 100, seed);
         for (float& value : in) value = value < 50 && value > -50 ? value : 1.0F;
         return {pointer(rig.buffer("in", in)), output(rig, outputs, 1200), scalar(100)};
       }},
      {"warp_ops",
       {{2, 1, 1}, {128, 1, 1}, 0},
       [=](Rig& rig, std::uint64_t seed, Outputs& outputs) -> Rig::Arguments {
         return {pointer(rig.buffer("in", bits<int>(256, seed))), output(rig, outputs, 1024)};
       }},
      {"bytes",
       {{2, 1, 1}, {128, 1, 1}, 0},
       [=](Rig& rig, std::uint64_t seed, Outputs& outputs) -> Rig::Arguments {
         return {pointer(rig.buffer("in", bits<std::uint8_t>(1024, seed))), filled(rig, outputs, 2048),
                 filled(rig, outputs, 1024), scalar(1000)};
       }},
      {"branches",
       {{3, 1, 1}, {96, 1, 1}, 0},
       [=](Rig& rig, std::uint64_t seed, Outputs& outputs) -> Rig::Arguments {
         return {pointer(rig.buffer("in", bits<int>(288, seed))), filled(rig, outputs, 1152), scalar(280)};
       }},
      {"atomics",
       {{2, 1, 1}, {64, 1, 1}, 0},
       [=](Rig& rig, std::uint64_t seed, Outputs& outputs) -> Rig::Arguments {
         return {pointer(rig.buffer("in", bits<int>(500, seed))), filled(rig, outputs, 100),
                 filled(rig, outputs, 16), filled(rig, outputs, 8), scalar(500)};
       }},
  };
}

std::vector<std::vector<std::byte>> run(const Scenario& scenario, std::uint64_t input, CheckLevel checks,
                                        std::uint64_t schedule) {
  Rig rig("mixed.ptx", scenario.kernel);
  rig.options.checks = checks;
  rig.options.schedule_seed = schedule;
  std::vector<std::pair<BufferId, std::size_t>> outputs;
  const auto arguments = scenario.arguments(rig, input, outputs);
  const auto outcome = rig.launch(scenario.plan, arguments);
  std::vector<std::vector<std::byte>> results;
  if (!outcome) {
    ADD_FAILURE() << scenario.kernel << ": " << outcome.error().reason << ": "
                  << outcome.error().evidence.front().message;
    return results;
  }
  for (const auto& [id, bytes] : outputs) results.push_back(rig.contents<std::byte>(id, bytes));
  return results;
}

TEST(Differential, BothMachinesAndAllSchedulesGiveTheSameBits) {
  for (const Scenario& scenario : scenarios()) {
    for (std::uint64_t input = 1; input <= 4; ++input) {
      SCOPED_TRACE(scenario.kernel + " input " + std::to_string(input));
      const auto expected = run(scenario, input, CheckLevel::exact, 0);
      ASSERT_FALSE(expected.empty());
      for (const CheckLevel checks : {CheckLevel::none, CheckLevel::filtered, CheckLevel::exact}) {
        for (const std::uint64_t schedule : {0, 5}) {
          const auto result = run(scenario, input, checks, schedule);
          ASSERT_EQ(result.size(), expected.size());
          for (std::size_t b = 0; b < result.size(); ++b) {
            const auto wrong = std::mismatch(result[b].begin(), result[b].end(), expected[b].begin());
            EXPECT_TRUE(wrong.first == result[b].end())
                << "level " << static_cast<int>(checks) << " schedule " << schedule << " output " << b
                << " differs at byte " << wrong.first - result[b].begin();
          }
        }
      }
    }
  }
}

/// The evidence of a launch that fails, as text.
std::string evidence_with_threads(const std::string& kernel, std::size_t threads, CheckLevel checks) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  Rig rig("faults.ptx", kernel);
  rig.options.checks = checks;
  const auto in = rig.buffer("in", std::vector<int>(1024, 3));
  const auto data = rig.buffer("data", std::vector<int>(1024, 0));
  Rig::Arguments arguments{pointer(in), pointer(data)};
  if (kernel == "block_exchange") arguments.push_back(pointer(rig.empty<int>("out", 1024)));
  if (kernel == "off_by_one") arguments.push_back(scalar(2000));
  const auto outcome = rig.launch({{kernel == "off_by_one" ? 20U : 16U, 1, 1}, {64, 1, 1}, 0}, arguments);
  if (outcome) return "clean";
  std::string text = outcome.error().reason;
  for (const auto& evidence : outcome.error().evidence) text += "\n" + evidence.message;
  return text;
}

TEST(Differential, EvidenceDoesNotDependOnTheNumberOfThreads) {
  for (const char* kernel : {"block_race", "block_exchange", "off_by_one", "missing_syncwarp"}) {
    for (const CheckLevel checks : {CheckLevel::filtered, CheckLevel::exact}) {
      const std::string one = evidence_with_threads(kernel, 1, checks);
      EXPECT_NE(one, "clean");
      for (int again = 0; again < 3; ++again) EXPECT_EQ(evidence_with_threads(kernel, 4, checks), one);
    }
  }
}

}  // namespace
}  // namespace evo::tests
