// Which numbers a case is shown: ends, equals, ties, spikes.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/gates/plan_jobs.hpp"

namespace evo::evaluators::gates {
namespace {

TEST(CheckPlan, SweptSizesSeeIntegersThatMatch) {
  DeviceJob job = plan_job(1, 2, 1);
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
  DeviceJob job = plan_job(1, 1, 1);
  job.uses = {CaseUse::workload, CaseUse::alone};
  job.declared_sets = 1;
  for (const char* argument : {"0", "1"})
    job.input_sets.push_back({std::string("ones of ") + argument, "ones", {{"argument", *argument - '0'}}});
  EXPECT_EQ(sets_seen(job, true).at(1), (std::set<std::size_t>{0})) << "these are floating-point numbers";
  for (model::Case& bound : job.cases) bound.arguments[1].dtype = model::DType::u8;
  EXPECT_EQ(sets_seen(job, true).at(1), (std::set<std::size_t>{0, 2}));
}

TEST(CheckPlan, AnAxisAloneSeesIntegersThatAreZeroBesideOthers) {
  DeviceJob job = plan_job(1, 1, 1);
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
  DeviceJob job = plan_job(1, 4, 1);
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
  DeviceJob job = plan_job(1, 3, 1);
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
  DeviceJob job = plan_job(1, 3, 1);  // 100, 99, 98 and 97 elements
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
  DeviceJob job = plan_job(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::alone, CaseUse::alone};
  job.declared_sets = 1;
  job.input_sets.push_back({"late_spike of a", "late_spike", {{"argument", 0}}});
  job.input_sets.push_back({"runs of b", "runs", {{"argument", 1}}});
  auto seen = sets_seen(job, true);
  seen.at(1).insert(seen.at(2).begin(), seen.at(2).end());
  EXPECT_EQ(seen.at(1), (std::set<std::size_t>{0, 1, 2}));
}

TEST(CheckPlan, LongCrossedRowsSeeLateSpikesAndNegativeNumbers) {
  DeviceJob job = plan_job(1, 2, 2);
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
  DeviceJob job = plan_job(1, 2, 2);
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
  DeviceJob job = plan_job(1, 1, 1);
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
  DeviceJob job = plan_job(1, 1, 1);
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
  DeviceJob job = plan_job(1, 2, 1);
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
  DeviceJob job = plan_job(1, 2, 1);
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
  DeviceJob job = plan_job(1, 2, 1);
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
  DeviceJob job = plan_job(1, 3, 1);
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
  DeviceJob job = plan_job(1, 2, 1);
  job.uses = {CaseUse::workload, CaseUse::alone, CaseUse::alone};
  job.declared_sets = 1;
  for (int i = 0; i < 9; ++i) job.input_sets.push_back({"falling", "falling", {}});
  job.input_sets.push_back({"scalar everywhere", "scalar", {}});
  const auto seen = sets_seen(job, true);
  EXPECT_TRUE(seen.at(1).contains(job.input_sets.size() - 1) &&
              seen.at(2).contains(job.input_sets.size() - 1));
}

TEST(CheckPlan, CrossedCasesSeeIntegersThatMatch) {
  DeviceJob job = plan_job(1, 2, 1);
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

}  // namespace
}  // namespace evo::evaluators::gates
