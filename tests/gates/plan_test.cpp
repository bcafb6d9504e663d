#include "evaluators/gates/check_plan.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/gates/case_buffers.hpp"
#include "tests/gates/jobs.hpp"

namespace evo::evaluators::gates {
namespace {

DeviceJob job_of(std::size_t full, std::size_t odd, std::size_t sets) {
  DeviceJob job;
  for (std::size_t i = 0; i < full + odd; ++i) {
    job.cases.push_back(tests::vector_add_case(static_cast<std::int64_t>(100 - i), false, std::to_string(i)));
  }
  for (std::size_t i = 0; i < sets; ++i) job.input_sets.push_back({std::to_string(i), "normal", {}});
  job.full_cases = full;
  return job;
}

RC_GTEST_PROP(CheckPlan, OwesEveryCaseAndSet, ()) {
  const auto full = *rc::gen::inRange<std::size_t>(1, 4);
  const auto odd = *rc::gen::inRange<std::size_t>(0, 7);
  const auto sets = *rc::gen::inRange<std::size_t>(1, 6);
  const DeviceJob job = job_of(full, odd, sets);
  for (const bool virtual_device : {false, true}) {
    std::map<std::size_t, std::set<std::size_t>> seen;
    std::set<unsigned> alignments;
    std::set<bool> poisons;
    for (const Check& check : plan_checks(job, virtual_device)) {
      seen[check.case_index].insert(check.set_index);
      alignments.insert(check.alignment_shift);
      poisons.insert(check.finite_poison);
    }
    RC_ASSERT(seen.size() == full + odd);
    RC_ASSERT(alignments.size() == alignment_count);
    RC_ASSERT(poisons.size() == 2U);
    for (const auto& [index, of_case] : seen) {
      const bool all = !virtual_device || index < full;
      RC_ASSERT(of_case.size() == (all ? sets : std::min<std::size_t>(sets, 2)));
      RC_ASSERT(of_case.contains(0));
    }
  }
}

TEST(CheckPlan, CheapCasesComeFirstAndOddShapesTakeTheSetsInTurn) {
  const std::vector<Check> checks = plan_checks(job_of(1, 4, 4), true);
  EXPECT_EQ(checks.front().case_index, 4U);
  EXPECT_EQ(checks.back().case_index, 0U);
  std::map<std::size_t, std::size_t> second;
  for (const Check& check : checks) {
    if (check.case_index >= 1 && check.set_index != 0) second[check.case_index] = check.set_index;
  }
  EXPECT_EQ(second, (std::map<std::size_t, std::size_t>{{1, 1}, {2, 2}, {3, 3}, {4, 1}}));
}

TEST(CheckPlan, HeavyWorkloadsOnTheVirtualDeviceSeeTwoSetsAndNoSetIsLost) {
  DeviceJob job = job_of(2, 3, 6);
  job.cases[0].flops = job.cases[1].flops = 2e9;
  std::map<std::size_t, std::set<std::size_t>> seen;
  std::set<std::size_t> sets;
  for (const Check& check : plan_checks(job, true)) {
    seen[check.case_index].insert(check.set_index);
    sets.insert(check.set_index);
  }
  EXPECT_EQ(seen[0], (std::set<std::size_t>{0, 5}));
  EXPECT_EQ(seen[1], (std::set<std::size_t>{0, 4}));
  EXPECT_EQ(sets.size(), 6U);
  EXPECT_EQ(plan_checks(job, false).size(), 5U * 6U);
  EXPECT_EQ(repeated_case(job, true), 2U);  // the largest of the odd ones
  EXPECT_EQ(repeated_case(job, false), 0U);
  job.input_sets.resize(1);
  EXPECT_EQ(plan_checks(job, true).size(), 5U);
}

TEST(CheckPlan, OneHeavyWorkloadAloneStillSeesEverySet) {
  DeviceJob job = job_of(1, 0, 4);
  job.cases[0].flops = 2e9;
  std::set<std::size_t> sets;
  for (const Check& check : plan_checks(job, true)) sets.insert(check.set_index);
  EXPECT_EQ(sets.size(), 4U);
  EXPECT_EQ(repeated_case(job, true), 0U);
}

TEST(CheckPlan, FarViewsSeeTwoSetsOnEveryDeviceAndTakeNobodysTurn) {
  DeviceJob job = job_of(1, 4, 4);
  const auto second_sets = [&](bool virtual_device) {
    std::map<std::size_t, std::set<std::size_t>> seen;
    for (const Check& check : plan_checks(job, virtual_device))
      seen[check.case_index].insert(check.set_index);
    return seen;
  };
  const auto before = second_sets(true);
  model::Case far = tests::vector_add_case(3, false, "far");
  far.arguments[2].strides = {std::int64_t{1} << 35};
  job.cases.insert(job.cases.begin() + 2, far);
  const auto after = second_sets(true);
  EXPECT_EQ(after.at(1), before.at(1));
  EXPECT_EQ(after.at(3), before.at(2));
  EXPECT_EQ(after.at(2), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(second_sets(false).at(2), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(second_sets(false).at(3).size(), 4U);
}

TEST(CaseBuffers, AFarViewIsAllocatedInItsParts) {
  tests::FakeDeviceSettings settings;
  tests::FakeDevice device(settings);
  model::Case bound = tests::vector_add_case(3);
  bound.arguments[2].strides = {std::int64_t{1} << 35};
  const devices::BufferSpec spec = buffer_spec(bound.arguments[2], 1);
  EXPECT_EQ(spec.bytes, (std::uint64_t{2} << 37) + 4);
  ASSERT_EQ(spec.parts.size(), 3U);
  EXPECT_EQ(spec.parts[2].offset, std::uint64_t{2} << 37);
  EXPECT_TRUE(buffer_spec(bound.arguments[0], 1).parts.empty());
  auto buffers = CaseBuffers::create(device, bound, 0);
  ASSERT_TRUE(buffers.has_value());
  ASSERT_TRUE(buffers->poison(5, false).has_value());
  const auto bytes = buffers->read(2);
  ASSERT_TRUE(bytes.has_value());
  EXPECT_LT(bytes->span().size(), 4096U) << "the host holds what the elements need";
}

TEST(CheckPlan, DependsOnTheSeedInItsPoisonsOnly) {
  DeviceJob job = job_of(1, 2, 2);
  const auto first = plan_checks(job, false);
  const auto again = plan_checks(job, false);
  job.input_seed = 5;
  const auto other = plan_checks(job, false);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].poison, again[i].poison);
    EXPECT_NE(first[i].poison, other[i].poison);
    EXPECT_EQ(first[i].case_index, other[i].case_index);
  }
}

TEST(CaseBuffers, ScalarsAreTheirTypesBytes) {
  using model::DType;
  const auto bytes = [](DType dtype, double value) {
    return scalar_bytes(tests::scalar_argument("s", dtype, value));
  };
  EXPECT_EQ(bytes(DType::i32, -2),
            (std::vector<std::byte>{std::byte{0xfe}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}}));
  EXPECT_EQ(bytes(DType::f16, 1).size(), 2U);
  EXPECT_EQ(bytes(DType::f32, 0.125),
            (std::vector<std::byte>{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x3e}}));
  EXPECT_EQ(bytes(DType::f64, 0.125).size(), 8U);
  model::BoundArgument stride = tests::scalar_argument("s", DType::i64, 0);
  stride.scalar_integer = (std::int64_t{1} << 62) + 1;  // more than a double holds
  EXPECT_EQ(scalar_bytes(stride).at(0), std::byte{1});
}

TEST(CaseBuffers, NeighboursHaveDifferentAlignments) {
  tests::FakeDeviceSettings settings;
  tests::FakeDevice device(settings);
  const model::Case bound = tests::vector_add_case(4);
  for (unsigned shift = 0; shift < alignment_count; ++shift) {
    const auto buffers = CaseBuffers::create(device, bound, shift);
    ASSERT_TRUE(buffers.has_value());
    std::set<std::uint32_t> distances;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto id = std::get<devices::BufferArgument>(buffers->arguments()[i]).buffer;
      distances.insert(device.spec(id).misalignment);
      EXPECT_EQ(device.spec(id).misalignment % 16, 0U);
      EXPECT_EQ(device.spec(id).name, bound.arguments[i].name);
    }
    EXPECT_EQ(distances.size(), 3U);
  }
  EXPECT_EQ(settings.log->live_buffers, 0);
}

}  // namespace
}  // namespace evo::evaluators::gates
