// Counters of the virtual device, from counts whose sums are known.
#include "evaluators/profile/modelled.hpp"

#include <gtest/gtest.h>

#include "tests/gates/jobs.hpp"
#include "tests/support/known.hpp"
#include "tests/support/targets.hpp"

namespace evo::evaluators::profile {
namespace {

/// c[i] = a[i] + b[i] for the threads below n, four instructions of which stand on line 7 of add.cu.
constexpr const char* add_ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n, .param .u32 c_stride)
{
.reg .pred %p<2>;
.reg .b32 %r<6>;
.reg .f32 %f<4>;
.reg .b64 %rd<12>;
.loc 1 5 1
ld.param.u64 %rd1, [a];
ld.param.u64 %rd2, [b];
ld.param.u64 %rd3, [c];
ld.param.u32 %r1, [n];
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mov.u32 %r4, %tid.x;
mad.lo.s32 %r5, %r2, %r3, %r4;
setp.ge.s32 %p1, %r5, %r1;
@%p1 bra DONE;
.loc 1 7 1
cvta.to.global.u64 %rd4, %rd1;
cvta.to.global.u64 %rd5, %rd2;
cvta.to.global.u64 %rd6, %rd3;
mul.wide.s32 %rd7, %r5, 4;
add.s64 %rd8, %rd4, %rd7;
add.s64 %rd9, %rd5, %rd7;
ld.global.f32 %f1, [%rd8];
ld.global.f32 %f2, [%rd9];
add.f32 %f3, %f1, %f2;
add.s64 %rd10, %rd6, %rd7;
st.global.f32 [%rd10], %f3;
DONE:
.loc 1 9 1
ret;
}
.file 1 "add.cu"
)";

gates::DeviceJob job_of(const char* ptx) {
  gates::DeviceJob job = tests::vector_add_job();
  job.artifact.ptx = ptx;
  job.artifact.resources.registers = 16;
  job.cases.resize(1);
  return job;
}

TEST(Modelled, SharesAreOfTheKernelsTimeAndSaySo) {
  const auto target = tests::shipped_target("h200");
  devices::LaunchCounts counts;
  counts.warp_instructions = 1000;
  counts.special = 30;
  counts.conversion = 12;
  counts.shared_accesses = 100;
  counts.shared_wavefronts = 180;
  counts.global_sectors = 64;
  virtual_device::ModelledLatency modelled;
  modelled.microseconds = 12.5;
  modelled.parts = {{"launch", 2.5}, {"dram", 6}, {"l2", 3}, {"fp32", 2}, {"fp16", 1}, {"special", 1}};
  modelled.occupancy = {2, 16, "registers"};
  model::LaunchPlan plan;
  plan.grid = {132, 1, 1};
  const auto values = counters_of(counts, modelled, {.registers = 40}, plan, target);
  EXPECT_DOUBLE_EQ(values.at("duration_us"), 10);
  EXPECT_DOUBLE_EQ(values.at("dram_percent"), 60);
  EXPECT_DOUBLE_EQ(values.at("l2_percent"), 30);
  EXPECT_DOUBLE_EQ(values.at("fma_percent"), 30);
  EXPECT_DOUBLE_EQ(values.at("mufu_percent"), 10);
  EXPECT_DOUBLE_EQ(values.at("mufu_instructions"), 30) << "conversions are not counted there";
  EXPECT_DOUBLE_EQ(values.at("bank_conflicts"), 80);
  EXPECT_DOUBLE_EQ(values.at("l2_sectors"), 64);
  EXPECT_DOUBLE_EQ(values.at("registers"), 40);
  EXPECT_DOUBLE_EQ(values.at("occupancy_percent"), 12.5) << "one block an SM, of two that fit";
  for (const auto& [name, value] : values) {
    const model::CounterName* counter = model::find_counter(name);
    ASSERT_NE(counter, nullptr) << name;
    EXPECT_TRUE(counter->modelled || counter->compiled) << name;
  }
  for (const model::CounterName& counter : model::counter_names())
    EXPECT_EQ(values.contains(counter.name), counter.modelled || counter.compiled) << counter.name;
}

TEST(Modelled, ALaunchIsCountedByLine) {
  ModelledProfiler profiler(tests::shipped_target("h200"), tests::known(), 1'000'000'000);
  const auto profiled = profiler.profile(job_of(add_ptx));
  ASSERT_TRUE(profiled.reading.has_value()) << (profiled.failure ? profiled.failure->reason : "");
  EXPECT_EQ(profiled.reading->basis, model::CounterBasis::modelled);
  EXPECT_EQ(profiled.reading->device, "h200");
  ASSERT_EQ(profiled.reading->kernels.size(), 1U);
  const model::KernelCounters& kernel = profiled.reading->kernels.front();
  std::uint64_t total = 0;
  for (const model::LineCount& line : kernel.lines) total += line.warp_instructions;
  EXPECT_EQ(static_cast<double>(total), kernel.find("instructions"));
  ASSERT_FALSE(kernel.lines.empty());
  EXPECT_EQ(kernel.lines.front().file, "add.cu");
  EXPECT_EQ(kernel.lines.front().line, 7) << "eleven instructions, ten on line 5";
  EXPECT_EQ(kernel.find("l2_sectors"), 3 * 256 * 4 / 32) << "256 floats three times";
  EXPECT_EQ(kernel.find("stall_long_scoreboard"), std::nullopt) << "the virtual device knows no stalls";
}

/// Each thread stores to a word of its own 32 words apart: on line 6, and all of a warp to one bank.
constexpr const char* conflicts_ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n, .param .u32 c_stride)
{
.reg .b32 %r<6>;
.shared .align 4 .b8 tile[32768];
.loc 1 5 1
mov.u32 %r1, %tid.x;
mov.u32 %r2, tile;
shl.b32 %r3, %r1, 7;
add.s32 %r4, %r2, %r3;
.loc 1 6 1
st.shared.u32 [%r4], %r1;
.loc 1 9 1
ret;
}
.file 1 "add.cu"
)";

const model::LineCount& line_of(const model::KernelCounters& kernel, int number) {
  static const model::LineCount none;
  for (const model::LineCount& line : kernel.lines) {
    if (line.line == number) return line;
  }
  return none;
}

TEST(Modelled, TrafficIsCountedByLine) {
  ModelledProfiler profiler(tests::shipped_target("h200"), tests::known(), 1'000'000'000);
  const auto added = profiler.profile(job_of(add_ptx));
  ASSERT_TRUE(added.reading.has_value());
  const model::KernelCounters& sums = added.reading->kernels.front();
  EXPECT_EQ(line_of(sums, 7).sectors, 96U) << "all of them";
  EXPECT_EQ(line_of(sums, 5).sectors, 0U);
  EXPECT_EQ(line_of(sums, 7).bank_conflicts, 0U);
  const auto stored = profiler.profile(job_of(conflicts_ptx));
  ASSERT_TRUE(stored.reading.has_value()) << (stored.failure ? stored.failure->reason : "");
  const model::KernelCounters& kernel = stored.reading->kernels.front();
  EXPECT_GT(line_of(kernel, 6).bank_conflicts, 0U);
  EXPECT_EQ(line_of(kernel, 6).bank_conflicts, 31 * line_of(kernel, 6).warp_instructions) << "32 ways";
  EXPECT_EQ(static_cast<double>(line_of(kernel, 6).bank_conflicts), kernel.find("bank_conflicts"));
  EXPECT_EQ(line_of(kernel, 5).bank_conflicts, 0U);
}

TEST(Modelled, WhatTakesTooLongIsNotCounted) {
  ModelledProfiler brief(tests::shipped_target("h200"), tests::known(), 100'000);
  std::string endless = add_ptx;
  endless.replace(endless.find("ret;"), 4, "bra DONE;");
  const auto hang = brief.profile(job_of(endless.c_str()));
  EXPECT_FALSE(hang.reading.has_value());
  EXPECT_FALSE(hang.failure.has_value()) << "the budget is ours, not the candidate's fault";
  EXPECT_EQ(hang.refused.size(), 1U);
}

}  // namespace
}  // namespace evo::evaluators::profile
