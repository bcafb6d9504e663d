// Kernels from CUDA C++ with tensor-core instructions: correct ones are correct and clean, faults are found,
// with their lines, by a suspicion of the fast machine and by the exact one alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluators/devices/virtual/semantics/bits.hpp"
#include "model/random.hpp"
#include "tests/virtual/rig.hpp"

namespace evo::tests {
namespace {

using evaluators::devices::CheckLevel;
using model::Evidence;
using model::Failure;
using model::Status;
namespace sem = evaluators::virtual_device::semantics;

std::vector<std::uint16_t> halves(std::size_t count, std::uint64_t seed) {
  model::RandomStream random({seed, 0, 0, "halves"});
  std::vector<std::uint16_t> values(count);
  for (auto& value : values)
    value = static_cast<std::uint16_t>(sem::to_half(static_cast<float>(random.normal())).bits);
  return values;
}
double number(std::uint16_t half) {
  return sem::to_f32(sem::Half{half});
}

class Gemm : public testing::TestWithParam<std::tuple<const char*, CheckLevel>> {};

TEST_P(Gemm, IsRightAndCleanWithTails) {
  const auto [kernel, checks] = GetParam();
  for (const auto& [m, n, k] : {std::tuple(64, 64, 32), std::tuple(70, 37, 51), std::tuple(1, 129, 5)}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k));
    Rig rig("matrix.ptx", kernel);
    rig.options.checks = checks;
    rig.options.schedule_seed = 5;
    rig.options.count = checks == CheckLevel::none;
    const auto a = halves(static_cast<std::size_t>(m * k), 1), b = halves(static_cast<std::size_t>(k * n), 2);
    const auto size = static_cast<std::size_t>(m * n);
    const auto out = rig.empty<float>("c", size);
    const model::LaunchPlan plan{
        {static_cast<std::uint32_t>((n + 63) / 64), static_cast<std::uint32_t>((m + 63) / 64), 1},
        {128, 1, 1},
        0};
    const auto outcome = rig.launch(plan, {pointer(rig.buffer("a", a)), pointer(rig.buffer("b", b)),
                                           pointer(out), scalar(m), scalar(n), scalar(k)});
    ASSERT_TRUE(outcome) << outcome.error().evidence.front().message;
    const auto c = rig.contents<float>(out, size);
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < n; ++column) {
        double exact = 0, largest = 0;
        for (int at = 0; at < k; ++at) {
          const double term = number(a[static_cast<std::size_t>(row * k + at)]) *
                              number(b[static_cast<std::size_t>(at * n + column)]);
          exact += term;
          largest += std::fabs(term);
        }
        ASSERT_NEAR(c[static_cast<std::size_t>(row * n + column)], 0.5 * exact, 0x1p-20 * largest)
            << row << ", " << column;
      }
    }
    if (!rig.options.count) continue;
    // Each warp of a block multiplies 16 x 64 x 32 a round, whatever of it is tail: 64 units of m16n8k8 and
    // 16 bits.
    const std::uint64_t rounds = static_cast<std::uint64_t>((k + 31) / 32) * plan.grid[0] * plan.grid[1];
    EXPECT_EQ(outcome->counts.tensor, rounds * 4 * (16 * 64 * 32 / 1024));
    EXPECT_GT(outcome->counts.shared_wavefronts, outcome->counts.shared_accesses);
  }
}
INSTANTIATE_TEST_SUITE_P(Kernels, Gemm,
                         testing::Combine(testing::Values("wmma_gemm", "mma_gemm"),
                                          testing::Values(CheckLevel::none, CheckLevel::filtered,
                                                          CheckLevel::exact)));

class MatrixFaults : public testing::TestWithParam<CheckLevel> {
 protected:
  Failure fail(Rig& rig, const model::LaunchPlan& plan, const Rig::Arguments& arguments) const {
    rig.options.checks = GetParam();
    const auto outcome = rig.launch(plan, arguments);
    EXPECT_FALSE(outcome) << "the fault was not found";
    if (outcome) return {Status::proven, "", {Evidence{}}};
    return outcome.error();
  }
  void expect_clean(Rig& rig, const model::LaunchPlan& plan, const Rig::Arguments& arguments) const {
    rig.options.checks = GetParam();
    const auto outcome = rig.launch(plan, arguments);
    EXPECT_TRUE(outcome) << outcome.error().evidence.front().message;
  }
};
int gemm_line(const std::string& mark) {
  return marked_line("matrix.cu", mark);
}
void expect_race(const Failure& failure, const std::string& name) {
  EXPECT_EQ(failure.status, Status::sanitizer_fail);
  EXPECT_EQ(failure.reason, "race_shared");
  const Evidence& race = failure.evidence.front();
  SCOPED_TRACE(race.message);
  EXPECT_EQ(race.kind, "race_shared");
  EXPECT_EQ(race.file, "matrix.cu");
  const std::pair<int, int> lines = std::minmax(race.line, std::stoi(detail(race, "other_line")));
  EXPECT_EQ(lines, (std::pair<int, int>(std::minmax(gemm_line(name + ":write"), gemm_line(name + ":read")))));
  EXPECT_NE(detail(race, "thread"), detail(race, "other_thread"));
}
const model::LaunchPlan four_warps{{1, 1, 1}, {128, 1, 1}, 0};
const model::LaunchPlan one_warp{{1, 1, 1}, {32, 1, 1}, 0};

TEST_P(MatrixFaults, MissingBarrierBeforeLdmatrix) {
  Rig rig("matrix.ptx", "ldmatrix_race");
  expect_race(fail(rig, four_warps,
                   {pointer(rig.buffer("in", halves(1024, 1))), pointer(rig.empty<unsigned>("out", 128))}),
              "ldmatrix_race");
}

TEST_P(MatrixFaults, MissingBarrierBeforeTheLoadOfAnotherWarpsTile) {
  Rig rig("matrix.ptx", "wmma_race");
  const auto arguments = [&](int synchronise) -> Rig::Arguments {
    return {pointer(rig.buffer("in", halves(1024, 1))), pointer(rig.empty<float>("out", 1024)),
            scalar(synchronise)};
  };
  expect_clean(rig, four_warps, arguments(1));
  expect_race(fail(rig, four_warps, arguments(0)), "wmma_next");
}

TEST_P(MatrixFaults, MissingWarpBarrierBeforeTheLoadOfTheWarpsOwnTile) {
  Rig correct("matrix.ptx", "wmma_own");
  expect_clean(correct, four_warps,
               {pointer(correct.buffer("in", halves(1024, 1))), pointer(correct.empty<float>("out", 1024))});
  Rig wrong("matrix.ptx", "wmma_own_race");
  expect_race(fail(wrong, four_warps,
                   {pointer(wrong.buffer("in", halves(1024, 1))), pointer(wrong.empty<float>("out", 1024))}),
              "wmma_race");
}

TEST_P(MatrixFaults, ReadsBeforeTheWaitForACopy) {
  for (const std::string name : {"ldmatrix_copies", "wmma_copies"}) {
    Rig rig("matrix.ptx", name);
    const auto arguments = [&](int wait) -> Rig::Arguments {
      return {pointer(rig.buffer("in", halves(256, 1))), pointer(rig.empty<float>("out", 256)), scalar(wait)};
    };
    expect_clean(rig, one_warp, arguments(1));
    const Failure failure = fail(rig, one_warp, arguments(0));
    EXPECT_EQ(failure.status, Status::sanitizer_fail);
    EXPECT_EQ(failure.reason, "async_not_waited") << name;
    const Evidence& evidence = failure.evidence.front();
    EXPECT_THAT((std::vector{evidence.line, std::stoi(detail(evidence, "other_line"))}),
                testing::UnorderedElementsAre(gemm_line(name + ":copy"), gemm_line(name + ":read")))
        << evidence.message;
  }
}

TEST_P(MatrixFaults, RowsOfLdmatrix) {
  Rig rig("matrix.ptx", "ldmatrix_rows");
  const auto arguments = [&](int pitch, int filled, int stored) -> Rig::Arguments {
    return {pointer(rig.buffer("in", halves(256, 1))), pointer(rig.empty<float>("out", 128)), scalar(pitch),
            scalar(filled), scalar(stored)};
  };
  expect_clean(rig, one_warp, arguments(24, 16, 16));
  expect_clean(rig, one_warp,
               arguments(24, 11, 11));  // garbage rows of A give garbage rows of D, which nobody uses

  const Failure misaligned = fail(rig, one_warp, arguments(20, 16, 16));
  EXPECT_EQ(misaligned.reason, "misaligned");
  EXPECT_EQ(misaligned.evidence.front().line, gemm_line("ldmatrix_rows:read"));
  EXPECT_EQ(detail(misaligned.evidence.front(), "width"), "16");
  EXPECT_EQ(detail(misaligned.evidence.front(), "lane_stride"), "40");

  const Failure uninitialized = fail(rig, one_warp, arguments(24, 11, 12));
  EXPECT_EQ(uninitialized.reason, "uninitialized");
  const Evidence& evidence = uninitialized.evidence.front();
  EXPECT_THAT(
      (std::vector{evidence.line, std::stoi(detail(evidence, "other_line"))}),
      testing::UnorderedElementsAre(gemm_line("ldmatrix_rows:store"), gemm_line("ldmatrix_rows:read")))
      << evidence.message;

  const Failure outside = fail(rig, one_warp, arguments(40, 10, 16));
  EXPECT_EQ(outside.reason, "out_of_bounds");
  EXPECT_EQ(outside.evidence.front().line, gemm_line("ldmatrix_rows:read"));
}

TEST_P(MatrixFaults, RowsOfWmmaLoad) {
  Rig rig("matrix.ptx", "wmma_rows");
  const auto arguments = [&](int shift, int pitch) -> Rig::Arguments {
    return {pointer(rig.buffer("in", halves(16 * 24, 1))), pointer(rig.empty<float>("out", 256)),
            scalar(shift), scalar(pitch)};
  };
  expect_clean(rig, one_warp, arguments(0, 24));
  expect_clean(rig, one_warp, arguments(16, 16));
  for (const auto& [shift, pitch] : {std::pair(8, 16), std::pair(0, 20), std::pair(1, 16)}) {
    const Failure failure = fail(rig, one_warp, arguments(shift, pitch));
    EXPECT_EQ(failure.reason, "misaligned") << shift << " " << pitch;
    EXPECT_EQ(failure.evidence.front().line, gemm_line("wmma_rows:read"));
  }
  const Failure outside = fail(rig, one_warp, arguments(16, 24));
  EXPECT_EQ(outside.reason, "out_of_bounds");
  EXPECT_EQ(outside.evidence.front().line, gemm_line("wmma_rows:read"));
}

TEST_P(MatrixFaults, NotAllLanes) {
  for (const auto& [threads, lanes] : {std::pair(64U, 16), std::pair(48U, 32)}) {
    Rig rig("matrix.ptx", "mma_divergent");
    const Failure failure = fail(rig, {{1, 1, 1}, {threads, 1, 1}, 0},
                                 {pointer(rig.empty<unsigned>("out", threads)), scalar(lanes)});
    EXPECT_EQ(failure.status, Status::sanitizer_fail);
    EXPECT_EQ(failure.reason, "shuffle_mask");
    EXPECT_THAT(failure.evidence.front().message,
                testing::HasSubstr("line " + std::to_string(gemm_line("mma_divergent"))));
  }
  Rig rig("matrix.ptx", "mma_divergent");
  expect_clean(rig, {{1, 1, 1}, {64, 1, 1}, 0}, {pointer(rig.empty<unsigned>("out", 64)), scalar(32)});
}

INSTANTIATE_TEST_SUITE_P(Machines, MatrixFaults, testing::Values(CheckLevel::filtered, CheckLevel::exact));

}  // namespace
}  // namespace evo::tests
