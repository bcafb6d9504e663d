// Which cases see which input sets, at which addresses.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/gates/plan_jobs.hpp"

namespace evo::evaluators::gates {
namespace {

RC_GTEST_PROP(CheckPlan, LightCasesSeeEverySetOnEveryDevice, ()) {
  const auto full = *rc::gen::inRange<std::size_t>(1, 4);
  const auto odd = *rc::gen::inRange<std::size_t>(0, 7);
  const auto sets = *rc::gen::inRange<std::size_t>(1, 6);
  DeviceJob job = plan_job(full, odd, sets);
  job.declared_sets = *rc::gen::inRange<std::size_t>(1, sets + 1);
  for (const bool virtual_device : {false, true}) {
    std::map<std::size_t, std::set<std::size_t>> seen;
    std::set<std::uint32_t> alignments;
    std::set<bool> poisons;
    for (const Check& check : plan_checks(job, virtual_device)) {
      seen[check.case_index].insert(check.set_index);
      alignments.insert(check.placement.at(0));
      poisons.insert(check.finite_poison);
    }
    RC_ASSERT(seen.size() == full + odd);
    RC_ASSERT(alignments.size() == alignment_count);
    RC_ASSERT(poisons.size() == 2U);
    for (const auto& [index, of_case] : seen) RC_ASSERT(of_case.size() == sets);
  }
}

TEST(CheckPlan, InputsThatAreAllZeroOrSmallSeeOneOrTwoLightCases) {
  DeviceJob job = plan_job(2, 5, 3);
  job.declared_sets = 2;
  for (const char* kind : {"all_zero", "tail", "near_zero"}) {
    job.input_sets[2].kind = kind;
    for (const bool whole : {false, true}) {
      job.whole_launches = whole;
      std::size_t cases = 0;
      for (const auto& [index, sets] : sets_seen(job, true)) cases += sets.count(2);
      EXPECT_GE(cases, 1U);
      EXPECT_LE(cases, whole ? 2U : 1U);
    }
  }
}

TEST(CheckPlan, CheapCasesComeFirstAndOddShapesTakeTheSetsInTurn) {
  DeviceJob job = plan_job(1, 4, 4);
  for (model::Case& bound : job.cases) bound.flops += middling;
  const std::vector<Check> checks = plan_checks(job, true);
  EXPECT_EQ(checks.front().case_index, 4U);
  EXPECT_EQ(checks.back().case_index, 0U);
  const auto seen = sets_seen(job, true);
  EXPECT_EQ(seen.at(0).size(), 4U) << "a workload that is not heavy sees what is declared";
  std::set<std::size_t> others;
  for (std::size_t i = 1; i <= 4; ++i) {
    EXPECT_EQ(seen.at(i).size(), 2U);
    EXPECT_TRUE(seen.at(i).contains(0));
    others.insert(*seen.at(i).rbegin());
  }
  EXPECT_EQ(others.size(), 3U) << "neighbours see different ones, until all have been seen";
  EXPECT_EQ(sets_seen(job, false).at(2).size(), 4U) << "a real device owes odd shapes every declared set";
}

TEST(CheckPlan, UndeclaredSetsAreForLightCases) {
  DeviceJob job = plan_job(1, 2, 6);
  job.declared_sets = 2;
  for (model::Case& bound : job.cases) bound.flops = middling;
  job.cases[2].flops = 10;
  EXPECT_EQ(sets_seen(job, false).at(0), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(sets_seen(job, false).at(2).size(), 6U);
  EXPECT_EQ(sets_seen(job, true).at(2).size(), 6U);
}

TEST(CheckPlan, HeavyWorkloadsOnTheVirtualDeviceSeeTwoSetsAndNoDeclaredOneIsLost) {
  DeviceJob job = plan_job(2, 0, 6);
  job.cases[0].flops = job.cases[1].flops = 2e9;
  const auto seen = sets_seen(job, true);
  std::set<std::size_t> all = seen.at(0);
  all.insert(seen.at(1).begin(), seen.at(1).end());
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(sets_seen(job, false).at(0).size(), 6U);
  job.input_sets.resize(1);
  EXPECT_EQ(plan_checks(job, true).size(), placement_count);
}

TEST(CheckPlan, LargeWorkloadsOfASearchShareTheDeclaredSetsOnAGpu) {
  DeviceJob job = plan_job(3, 0, 9);
  job.declared_sets = 7;
  job.whole_launches = false;
  job.cases[0].flops = job.cases[2].flops = 1e11;
  job.cases[1].flops = 1e9;
  const auto seen = sets_seen(job, false);
  EXPECT_EQ(seen.at(1).size(), 7U) << "one that is not large sees all that are declared";
  std::set<std::size_t> all = seen.at(0);
  all.insert(seen.at(2).begin(), seen.at(2).end());
  EXPECT_EQ(all.size(), 7U) << "each is seen by one of the large ones";
  EXPECT_TRUE(seen.at(0).contains(0) && seen.at(2).contains(0));
  EXPECT_EQ(seen.at(0).size() + seen.at(2).size(), 8U) << "the first by both";
  job.cases[2].flops = 1e9;
  EXPECT_EQ(sets_seen(job, false).at(0).size(), 7U) << "alone, it sees all";
  job.cases[2].flops = 1e11;
  job.whole_launches = true;
  EXPECT_EQ(sets_seen(job, false).at(0).size(), 7U) << "a baseline or a champion sees all";
}

TEST(CheckPlan, EachWorkloadHasAllArraysAlignedOnceAndSumsThatAre) {
  DeviceJob job = plan_job(1, 1, 9);
  job.uses = {CaseUse::workload, CaseUse::placed};
  bool aligned = false;
  std::set<std::uint32_t> sums;
  for (const Check& check : plan_checks(job, true)) {
    const Placement& at = check.placement;
    if (check.case_index == 0)
      aligned |= at[0] % 256 == 0 && at[1] % 256 == 0 && at[2] % 256 == 0;
    else if ((at[0] % 16 + at[1] % 16 + at[2] % 16) % 16 == 0)
      sums.insert(at[0] % 16 + at[1] % 16 + at[2] % 16);
  }
  EXPECT_TRUE(aligned) << "as cudaMalloc() gives them";
  EXPECT_TRUE(sums.contains(16)) << "who adds the addresses up";
}

TEST(CheckPlan, LastElementsOfEachArrayMatterInTurn) {
  DeviceJob job = plan_job(1, 4, 1);
  job.uses = {CaseUse::workload, CaseUse::alone, CaseUse::alone, CaseUse::alone, CaseUse::alone};
  job.declared_sets = 1;
  job.input_sets.push_back({"late_spike of b", "late_spike", {{"argument", 1}}});
  job.input_sets.push_back({"late_spike of a", "late_spike", {{"argument", 0}}});
  const auto seen_by_all = [&] {
    std::set<std::size_t> all;
    const auto seen = sets_seen(job, true);
    for (std::size_t index = 1; index < job.cases.size(); ++index)
      all.insert(seen.at(index).begin(), seen.at(index).end());
    return all;
  };
  EXPECT_EQ(seen_by_all(), (std::set<std::size_t>{0, 1, 2}));
  for (model::Case& bound : job.cases) bound.arguments[1].shape = {1};
  EXPECT_EQ(seen_by_all(), (std::set<std::size_t>{0, 2})) << "of few elements the last is not far behind";
  for (model::Case& bound : job.cases) bound.arguments[1].shape = bound.arguments[0].shape;
  job.input_sets.push_back({"runs of b", "runs", {{"argument", 1}}});
  EXPECT_EQ(seen_by_all(), (std::set<std::size_t>{0, 1, 2, 3}));
  for (std::size_t index = 1; index < job.cases.size(); ++index) {
    const auto seen = sets_seen(job, true).at(index);
    EXPECT_TRUE(seen.contains(1) || seen.contains(2))
        << index << ": stretches of equals take the place of none";
  }
}

TEST(CheckPlan, LastElementsOfThreeArraysMatterInTurn) {
  DeviceJob job = plan_job(1, 6, 1);
  job.uses.assign(7, CaseUse::alone);
  job.uses[0] = CaseUse::workload;
  job.declared_sets = 1;
  for (model::Case& bound : job.cases) bound.arguments[2].role = model::ArgumentRole::input;
  for (int i = 0; i < 3; ++i)
    job.input_sets.push_back({"late_spike", "late_spike", {{"argument", static_cast<double>(i)}}});
  std::set<std::size_t> all;
  const auto seen = sets_seen(job, true);
  for (std::size_t index = 1; index < job.cases.size(); ++index)
    all.insert(seen.at(index).begin(), seen.at(index).end());
  EXPECT_EQ(all, (std::set<std::size_t>{0, 1, 2, 3}));
}

TEST(CheckPlan, TheHeaviestDeclaredCaseThatIsNotTooHeavyIsRepeated) {
  DeviceJob job = plan_job(1, 3, 1);
  EXPECT_EQ(repeated_case(job, true), 0U);
  job.cases[0].flops = 2e9;
  EXPECT_EQ(repeated_case(job, true), 1U);
  EXPECT_EQ(repeated_case(job, false), 0U);
  job.uses = {CaseUse::workload, CaseUse::stretched, CaseUse::odd, CaseUse::odd};
  EXPECT_EQ(repeated_case(job, true), 2U);
}

TEST(CheckPlan, FarViewsSeeTwoSetsOnEveryDevice) {
  DeviceJob job = plan_job(1, 4, 4);
  model::Case far = tests::vector_add_case(3, false, "far");
  far.arguments[2].strides = {std::int64_t{1} << 35};
  job.cases.insert(job.cases.begin() + 2, far);
  EXPECT_EQ(sets_seen(job, true).at(2), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(sets_seen(job, false).at(2), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(sets_seen(job, false).at(3).size(), 4U);
}

TEST(CheckPlan, APlacedCaseHasEachArrayAtEachAlignmentOfItsElementsApart) {
  DeviceJob job = plan_job(1, 1, 2);
  job.uses = {CaseUse::workload, CaseUse::placed};
  for (const bool virtual_device : {false, true}) {
    std::map<std::size_t, std::set<std::uint32_t>> apart;
    std::set<std::set<std::size_t>> alike;
    for (const Check& check : plan_checks(job, virtual_device)) {
      if (check.case_index != 1) continue;
      std::vector<std::size_t> off;
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(check.placement.at(i) % 4, 0U) << "an element is aligned";
        if (check.placement.at(i) % 16 != 0) off.push_back(i);
      }
      if (off.size() == 1) apart[off[0]].insert(check.placement[off[0]] % 16);
      const bool equal = std::all_of(off.begin(), off.end(), [&](std::size_t i) {
        return check.placement[i] % 16 == check.placement[off[0]] % 16;
      });
      if (off.size() > 1 && equal) alike.insert({off.begin(), off.end()});
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(apart[i], (std::set<std::uint32_t>{4, 8, 12}));
    EXPECT_EQ(alike, (std::set<std::set<std::size_t>>{{0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}))
        << "who judges one array by another";
  }
}

TEST(CheckPlan, ACrossedCaseIsSeenAlignedWithNothingAlignedAndWithEachArrayApartInTurn) {
  DeviceJob job = plan_job(1, 3, 4);
  job.uses = {CaseUse::workload, CaseUse::crossed, CaseUse::rescaled, CaseUse::crossed};
  std::set<std::size_t> apart;
  std::map<std::size_t, std::set<std::size_t>> misaligned;  // of a case, how many arrays at a time
  for (const Check& check : plan_checks(job, true)) {
    std::vector<std::size_t> off;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(check.placement.at(i) % 4, 0U);
      if (check.placement.at(i) % 16 != 0) off.push_back(i);
    }
    misaligned[check.case_index].insert(off.size());
    if (off.size() == 1) apart.insert(off.front());
  }
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(misaligned[i], (std::set<std::size_t>{0, 1, 3}));
  EXPECT_EQ(apart, (std::set<std::size_t>{0, 1, 2}));
}

TEST(CheckPlan, ASearchShowsSomeWorkloadsAndLongShapesAtOddAddresses) {
  DeviceJob job = plan_job(1, 1, 40);
  job.uses = {CaseUse::workload, CaseUse::stretched};
  job.cases[1].flops = middling;
  job.whole_launches = false;
  const auto odd = [&](std::size_t case_index) {
    std::size_t count = 0;
    for (const Check& check : plan_checks(job, true)) {
      const bool off = std::any_of(check.placement.begin(), check.placement.end(),
                                   [](std::uint32_t distance) { return distance % 16 != 0; });
      count += check.case_index == case_index && off ? 1 : 0;
    }
    return count;
  };
  EXPECT_GT(odd(0), 3U);
  EXPECT_LT(odd(0), 30U) << "most stay aligned: vector paths have to be seen, too";
  std::set<std::size_t> of_long;
  for (const char* ptx : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    job.artifact.ptx = ptx;
    of_long.insert(odd(1));
  }
  EXPECT_EQ(of_long, (std::set<std::size_t>{0, 1})) << "what a variant is decides";
  job.whole_launches = true;
  EXPECT_EQ(odd(0), 0U);
}

TEST(CheckPlan, OnlySearchesSampleBlocksAndOnlyOnTheVirtualDevice) {
  DeviceJob job = plan_job(1, 1, 1);
  job.cases[0].flops = 2e9;
  job.cases[0].launch.grid = {64, 8, 2};
  const auto sampled = [&](bool virtual_device) {
    std::set<std::uint64_t> blocks;
    for (const Check& check : plan_checks(job, virtual_device)) {
      if (check.case_index == 0) blocks.insert(check.blocks.begin(), check.blocks.end());
    }
    return blocks;
  };
  EXPECT_TRUE(sampled(true).empty()) << "whole launches";
  job.whole_launches = false;
  EXPECT_TRUE(sampled(false).empty());
  EXPECT_TRUE(sampled(true).contains(1023)) << "the last block has the tail";
  EXPECT_LT(*sampled(true).rbegin(), 1024U);
  EXPECT_GE(sampled(true).size(), 2U);
  const auto first = sampled(true);
  job.input_seed = 9;
  EXPECT_NE(first, sampled(true)) << "the run's entropy draws them";
  job.cases[0].launch.then = {job.cases[0].launch};
  EXPECT_TRUE(sampled(true).empty()) << "each kernel has what the one before it wrote";
}

// What a kernel leaves as it found it differs then in each byte.
TEST(CheckPlan, IsAFunctionOfTheJob) {
  DeviceJob job = plan_job(1, 2, 2);
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

}  // namespace
}  // namespace evo::evaluators::gates
