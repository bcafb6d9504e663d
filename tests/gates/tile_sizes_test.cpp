// How many elements a block takes, from launch plans, and a turn of a loop, from PTX.
#include "evaluators/gates/tile_sizes.hpp"

#include <bit>

#include <gtest/gtest.h>

namespace evo::evaluators::gates {
namespace {

using StepSet = std::set<std::int64_t>;

/// Of a grid whose first extent is this function of the axis.
StepSet steps_of_grid(const std::function<std::int64_t(std::int64_t)>& extent, std::int64_t most = 1 << 20) {
  return grid_steps(
      [&](std::int64_t i) {
        model::LaunchPlan plan;
        plan.grid[0] = static_cast<std::uint32_t>(extent(i));
        return std::optional(plan);
      },
      most);
}

TEST(GridSteps, HoweverTheExpressionIsWritten) {
  EXPECT_EQ(steps_of_grid([](auto n) { return (n + 3071) / 3072; }), StepSet{3072});
  EXPECT_EQ(steps_of_grid([](auto n) { return (n - 1) / 1408 + 1; }), StepSet{1408});
  EXPECT_EQ(steps_of_grid([](auto n) { return std::max<std::int64_t>(1, n / 512); }), StepSet{512});
  EXPECT_EQ(steps_of_grid([](auto n) { return std::min<std::int64_t>(132, (n + 255) / 256); }), StepSet{256});
  EXPECT_EQ(steps_of_grid([](auto n) { return n; }), StepSet{1});
}

TEST(GridSteps, NoneWhereTheGridDoesNotGrowByThem) {
  EXPECT_EQ(steps_of_grid([](auto) { return 7; }), StepSet{});
  EXPECT_EQ(steps_of_grid([](auto n) { return std::bit_width(static_cast<std::uint64_t>(n)); }), StepSet{});
  EXPECT_EQ(steps_of_grid([](auto n) { return 3 * n; }), StepSet{});
  EXPECT_EQ(steps_of_grid([](auto n) { return (n + 1023) / 1024; }, 1500), StepSet{})
      << "the axis ends before";
}

TEST(GridSteps, OfEachExtentAndEachKernel) {
  const auto at = [](std::int64_t i) {
    const auto blocks = [&](std::int64_t tile) { return static_cast<std::uint32_t>((i + tile - 1) / tile); };
    model::LaunchPlan plan, later;
    plan.grid = {5, blocks(384), blocks(96)};
    later.grid = {blocks(1000), 1, 1};
    plan.then.push_back(later);
    return std::optional(plan);
  };
  EXPECT_EQ(grid_steps(at, 1 << 20), (StepSet{96, 384, 1000}));
  EXPECT_EQ(grid_steps([](std::int64_t) { return std::optional<model::LaunchPlan>(); }, 1 << 20), StepSet{});
}

std::string module_with_tiles(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\nld.param.u32 %r1, "
         "[n];\n" +
         body + "ret;\n}\n";
}
using TileList = std::vector<std::int64_t>;

TEST(TileNumbers, OfDivisionsMasksProductsAndLoops) {
  EXPECT_EQ(tile_numbers(module_with_tiles("add.s32 %r3, %r3, 700;\nsetp.gt.s32 %p1, %r1, 800;\n"
                                           "mul.lo.s32 %r2, %r1, 1408;\nrem.u32 %r2, %r1, 900;\n")),
            (TileList{900, 1408, 800, 700}));
  EXPECT_EQ(tile_numbers(module_with_tiles("and.b32 %r2, %r1, 1023;\nand.b32 %r3, %r1, -2048;\n"
                                           "shl.b32 %r2, %r1, 12;\n")),
            (TileList{1024, 2048, 4096}));
  EXPECT_EQ(tile_numbers(module_with_tiles("rem.u32 %r2, %r1, 900;\nrem.u32 %r2, %r1, 901;\n"), 1),
            TileList{900});
}

TEST(TileNumbers, NotOfBytesFractionsAndAddresses) {
  EXPECT_EQ(tile_numbers(module_with_tiles("add.s32 %r3, %r2, 700;\nand.b32 %r2, %r1, 1000;\n"
                                           "mul.lo.s32 %r2, %r1, 256;\nmul.lo.s32 %r2, %r1, 20000;\n"
                                           "mul.wide.s32 %rd1, %r1, 1024;\nmul.f32 %f1, %f1, 0f44800000;\n")),
            TileList{});
  EXPECT_EQ(tile_numbers("no ptx"), TileList{});
}

}  // namespace
}  // namespace evo::evaluators::gates
