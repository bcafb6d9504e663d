// Calls through registers: values, at every level of checks, and what is told where no function stands behind
// one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/virtual/rig.hpp"
#include "tests/warp/text.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;

constexpr int indirect_threads = 64;

class IndirectCalls : public testing::TestWithParam<CheckLevel> {
 protected:
  struct Result {
    std::vector<float> out;
    std::string reason, message;
    std::size_t unexecuted = 0;
    model::Status status{};
  };
  static Result run(const std::string& entry, int choices) {
    Rig rig("indirect.ptx", entry);
    rig.options.checks = GetParam();
    rig.options.coverage = true;
    std::vector<int> which(indirect_threads);
    for (int i = 0; i < indirect_threads; ++i) which[static_cast<std::size_t>(i)] = i * 7 % choices;
    const auto in = rig.buffer("which", which);
    const auto out = rig.empty<float>("out", indirect_threads);
    model::LaunchPlan plan;
    plan.block = {indirect_threads, 1, 1};
    const auto outcome = rig.launch(plan, {pointer(in), pointer(out)});
    Result result;
    if (outcome) {
      result.unexecuted = outcome->unexecuted.size();
      result.out = rig.contents<float>(out, indirect_threads);
    } else {
      result.reason = outcome.error().reason;
      result.status = outcome.error().status;
      result.message = outcome.error().evidence.front().message;
    }
    return result;
  }
};

TEST_P(IndirectCalls, ReachTheFunctionsOfTables) {
  const Result result = run("tables", 3);
  ASSERT_EQ(result.reason, "");
  for (int i = 0; i < indirect_threads; ++i) {
    const int which = i * 7 % 3;
    const auto x = static_cast<float>(i);
    const float first = which == 0 ? x + 3 : which == 1 ? x * 3 : x * static_cast<float>(i & 3) + 3;
    const float second = which % 2 == 0 ? 2 * x : 2 + x;
    EXPECT_EQ(result.out[static_cast<std::size_t>(i)], first + second) << i;
  }
}

TEST_P(IndirectCalls, ReachWhatIsPassedOnAndKeepToTheirGuards) {
  const Result passed = run("passed_on", 2);
  ASSERT_EQ(passed.reason, "");
  const Result guarded = run("guarded", 3);
  ASSERT_EQ(guarded.reason, "");
  for (int i = 0; i < indirect_threads; ++i) {
    const auto x = static_cast<float>(i);
    EXPECT_EQ(passed.out[static_cast<std::size_t>(i)], i * 7 % 2 == 0 ? x + x : x * x) << i;
    const int which = i * 7 % 3;
    EXPECT_EQ(guarded.out[static_cast<std::size_t>(i)], which == 0 ? 1 + x : which == 1 ? x : 1) << i;
  }
}

TEST_P(IndirectCalls, ReachVirtualFunctions) {
  const Result result = run("virtual_functions", 2);
  ASSERT_EQ(result.reason, "");
  for (int i = 0; i < indirect_threads; ++i) {
    const auto x = static_cast<float>(i);
    EXPECT_EQ(result.out[static_cast<std::size_t>(i)], i * 7 % 2 == 0 ? x * x : 3 * x * x) << i;
  }
}

TEST_P(IndirectCalls, ToNoFunctionAreToldWithTheWholeInstruction) {
  const Result result = run("no_function", 3);
  EXPECT_EQ(result.status, model::Status::device_fault);
  EXPECT_EQ(result.reason, "trap");
  EXPECT_THAT(result.message,
              testing::ContainsRegex("call \\(retval0\\), %rd[0-9]+, \\( ?param0, param1 ?\\) "
                                     "?, prototype_[0-9]+"));
  EXPECT_EQ(run("no_function", 2).reason, "") << "nobody calls it";
}

TEST_P(IndirectCalls, LeaveNothingUnexecutedThatNoPointerReaches) {
  if (GetParam() == CheckLevel::exact) return;
  EXPECT_EQ(run("tables", 3).unexecuted, 0U);
  EXPECT_GT(run("race_in_callee", 1).unexecuted, 0U) << "the other callee's accesses";
}

TEST_P(IndirectCalls, AreCheckedInside) {
  const Result result = run("race_in_callee", 2);
  EXPECT_EQ(result.reason, "") << "which[0] is 0";
}

INSTANTIATE_TEST_SUITE_P(Levels, IndirectCalls,
                         testing::Values(CheckLevel::none, CheckLevel::filtered, CheckLevel::exact),
                         [](const auto& level) {
                           return level.param == CheckLevel::none       ? "None"
                                  : level.param == CheckLevel::filtered ? "Filtered"
                                                                        : "Exact";
                         });

/// out[t] = 0 + 1 + ... + t % `most`, by a function that calls itself.
void sum_by_recursion(CheckLevel checks, int most, const std::string& expected) {
  const std::string text = warp::kernel(
      "    mov.u32 %r1, %tid.x;\n    rem.u32 %r2, %r1, " + std::to_string(most) +
          ";\n    { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), sum, (a); "
          "ld.param.b32 "
          "%r4, [b]; }\n    mul.wide.u32 %rd3, %r1, 4;\n    add.u64 %rd3, %rd2, %rd3;\n"
          "    st.global.u32 [%rd3], %r4;\n",
      ".func (.param .b32 r) sum(.param .b32 n)\n{\n  .reg .pred %p<2>;\n  .reg .b32 %r<5>;\n"
      "  ld.param.u32 %r1, [n];\n  mov.u32 %r3, 0;\n  setp.eq.u32 %p1, %r1, 0;\n  @%p1 bra DONE;\n"
      "  add.u32 %r2, %r1, -1;\n  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), sum, "
      "(a); ld.param.b32 %r3, [b]; }\n  add.u32 %r3, %r3, %r1;\nDONE:\n  st.param.b32 [r], %r3;\n  "
      "ret;\n}\n");
  Rig rig(text, "k");
  rig.options.checks = checks;
  rig.options.coverage = true;
  const auto in = rig.buffer("in", std::vector<int>(4, 0));
  const auto out = rig.empty<int>("out", indirect_threads);
  model::LaunchPlan plan;
  plan.block = {indirect_threads, 1, 1};
  const auto outcome = rig.launch(plan, {pointer(in), pointer(out)});
  if (!expected.empty()) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().status, model::Status::unsupported);
    EXPECT_THAT(outcome.error().evidence.front().message, testing::HasSubstr(expected));
    return;
  }
  ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
  if (checks != CheckLevel::exact) {
    EXPECT_TRUE(outcome->unexecuted.empty()) << "nothing has to go deeper";
  }
  for (int t = 0; t < indirect_threads; ++t) {
    const int n = t % most;
    EXPECT_EQ(rig.contents<int>(out, indirect_threads)[static_cast<std::size_t>(t)], n * (n + 1) / 2) << t;
  }
}

TEST_P(IndirectCalls, ARecursionIsFollowed) {
  sum_by_recursion(GetParam(), 30, "");
  sum_by_recursion(GetParam(), 40, "a recursion of more than 32 calls");
}

TEST(IndirectCall, ARaceInTheCalleeIsFoundAtItsLine) {
  Rig rig("indirect.ptx", "race_in_callee");
  rig.options.checks = CheckLevel::filtered;
  const auto in = rig.buffer("which", std::vector<int>(indirect_threads, 1));
  const auto out = rig.empty<float>("out", indirect_threads);
  model::LaunchPlan plan;
  plan.block = {indirect_threads, 1, 1};
  const auto outcome = rig.launch(plan, {pointer(in), pointer(out)});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason, "race_shared");
}

}  // namespace
}  // namespace evo::tests
