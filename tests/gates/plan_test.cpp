#include "evaluators/gates/check_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <array>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/gates/jobs.hpp"

namespace evo::evaluators::gates {
namespace {

DeviceJob job_of(std::size_t full, std::size_t odd, std::size_t sets) {
  DeviceJob job;
  for (std::size_t i = 0; i < full + odd; ++i) {
    job.cases.push_back(tests::vector_add_case(static_cast<std::int64_t>(100 - i), false, std::to_string(i)));
  }
  for (std::size_t i = 0; i < sets; ++i) job.input_sets.push_back({std::to_string(i), "normal", {}});
  job.workload_count = full;
  return job;
}

/// Above light_flops, so that not every set is owed, and below what is heavy on the virtual device.
constexpr double middling = 4e6;

std::map<std::size_t, std::set<std::size_t>> sets_seen(const DeviceJob& job, bool virtual_device) {
  std::map<std::size_t, std::set<std::size_t>> seen;
  for (const Check& check : plan_checks(job, virtual_device)) seen[check.case_index].insert(check.set_index);
  return seen;
}

RC_GTEST_PROP(CheckPlan, LightCasesSeeEverySetOnEveryDevice, ()) {
  const auto full = *rc::gen::inRange<std::size_t>(1, 4);
  const auto odd = *rc::gen::inRange<std::size_t>(0, 7);
  const auto sets = *rc::gen::inRange<std::size_t>(1, 6);
  DeviceJob job = job_of(full, odd, sets);
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
  DeviceJob job = job_of(2, 5, 3);
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
  DeviceJob job = job_of(1, 4, 4);
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
  DeviceJob job = job_of(1, 2, 6);
  job.declared_sets = 2;
  for (model::Case& bound : job.cases) bound.flops = middling;
  job.cases[2].flops = 10;
  EXPECT_EQ(sets_seen(job, false).at(0), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(sets_seen(job, false).at(2).size(), 6U);
  EXPECT_EQ(sets_seen(job, true).at(2).size(), 6U);
}

TEST(CheckPlan, HeavyWorkloadsOnTheVirtualDeviceSeeTwoSetsAndNoDeclaredOneIsLost) {
  DeviceJob job = job_of(2, 0, 6);
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
  DeviceJob job = job_of(3, 0, 9);
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
  DeviceJob job = job_of(1, 1, 9);
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

TEST(CheckPlan, SweptSizesSeeIntegersThatMatch) {
  DeviceJob job = job_of(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::swept, CaseUse::swept};
  job.declared_sets = 1;
  EXPECT_EQ(sets_seen(job, true).at(1), (std::set<std::size_t>{0}));
  job.input_sets.push_back({"matches everywhere", "matches", {}});
  job.input_sets.push_back({"ones of a", "ones", {{"argument", 0}}});
  job.input_sets.push_back({"ones everywhere", "ones", {}});
  auto seen = sets_seen(job, true);
  seen.at(1).insert(seen.at(2).begin(), seen.at(2).end());
  EXPECT_EQ(seen.at(1), (std::set<std::size_t>{0, 1, 3}));
}

TEST(CheckPlan, AnAxisAloneSeesIntegersThatAreAllTheSame) {
  DeviceJob job = job_of(1, 1, 1);
  job.uses = {CaseUse::workload, CaseUse::alone};
  job.declared_sets = 1;
  for (const char* argument : {"0", "1"})
    job.input_sets.push_back({std::string("ones of ") + argument, "ones", {{"argument", *argument - '0'}}});
  EXPECT_EQ(sets_seen(job, true).at(1), (std::set<std::size_t>{0})) << "these are floating-point numbers";
  for (model::Case& bound : job.cases) bound.arguments[1].dtype = model::DType::u8;
  EXPECT_EQ(sets_seen(job, true).at(1), (std::set<std::size_t>{0, 2}));
}

TEST(CheckPlan, AnAxisAloneSeesIntegersThatAreZeroBesideOthers) {
  DeviceJob job = job_of(1, 1, 1);
  job.uses = {CaseUse::workload, CaseUse::alone};
  job.declared_sets = 1;
  job.input_sets.push_back({"all_zero of 1", "all_zero", {{"argument", 1}}});
  EXPECT_EQ(sets_seen(job, true).at(1), (std::set<std::size_t>{0})) << "a floating-point number";
  for (model::Case& bound : job.cases) bound.arguments[1].dtype = model::DType::u8;
  EXPECT_EQ(sets_seen(job, true).at(1), (std::set<std::size_t>{0, 1}));
  for (model::Case& bound : job.cases) bound.arguments[0].role = model::ArgumentRole::output;
  EXPECT_EQ(sets_seen(job, true).at(1), (std::set<std::size_t>{0})) << "nothing is beside it";
}

TEST(CheckPlan, WhatIsAloneSeesALoneIntegerOfEitherEnd) {
  DeviceJob job = job_of(1, 4, 1);
  job.uses = {CaseUse::workload, CaseUse::alone, CaseUse::alone, CaseUse::alone, CaseUse::alone};
  job.declared_sets = 1;
  for (const char* kind : {"plateau", "dominant"})
    job.input_sets.push_back({std::string(kind) + " of 1", kind, {{"argument", 1}}});
  const auto seen_by_all = [&] {
    std::set<std::size_t> all;
    const auto seen = sets_seen(job, true);
    for (std::size_t index = 1; index < job.cases.size(); ++index)
      all.insert(seen.at(index).begin(), seen.at(index).end());
    return all;
  };
  EXPECT_EQ(seen_by_all(), (std::set<std::size_t>{0})) << "these are floating-point numbers";
  for (model::Case& bound : job.cases) bound.arguments[1].dtype = model::DType::u8;
  EXPECT_EQ(seen_by_all(), (std::set<std::size_t>{0, 1, 2}));
  job.whole_launches = false;
  EXPECT_EQ(seen_by_all(), (std::set<std::size_t>{0})) << "in a search";
}

TEST(CheckPlan, TheLongestSumOfIntegersSeesBothOfTheirEnds) {
  DeviceJob job = job_of(1, 3, 1);
  job.uses = {CaseUse::workload, CaseUse::swept, CaseUse::named, CaseUse::stretched};
  job.declared_sets = 1;
  for (const char* kind : {"top", "bottom"}) job.input_sets.push_back({kind, kind, {}});
  const std::array<std::int64_t, 4> sizes{300, 4000, 600, 900};
  for (std::size_t i = 0; i < job.cases.size(); ++i) {
    model::Case& bound = job.cases[i];
    for (model::BoundArgument& argument : bound.arguments) {
      if (argument.role == model::ArgumentRole::input) argument.dtype = model::DType::i8;
      if (argument.shape.empty()) continue;
      argument.shape = {model::is_judged(argument.role) ? 2 : sizes[i]};
      argument.strides = {1};
    }
  }
  const auto both = [&](std::size_t index) {
    const auto seen = sets_seen(job, true);
    return seen.at(index).contains(1) && seen.at(index).contains(2);
  };
  EXPECT_TRUE(both(3)) << "450 to an output";
  EXPECT_FALSE(both(2));
  job.whole_launches = false;
  EXPECT_FALSE(both(3)) << "in a search";
  job.whole_launches = true;
  job.cases[3].flops = middling;
  EXPECT_TRUE(both(2)) << "the next that is light";
  for (model::Case& bound : job.cases) {
    for (model::BoundArgument& argument : bound.arguments) {
      if (argument.role == model::ArgumentRole::input) argument.dtype = model::DType::f32;
    }
  }
  EXPECT_FALSE(both(2)) << "of floating-point numbers nothing is counted";
}

TEST(CheckPlan, TheLongestLightCaseSeesIntegersThatAreAllTheSame) {
  DeviceJob job = job_of(1, 3, 1);  // 100, 99, 98 and 97 elements
  job.uses = {CaseUse::workload, CaseUse::swept, CaseUse::named, CaseUse::named};
  job.declared_sets = 1;
  job.input_sets.push_back({"ones of 1", "ones", {{"argument", 1}}});
  for (model::Case& bound : job.cases) bound.arguments[1].dtype = model::DType::u8;
  job.whole_launches = false;
  EXPECT_FALSE(sets_seen(job, true).at(2).contains(1)) << "in a search";
  job.whole_launches = true;
  EXPECT_TRUE(sets_seen(job, true).at(2).contains(1));
  EXPECT_FALSE(sets_seen(job, true).at(3).contains(1));
  job.cases[2].flops = middling;
  EXPECT_TRUE(sets_seen(job, true).at(3).contains(1)) << "the next that is light";
  for (model::Case& bound : job.cases) bound.arguments[1].dtype = model::DType::f32;
  EXPECT_FALSE(sets_seen(job, true).at(3).contains(1));
}

TEST(CheckPlan, AnAxisAloneSeesStretchesOfEqualsInTurn) {
  DeviceJob job = job_of(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::alone, CaseUse::alone};
  job.declared_sets = 1;
  job.input_sets.push_back({"late_spike of a", "late_spike", {{"argument", 0}}});
  job.input_sets.push_back({"runs of b", "runs", {{"argument", 1}}});
  auto seen = sets_seen(job, true);
  seen.at(1).insert(seen.at(2).begin(), seen.at(2).end());
  EXPECT_EQ(seen.at(1), (std::set<std::size_t>{0, 1, 2}));
}

TEST(CheckPlan, LastElementsOfEachArrayMatterInTurn) {
  DeviceJob job = job_of(1, 4, 1);
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
  DeviceJob job = job_of(1, 6, 1);
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
  DeviceJob job = job_of(1, 3, 1);
  EXPECT_EQ(repeated_case(job, true), 0U);
  job.cases[0].flops = 2e9;
  EXPECT_EQ(repeated_case(job, true), 1U);
  EXPECT_EQ(repeated_case(job, false), 0U);
  job.uses = {CaseUse::workload, CaseUse::stretched, CaseUse::odd, CaseUse::odd};
  EXPECT_EQ(repeated_case(job, true), 2U);
}

TEST(CheckPlan, FarViewsSeeTwoSetsOnEveryDevice) {
  DeviceJob job = job_of(1, 4, 4);
  model::Case far = tests::vector_add_case(3, false, "far");
  far.arguments[2].strides = {std::int64_t{1} << 35};
  job.cases.insert(job.cases.begin() + 2, far);
  EXPECT_EQ(sets_seen(job, true).at(2), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(sets_seen(job, false).at(2), (std::set<std::size_t>{0, 1}));
  EXPECT_EQ(sets_seen(job, false).at(3).size(), 4U);
}

TEST(CheckPlan, APlacedCaseHasEachArrayAtEachAlignmentOfItsElementsApart) {
  DeviceJob job = job_of(1, 1, 2);
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
  DeviceJob job = job_of(1, 3, 4);
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

TEST(CheckPlan, LongCrossedRowsSeeLateSpikesAndNegativeNumbers) {
  DeviceJob job = job_of(1, 2, 2);
  job.uses = {CaseUse::workload, CaseUse::crossed, CaseUse::crossed};
  job.reduced_axes = {"n"};
  for (model::Case& bound : job.cases) bound.axes["n"] = 300;
  job.declared_sets = 2;
  job.input_sets.push_back({"late_spike everywhere", "late_spike", {}});
  job.input_sets.push_back({"huge_negative everywhere", "huge_negative", {}});
  const auto seen = sets_seen(job, true);
  EXPECT_EQ(seen.at(1).size() + seen.at(2).size(), 4U);
  EXPECT_TRUE(seen.at(1).contains(3) || seen.at(2).contains(3));
  EXPECT_TRUE(seen.at(1).contains(2) || seen.at(2).contains(2));
}

TEST(CheckPlan, LongCrossedCasesSeeIndicesThatLeadOn) {
  DeviceJob job = job_of(1, 2, 2);
  job.uses = {CaseUse::workload, CaseUse::crossed, CaseUse::crossed};
  job.declared_sets = 2;
  const auto chains = [&](std::int64_t n) {
    for (model::Case& bound : job.cases) bound.axes["n"] = n;
    std::set<std::size_t> seen;
    for (const Check& check : plan_checks(job, true)) {
      if (check.case_index > 0 && check.set_index >= 2) seen.insert(check.set_index);
    }
    return seen;
  };
  for (int i = 0; i < 30; ++i) job.input_sets.push_back({"ties", "ties", {}});
  const std::size_t before = chains(300).size();
  job.input_sets.push_back({"next everywhere", "next", {}});
  job.input_sets.push_back({"path everywhere", "path", {}});
  EXPECT_EQ(chains(300).size(), before + 2);
  EXPECT_EQ(chains(20).size(), before) << "no chain is long there";
}

TEST(CheckPlan, AThresholdOfOneMeetsTies) {
  DeviceJob job = job_of(1, 1, 1);
  job.uses = {CaseUse::workload, CaseUse::changed};
  job.declared_sets = 1;
  for (int i = 0; i < 6; ++i) job.input_sets.push_back({"falling", "falling", {}});
  job.input_sets.push_back({"ties everywhere", "ties", {}});
  const std::size_t ties = job.input_sets.size() - 1;
  const auto sees = [&](double threshold) {
    for (model::Case& bound : job.cases)
      bound.arguments = {tests::scalar_argument("r", model::DType::f32, 0.7)};
    job.cases[1].arguments[0].scalar_float = threshold;
    return sets_seen(job, true).at(1).contains(ties);
  };
  EXPECT_TRUE(sees(1));
  EXPECT_TRUE(sees(-0.5));
  job.whole_launches = false;
  EXPECT_FALSE(sees(1) && sees(0.5) && sees(-1)) << "in a search";
}

TEST(CheckPlan, AScalarFarBelowTheUsualMeetsSmallNumbers) {
  DeviceJob job = job_of(1, 1, 1);
  job.uses = {CaseUse::workload, CaseUse::changed};
  job.declared_sets = 1;
  for (int i = 0; i < 6; ++i) job.input_sets.push_back({"falling", "falling", {}});
  job.input_sets.push_back({"small of x", "small", {{"argument", 0}}});
  for (int i = 0; i < 6; ++i) job.input_sets.push_back({"falling", "falling", {}});
  job.input_sets.push_back({"small everywhere", "small", {}});
  const auto sees = [&](double little) {
    for (model::Case& bound : job.cases)
      bound.arguments = {tests::scalar_argument("r", model::DType::f32, 0.7)};
    job.cases[1].arguments[0].scalar_float = little;
    return sets_seen(job, true).at(1).contains(job.input_sets.size() - 1);
  };
  EXPECT_TRUE(sees(0.7 / 1024));
  EXPECT_FALSE(sees(0.35)) << "about as usual";
}

TEST(CheckPlan, SomeOfWhatIsAloneHardlyDiffers) {
  DeviceJob job = job_of(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::alone, CaseUse::alone};
  job.declared_sets = 1;
  for (int i = 0; i < 9; ++i) job.input_sets.push_back({"falling", "falling", {}});
  job.input_sets.push_back({"near_comb everywhere", "near_comb", {}});
  for (model::Case& bound : job.cases) {
    bound.arguments.push_back(
        tests::array_argument("place", model::ArgumentRole::output, model::DType::i32, {1}));
  }
  const auto seen = sets_seen(job, true);
  const std::size_t close = job.input_sets.size() - 1;
  EXPECT_NE(seen.at(1).contains(close), seen.at(2).contains(close));
  for (model::Case& bound : job.cases) bound.arguments.back().dtype = model::DType::f32;
  const auto of_numbers = sets_seen(job, true);
  EXPECT_FALSE(of_numbers.at(1).contains(close) || of_numbers.at(2).contains(close));
  for (model::Case& bound : job.cases) bound.arguments.back().dtype = model::DType::i32;
  job.whole_launches = false;
  const auto in_a_search = sets_seen(job, true);
  EXPECT_FALSE(in_a_search.at(1).contains(close) || in_a_search.at(2).contains(close));
}

TEST(CheckPlan, AnIntegerThatNobodyDeclaredMeetsValuesThatGrowAndFall) {
  DeviceJob job = job_of(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::unusual, CaseUse::unusual};
  job.declared_sets = 1;
  for (const char* kind : {"ones", "rising", "falling"}) job.input_sets.push_back({kind, kind, {}});
  const auto ordered_seen = [&](std::size_t index) {
    const auto seen = sets_seen(job, true).at(index);
    return seen.contains(2) + seen.contains(3);
  };
  job.cases[1].undeclared_scalar = job.cases[2].undeclared_scalar = 0;
  EXPECT_EQ(ordered_seen(1), 2);
  EXPECT_EQ(ordered_seen(2), 2);
  job.cases[1].undeclared_scalar = job.cases[2].undeclared_scalar = std::nullopt;
  EXPECT_LT(ordered_seen(1) + ordered_seen(2), 4);
}

TEST(CheckPlan, AnotherFlagMeetsZerosAndEquals) {
  DeviceJob job = job_of(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::changed, CaseUse::ranged};
  job.declared_sets = 1;
  for (int i = 0; i < 6; ++i) job.input_sets.push_back({"falling", "falling", {}});
  job.input_sets.push_back({"ties everywhere", "ties", {}});
  job.input_sets.push_back({"matches everywhere", "matches", {}});
  job.input_sets.push_back({"ones of a", "ones", {}});
  const std::size_t ties = job.input_sets.size() - 3;
  for (model::Case& bound : job.cases) {
    bound.arguments = {tests::scalar_argument("flag", model::DType::i32, 0)};
    bound.arguments[0].scalar_integer = 1;
    bound.arguments[0].scalar_range = model::ValueRange{1, 1};
  }
  const auto both_see = [&] {
    const auto seen = sets_seen(job, true);
    const auto both = [&](std::size_t set) { return seen.at(1).contains(set) && seen.at(2).contains(set); };
    return both(ties) && both(ties + 1) && both(ties + 2);
  };
  for (const std::size_t index : {1U, 2U}) {
    job.cases[index].arguments[0].scalar_integer = 0;
    job.cases[index].arguments[0].scalar_range = model::ValueRange{0, 1};
  }
  EXPECT_TRUE(both_see());
  job.cases[0].arguments[0].scalar_range = model::ValueRange{1, 4096};
  EXPECT_FALSE(both_see()) << "a size, which other shapes change";
  job.cases[0].arguments[0].scalar_range = model::ValueRange{1, 1};
  job.whole_launches = false;
  EXPECT_FALSE(both_see()) << "in a search";
}

TEST(CheckPlan, TwoOtherIntegersMeetNumbersAtTheEnds) {
  DeviceJob job = job_of(1, 3, 1);
  job.uses = {CaseUse::workload, CaseUse::ranged, CaseUse::ranged, CaseUse::changed};
  job.declared_sets = 1;
  for (int i = 0; i < 9; ++i) job.input_sets.push_back({"falling", "falling", {}});
  const std::size_t top = job.input_sets.size();
  job.input_sets.push_back({"top of a", "top", {{"argument", 0}}});
  job.input_sets.push_back({"top everywhere", "top", {}});
  job.input_sets.push_back({"bottom everywhere", "bottom", {}});
  for (model::Case& bound : job.cases) {
    bound.arguments.clear();
    for (int i = 0; i < 2; ++i) {
      bound.arguments.push_back(tests::scalar_argument("s", model::DType::i32, 0));
      bound.arguments.back().scalar_range = model::ValueRange{1, 1};
      bound.arguments.back().scalar_integer = 1;
    }
  }
  for (const std::size_t index : {1U, 3U})
    for (model::BoundArgument& scalar : job.cases[index].arguments) scalar.scalar_integer = 5;
  job.cases[2].arguments[0].scalar_integer = 5;
  const auto seen = sets_seen(job, true);
  const auto both = [&](std::size_t index) {
    return seen.at(index).contains(top + 1) && seen.at(index).contains(top + 2);
  };
  EXPECT_TRUE(both(1));
  EXPECT_FALSE(both(2)) << "one alone";
  EXPECT_FALSE(both(3)) << "of no range";
}

TEST(CheckPlan, WhatIsAloneHoldsTheScalar) {
  DeviceJob job = job_of(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::alone, CaseUse::alone};
  job.declared_sets = 1;
  for (int i = 0; i < 9; ++i) job.input_sets.push_back({"falling", "falling", {}});
  job.input_sets.push_back({"scalar everywhere", "scalar", {}});
  const auto seen = sets_seen(job, true);
  EXPECT_TRUE(seen.at(1).contains(job.input_sets.size() - 1) &&
              seen.at(2).contains(job.input_sets.size() - 1));
}

TEST(CheckPlan, CrossedCasesSeeIntegersThatMatch) {
  DeviceJob job = job_of(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::crossed, CaseUse::crossed};
  job.declared_sets = 1;
  job.input_sets.push_back({"falling", "falling", {}});
  job.input_sets.push_back({"ones everywhere", "ones", {}});
  const auto sees = [&](std::size_t set) {
    const auto seen = sets_seen(job, true);
    return seen.at(1).contains(set) && seen.at(2).contains(set);
  };
  EXPECT_FALSE(sees(2)) << "nothing matches";
  job.input_sets.push_back({"matches everywhere", "matches", {}});
  EXPECT_TRUE(sees(2));
  EXPECT_TRUE(sees(3));
  job.whole_launches = false;
  EXPECT_FALSE(sees(3)) << "in a search";
}

TEST(CheckPlan, ASearchShowsSomeWorkloadsAndLongShapesAtOddAddresses) {
  DeviceJob job = job_of(1, 1, 40);
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
  DeviceJob job = job_of(1, 1, 1);
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

}  // namespace
}  // namespace evo::evaluators::gates
