// What must hold of any latency model, and that this one names sensible bottlenecks.
#include "evaluators/devices/virtual/model/latency_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/support/targets.hpp"

namespace evo::evaluators::virtual_device {
namespace {

using devices::LaunchCounts;

const model::TargetProfile& target(const char* name) {
  return tests::shipped_target(name);
}

struct ModelledLaunch {
  LaunchCounts counts;
  model::ResourceUsage resources;
  model::LaunchPlan plan;
};

double microseconds(const ModelledLaunch& launch, const char* name = "h200") {
  return model_latency(launch.counts, launch.resources, launch.plan, target(name)).microseconds;
}

constexpr std::uint64_t LaunchCounts::*counters[] = {&LaunchCounts::warp_instructions,
                                                     &LaunchCounts::fp32,
                                                     &LaunchCounts::fp64,
                                                     &LaunchCounts::fp16,
                                                     &LaunchCounts::integer,
                                                     &LaunchCounts::conversion,
                                                     &LaunchCounts::special,
                                                     &LaunchCounts::tensor,
                                                     &LaunchCounts::shared_accesses,
                                                     &LaunchCounts::shared_wavefronts,
                                                     &LaunchCounts::global_accesses,
                                                     &LaunchCounts::global_sectors,
                                                     &LaunchCounts::local_accesses,
                                                     &LaunchCounts::barriers,
                                                     &LaunchCounts::shuffles,
                                                     &LaunchCounts::atomics,
                                                     &LaunchCounts::unique_global_bytes,
                                                     &LaunchCounts::longest_warp_instructions};

/// Counts of a plausible kernel: every instruction is of one kind, and counted in warp_instructions.
ModelledLaunch any_launch() {
  ModelledLaunch launch;
  LaunchCounts& c = launch.counts;
  const auto upto = [](std::uint64_t n) { return *rc::gen::inRange<std::uint64_t>(0, n); };
  for (auto counter : counters) c.*counter = upto(1'000'000);
  c.warp_instructions = c.fp32 + c.fp64 + c.fp16 + c.integer + c.conversion + c.special + c.tensor +
                        c.shared_accesses + c.global_accesses + c.local_accesses + c.barriers + c.shuffles +
                        c.atomics + upto(1'000'000);
  c.unique_global_bytes = upto(500'000'000);
  c.longest_warp_instructions = upto(100'000);
  launch.plan.grid = {static_cast<std::uint32_t>(1 + upto(2000)), 1, 1};
  launch.plan.block = {static_cast<std::uint32_t>(32 * (1 + upto(16))), 1, 1};
  launch.plan.dynamic_smem = static_cast<std::uint32_t>(upto(90'000));
  launch.resources.registers = static_cast<int>(16 + upto(112));
  launch.resources.stack_bytes = static_cast<int>(upto(2) * 64);
  return launch;
}

const char* any_target() {
  return *rc::gen::element("l4", "a100", "h200");
}

RC_GTEST_PROP(LatencyModelProperty, MoreOfAnyCountIsNeverFaster, ()) {
  const ModelledLaunch launch = any_launch();
  const char* name = any_target();
  const double before = microseconds(launch, name);
  RC_ASSERT(std::isfinite(before) && before > 0);
  for (auto counter : counters) {
    ModelledLaunch more = launch;
    more.counts.*counter += *rc::gen::inRange<std::uint64_t>(1, 1'000'000'000);
    RC_ASSERT(microseconds(more, name) >= before * (1 - 1e-12));
  }
}

RC_GTEST_PROP(LatencyModelProperty, ASpillOrAStackIsNeverFree, ()) {
  const ModelledLaunch launch = any_launch();
  ModelledLaunch spilled = launch;
  spilled.resources.spill_load_bytes += 64;
  spilled.resources.spill_store_bytes += 64;
  ModelledLaunch stacked = launch;
  stacked.resources.stack_bytes += 256;
  RC_ASSERT(microseconds(spilled) >= microseconds(launch));
  RC_ASSERT(microseconds(stacked) >= microseconds(launch));
}

RC_GTEST_PROP(LatencyModelProperty, FewerResidentBlocksAreNeverFaster, ()) {
  const ModelledLaunch launch = any_launch();
  const char* name = any_target();
  ModelledLaunch registers = launch;
  registers.resources.registers = std::min(128, launch.resources.registers + 24);
  ModelledLaunch shared = launch;
  shared.plan.dynamic_smem += 8192;
  RC_ASSERT(microseconds(registers, name) >= microseconds(launch, name));
  RC_ASSERT(microseconds(shared, name) >= microseconds(launch, name));
}

RC_GTEST_PROP(LatencyModelProperty, TwiceTheBlocksAreNeverFaster, ()) {
  const ModelledLaunch launch = any_launch();
  const char* name = any_target();
  ModelledLaunch twice = launch;
  twice.plan.grid[1] = 2;
  for (auto counter : counters) twice.counts.*counter *= 2;
  twice.counts.longest_warp_instructions = launch.counts.longest_warp_instructions;
  RC_ASSERT(microseconds(twice, name) >= microseconds(launch, name) * (1 - 1e-12));
  twice.counts.unique_global_bytes = launch.counts.unique_global_bytes;  // the same data again
  RC_ASSERT(microseconds(twice, name) >= microseconds(launch, name) * (1 - 1e-12));
}

RC_GTEST_PROP(LatencyModelProperty, NeverBelowWhatTheMemoriesAllow, ()) {
  const ModelledLaunch launch = any_launch();
  const model::TargetProfile& t = target("l4");
  const double floor = static_cast<double>(launch.counts.unique_global_bytes) / (t.dram_gb_per_s * 1e3);
  RC_ASSERT(microseconds(launch, "l4") > floor);
}

/// A launch that fills an H200 with 8 blocks of 256 threads an SM and does next to nothing.
ModelledLaunch idle() {
  ModelledLaunch launch;
  launch.plan.grid = {132 * 8, 1, 1};
  launch.plan.block = {256, 1, 1};
  launch.resources.registers = 32;
  launch.counts.warp_instructions = 132 * 8 * 8 * 20;
  launch.counts.longest_warp_instructions = 20;
  return launch;
}

std::string bottleneck(const ModelledLaunch& launch) {
  return model_latency(launch.counts, launch.resources, launch.plan, target("h200")).bottleneck;
}

TEST(LatencyModel, NamesTheBottleneck) {
  EXPECT_EQ(bottleneck(idle()), "launch");
  ModelledLaunch launch = idle();
  launch.counts.fp32 = launch.counts.warp_instructions = 1'000'000'000;
  launch.counts.fp32 += 1;
  EXPECT_EQ(bottleneck(launch), "fp32");
  launch = idle();
  launch.counts.special = 400'000'000;
  launch.counts.warp_instructions = 500'000'000;
  EXPECT_EQ(bottleneck(launch), "special");
  launch = idle();
  launch.counts.shared_accesses = 100'000'000;
  launch.counts.shared_wavefronts = 3'200'000'000;
  launch.counts.warp_instructions = 300'000'000;
  EXPECT_EQ(bottleneck(launch), "load_store") << "32-way bank conflicts";
  launch = idle();
  launch.counts.global_accesses = 10'000'000;
  launch.counts.global_sectors = 40'000'000;
  launch.counts.unique_global_bytes = 1'280'000'000;
  launch.counts.warp_instructions = 50'000'000;
  EXPECT_EQ(bottleneck(launch), "dram");
  launch = idle();
  launch.plan.grid = {1, 1, 1};
  launch.plan.block = {32, 1, 1};
  launch.counts.warp_instructions = launch.counts.longest_warp_instructions = 1'000'000;
  EXPECT_EQ(bottleneck(launch), "latency") << "one warp alone";
}

TEST(LatencyModel, ACopyRunsAtTheMemorysRate) {
  ModelledLaunch copy = idle();
  const double bytes = 2e9;
  copy.counts.unique_global_bytes = static_cast<std::uint64_t>(bytes);
  copy.counts.global_sectors = static_cast<std::uint64_t>(bytes / 32);
  copy.counts.global_accesses = copy.counts.global_sectors / 16;
  copy.counts.warp_instructions = copy.counts.global_accesses * 4;
  const double rate = bytes / microseconds(copy) / 1e3;
  EXPECT_GT(rate, 0.9 * target("h200").dram_gb_per_s);
  EXPECT_LE(rate, target("h200").dram_gb_per_s);
}

TEST(LatencyModel, LocalAccessesCostOnlyWhereThereIsAStack) {
  ModelledLaunch launch = idle();
  launch.counts.local_accesses = 1'000'000'000;
  const double in_registers = microseconds(launch);
  launch.resources.stack_bytes = 64;
  EXPECT_GT(microseconds(launch), 2 * in_registers);
}

TEST(LatencyModel, ASpillInALoopCosts) {
  ModelledLaunch launch = idle();
  launch.counts.warp_instructions *= 1000;
  launch.counts.longest_warp_instructions *= 1000;
  const double before = microseconds(launch);
  launch.resources.spill_load_bytes = launch.resources.spill_store_bytes = 128;
  EXPECT_GT(microseconds(launch), 1.02 * before);
}

TEST(LatencyModel, WhatDoesNotFitTakesForEver) {
  ModelledLaunch launch = idle();
  launch.plan.dynamic_smem = 228 * 1024;
  const ModelledLatency latency = model_latency(launch.counts, launch.resources, launch.plan, target("h200"));
  EXPECT_TRUE(std::isinf(latency.microseconds));
  EXPECT_EQ(latency.bottleneck, "does_not_fit");
}

TEST(LatencyModel, IsNamed) {
  const ModelledLaunch launch = idle();
  const ModelledLatency latency = model_latency(launch.counts, launch.resources, launch.plan, target("l4"));
  EXPECT_EQ(latency.method, "virtual model v2");
  EXPECT_EQ(latency.waves, 4) << "1056 blocks on 58 SMs, 6 at a time";
}

TEST(Occupancy, KnownPointsOfTheCalculator) {
  const auto blocks = [](int registers, std::uint32_t threads, std::uint32_t shared, const char* name) {
    model::ResourceUsage resources;
    resources.registers = registers;
    model::LaunchPlan plan;
    plan.block = {threads, 1, 1};
    plan.dynamic_smem = shared;
    return occupancy_of(resources, plan, target(name));
  };
  EXPECT_EQ(blocks(32, 256, 0, "h200").blocks_per_sm, 8);
  EXPECT_EQ(blocks(32, 256, 0, "h200").limiter, "warps");
  EXPECT_EQ(blocks(64, 256, 0, "a100").blocks_per_sm, 4);
  EXPECT_EQ(blocks(64, 256, 0, "a100").limiter, "registers");
  EXPECT_EQ(blocks(255, 128, 0, "h200").blocks_per_sm, 2);
  EXPECT_EQ(blocks(33, 128, 0, "l4").blocks_per_sm, 12);
  EXPECT_EQ(blocks(32, 128, 48 * 1024, "l4").blocks_per_sm, 2);
  EXPECT_EQ(blocks(32, 128, 48 * 1024, "l4").limiter, "shared_memory");
  EXPECT_EQ(blocks(32, 128, 99 * 1024, "l4").blocks_per_sm, 1);
  EXPECT_EQ(blocks(32, 128, 99 * 1024 + 1, "l4").blocks_per_sm, 0);
  EXPECT_EQ(blocks(16, 32, 0, "a100").limiter, "blocks");
  EXPECT_EQ(blocks(255, 1024, 0, "h200").blocks_per_sm, 0) << "too many registers for a launch";
}

}  // namespace
}  // namespace evo::evaluators::virtual_device
