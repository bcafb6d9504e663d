#include "evaluators/gates/roofline.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/cases.hpp"
#include "tests/support/targets.hpp"

namespace evo::evaluators::gates {
namespace {

const model::TargetProfile& h200() {
  return tests::shipped_target("h200");
}

model::Case heavy(double bytes, double flops) {
  model::Case bound = tests::vector_add_case(8);
  bound.bytes = bytes;
  bound.flops = flops;
  return bound;
}

model::Latency took(double microseconds) {
  model::Latency latency;
  latency.microseconds = microseconds;
  return latency;
}

TEST(Roofline, AGibibyteCannotCrossTheBusInTenMicroseconds) {
  const auto failure = check_roofline(h200(), heavy(1 << 30, 0), took(10));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->status, model::Status::quarantined);
  EXPECT_EQ(failure->reason, "faster_than_physics");
  EXPECT_NE(failure->evidence.at(0).message.find("1073741824 bytes"), std::string::npos);
  EXPECT_FALSE(check_roofline(h200(), heavy(1 << 30, 0), took(240)));
  // The L2 could do it in less; the DRAM behind it cannot.
  EXPECT_TRUE(check_roofline(h200(), heavy(1 << 30, 0), took(150)));
}

TEST(Roofline, DenseArithmeticHasAPeak) {
  // 4 * 4096^2 * 128 * 64 flops = 550 GFLOP; 132 SMs at 1.98 GHz do 1.07 PFLOP/s: 514 us.
  const model::Case bound = heavy(0, 4.0 * 4096 * 4096 * 128 * 64);
  EXPECT_TRUE(check_roofline(h200(), bound, took(400)));
  EXPECT_FALSE(check_roofline(h200(), bound, took(520)));
}

// FLOPs a cycle and SM of FP16 tensor cores: 2048 on an A100 (312 TFLOP/s), 1024 on an L4 (121).
TEST(Roofline, EachGenerationHasItsOwnPeak) {
  const model::Case bound = heavy(0, 1e12);
  EXPECT_TRUE(check_roofline(tests::shipped_target("a100"), bound, took(2500)));
  EXPECT_FALSE(check_roofline(tests::shipped_target("a100"), bound, took(3300)));
  EXPECT_TRUE(check_roofline(tests::shipped_target("l4"), bound, took(6500)));
  EXPECT_FALSE(check_roofline(tests::shipped_target("l4"), bound, took(8500)));
}

TEST(Roofline, WhatFitsTheCacheIsBoundByTheCacheOnly) {
  const model::Case bound = heavy(1 << 20, 0);
  EXPECT_EQ(roofline_floor(h200(), bound).dram_bytes, 0);
  EXPECT_FALSE(check_roofline(h200(), bound, took(0.2)));
  EXPECT_TRUE(check_roofline(h200(), bound, took(0.05)));
}

std::string known_as(const std::string& device) {
  const model::TargetProfile* found = profile_of_device(tests::shipped_targets(), device);
  return found == nullptr ? "" : found->name;
}

TEST(Roofline, DevicesAreKnownByTheirNames) {
  EXPECT_EQ(known_as("NVIDIA H100 80GB HBM3"), "h100");
  EXPECT_EQ(known_as("NVIDIA L40S"), "l40s");
  EXPECT_EQ(known_as("NVIDIA L4"), "l4");
  EXPECT_EQ(known_as("NVIDIA GeForce RTX 4090"), "rtx4090");
  EXPECT_EQ(known_as("NVIDIA GeForce RTX 5090"), "rtx5090");
  EXPECT_EQ(known_as("NVIDIA A100-SXM4-80GB"), "a100");
  EXPECT_EQ(known_as("NVIDIA A10"), "a10");
  EXPECT_EQ(known_as("NVIDIA A10G"), "") << "another GPU";
  EXPECT_EQ(known_as("NVIDIA B200"), "b200");
  EXPECT_EQ(known_as("fake GPU"), "");
  EXPECT_EQ(profile_of_device({}, "NVIDIA L4"), nullptr);
}

TEST(Roofline, ARateThatIsNotKnownBoundsNothing) {
  model::TargetProfile unknown = h200();
  unknown.tensor_flops_per_cycle = 0;
  EXPECT_EQ(roofline_floor(unknown, heavy(0, 1e15)).microseconds, 0);
}

RC_GTEST_PROP(Roofline, TheFloorGrowsWithBytesAndWithFlops, ()) {
  const auto bytes = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, 1LL << 40));
  const auto flops = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, 1LL << 50));
  for (const std::string& name : model::target_names(tests::shipped_targets())) {
    const model::TargetProfile& device = tests::shipped_target(name);
    const double floor = roofline_floor(device, heavy(bytes, flops)).microseconds;
    RC_ASSERT(floor <= roofline_floor(device, heavy(2 * bytes, flops)).microseconds);
    RC_ASSERT(floor <= roofline_floor(device, heavy(bytes, 2 * flops)).microseconds);
    RC_ASSERT(!check_roofline(device, heavy(bytes, flops), took(floor)));
    if (floor > 0) RC_ASSERT(check_roofline(device, heavy(bytes, flops), took(0.85 * floor)).has_value());
  }
}

}  // namespace
}  // namespace evo::evaluators::gates
