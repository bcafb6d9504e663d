// What the correctness gate derives from a problem, for the shipped one and for those of the attack suite
// alike.
#include "evaluators/gates/case_matrix.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/launch_limits.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/kernels/derived_cases.hpp"

namespace evo::evaluators::gates {
namespace {

TEST(CaseMatrix, OneCheapLaunchHasMoreBlocksThanABlockHasThreads) {
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const Derived derived("flag_add", {"w", 1, {{"n", 1000}}}, entropy);
    const auto many = derived.of(CaseUse::named);
    ASSERT_EQ(many.size(), 1U);
    EXPECT_GT(many.front()->launch.grid[0], 256U);
    EXPECT_LT(many.front()->launch.grid[0], 300U);
  }
  const Derived dear("attention_forward", attention, 1, false, false);
  EXPECT_TRUE(dear.of(CaseUse::named).empty());
}

TEST(CaseMatrix, EachAxisAtItsFirstSizesAndAllAtTheirLeast) {
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const Derived derived("int_transpose", {"w", 1, {{"rows", 33}, {"columns", 65}}}, entropy);
    std::map<std::string, std::set<std::int64_t>> beside_more;
    bool all_least = false;
    for (const model::Case* bound : derived.of(CaseUse::swept)) {
      const std::int64_t rows = bound->axes.at("rows"), columns = bound->axes.at("columns");
      all_least = all_least || (rows == 1 && columns == 1);
      if (columns > 8) beside_more["rows"].insert(rows);
      if (rows > 8) beside_more["columns"].insert(columns);
    }
    EXPECT_TRUE(all_least);
    for (const std::int64_t size : {1, 2, 3, 4}) {
      EXPECT_TRUE(beside_more["rows"].contains(size)) << size;
      EXPECT_TRUE(beside_more["columns"].contains(size)) << size;
    }
  }
}

TEST(CaseMatrix, TwoAxesAreEqualBeyondAFewTilesAndOneIsTwiceTheOther) {
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const Derived derived("int_transpose", {"w", 1, {{"rows", 33}, {"columns", 65}}}, entropy);
    bool small = false, large = false, longer = false, wider = false;
    for (const model::Case* bound : derived.of(CaseUse::crossed)) {
      const std::int64_t rows = bound->axes.at("rows"), columns = bound->axes.at("columns");
      small = small || (rows == columns && rows < 64);
      large = large || (rows == columns && rows > 128);
      longer = longer || (rows == 2 * columns && columns > 16);
      wider = wider || (columns == 2 * rows && rows > 16);
    }
    EXPECT_TRUE(small);
    EXPECT_TRUE(large);
    EXPECT_TRUE(longer);
    EXPECT_TRUE(wider);
  }
}

TEST(CaseMatrix, DrawnSizesDifferAndFollowTheEntropy) {
  std::set<std::int64_t> sequences, heads;
  for (std::uint64_t entropy = 0; entropy < 12; ++entropy) {
    const Derived derived("attention_forward", attention, entropy);
    ASSERT_GE(derived.of(CaseUse::drawn).size(), 2U);
    const auto& first = derived.of(CaseUse::drawn).front()->axes;
    EXPECT_EQ((std::set{first.at("batch"), first.at("heads"), first.at("seq")}).size(), 3U);
    for (const model::Case* bound : derived.of(CaseUse::drawn)) {
      sequences.insert(bound->axes.at("seq"));
      heads.insert(bound->axes.at("heads"));
    }
    EXPECT_GE(derived.of(CaseUse::placed).size(), 1U);
    EXPECT_EQ(derived.of(CaseUse::placed)[0]->axes.at("seq") % 32, 0) << "vector paths are taken";
  }
  EXPECT_GT(sequences.size(), 8U);
  EXPECT_GT(*heads.rbegin(), 6);
}

TEST(CaseMatrix, OneAxisGoesBeyondTenTilesAndEightBitsAndWhereThatIsCheapBeyondSixteen) {
  const Derived long_sequence("attention_forward", attention, 3);
  std::map<std::string, std::int64_t> most;
  for (const model::Case* bound : long_sequence.of(CaseUse::stretched)) {
    for (const char* axis : {"batch", "heads", "seq"})
      most[axis] = std::max(most[axis], bound->axes.at(axis));
  }
  EXPECT_GT(most["seq"], 10 * 32);
  EXPECT_GT(most["heads"], 256);
  EXPECT_GT(most["batch"], 256);
  const Derived vector("vector_add", {"w", 1, {{"n", 1000}, {"c_stride", 1}}}, 3);
  std::int64_t longest = 0;
  for (const model::Case* bound : vector.of(CaseUse::stretched))
    longest = std::max(longest, bound->axes.at("n"));
  EXPECT_GT(longest, 65536);
}

TEST(CaseMatrix, EveryRemainderOfTheLargestAxisAndEveryValueOfASmallOneOccur) {
  for (std::uint64_t entropy = 0; entropy < 10; ++entropy) {
    const Derived derived("attention_forward", attention, entropy);
    std::set<std::int64_t> remainders, halves;
    for (const model::Case* bound : derived.of(CaseUse::swept)) {
      remainders.insert(bound->axes.at("seq") % 16);
      halves.insert(bound->axes.at("seq") % 32);
    }
    EXPECT_EQ(remainders.size(), 16U);
    EXPECT_TRUE(halves.contains(16)) << "whole tiles of 16 that are no whole tiles of 32";
    const Derived vector("vector_add", {"w", 1, {{"n", 1000}, {"c_stride", 3}}}, entropy);
    std::set<std::int64_t> strides;
    for (const model::Case* bound : vector.of(CaseUse::swept)) strides.insert(bound->axes.at("c_stride"));
    EXPECT_EQ(strides.size(), 8U);
    const auto placed = vector.of(CaseUse::placed);
    EXPECT_TRUE(std::any_of(placed.begin(), placed.end(), [](const model::Case* bound) {
      return bound->axes.at("c_stride") == 1;
    })) << "as for a workload that a vector path is for";
  }
}

TEST(CaseMatrix, AnAxisEndsShortOfItsMaximum) {
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const Derived rows("row_softmax", {"w", 1, {{"rows", 8}, {"columns", 500}}}, entropy);
    std::int64_t longest = 0;
    for (const model::Case* bound : rows.of(CaseUse::stretched))
      longest = std::max(longest, bound->axes.at("columns"));
    EXPECT_GT(longest, 32768);
    EXPECT_LT(longest, 65536) << "a power of two hides tails";
  }
}

TEST(CaseMatrix, AllAxesAreLargeAtOnceAndRowsFollowEachOtherWithoutGaps) {
  const Derived rows("row_softmax", {"w", 1, {{"rows", 8}, {"columns", 500}}}, 3);
  const auto stretched = rows.of(CaseUse::stretched);
  EXPECT_TRUE(std::any_of(stretched.begin(), stretched.end(), [](const model::Case* bound) {
    return bound->axes.at("rows") > 256 && bound->axes.at("columns") > 256;
  }));
  const Derived pitched("pitched_add", {"w", 1, {}}, 3);
  bool packed = false;
  for (const model::Case* bound : pitched.of(CaseUse::changed)) {
    const model::BoundArgument& array = bound->arguments.front();
    packed = packed || (array.shape.back() % 64 == 0 && array.strides.front() == array.shape.back());
  }
  EXPECT_TRUE(packed);
}

TEST(CaseMatrix, AxesKeepToTheirBoundsAndFlagsToTheirValues) {
  for (const char* problem : {"attention_forward", "vector_add", "row_softmax", "saxpy", "far_add"}) {
    for (std::uint64_t entropy = 0; entropy < 6; ++entropy) {
      const Derived derived(problem, problem[0] == 'a' ? attention : model::Workload{"w", 1, {}}, entropy,
                            true);
      EXPECT_FALSE(derived.cases.empty());
      for (const DerivedCase& one : derived.cases) {
        for (const model::Axis& axis : derived.experiment.problem.axes) {
          const std::int64_t value = one.bound.axes.at(axis.name);
          EXPECT_EQ(legal_value(axis, value), value) << problem << " " << axis.name;
          EXPECT_TRUE(axis.allowed.empty() ||
                      std::find(axis.allowed.begin(), axis.allowed.end(), value) != axis.allowed.end());
        }
        EXPECT_FALSE(oracle::has_64bit_strides(one.bound));
      }
    }
  }
}

TEST(CaseMatrix, SizesThatNothingLaunchesAreTold) {
  model::Experiment rows = experiment_of("pitched_add", {"w", 1, {}});
  TemplateContext context = make_context(rows, rows.problem.templates.front());
  EXPECT_TRUE(unlaunchable_sizes(context, context.space.initial(), {}).empty());
  rows.problem.axes.front().maximum = 200000;
  context = make_context(rows, rows.problem.templates.front());
  const auto notes = unlaunchable_sizes(context, context.space.initial(), {});
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].kind, "cannot_launch");
  EXPECT_EQ(notes[0].details,
            (std::vector<std::pair<std::string, std::string>>{{"axis", "rows"}, {"largest", "65535"}}));
}

TEST(CaseMatrix, OneOfThreeAxesIsTheSumOrTheProductOfTheOthers) {
  const Derived derived("product", {"w", 1, {{"m", 24}, {"n", 40}, {"k", 32}}}, 3);
  std::set<std::string> sums, products;
  for (const model::Case* bound : derived.of(CaseUse::crossed)) {
    for (const auto& [of, a, b] : {std::tuple("m", "n", "k"), {"n", "m", "k"}, {"k", "m", "n"}}) {
      const std::int64_t size = bound->axes.at(of), first = bound->axes.at(a), second = bound->axes.at(b);
      if (first < 5 || second < 5) continue;
      if (size == first + second) sums.insert(of);
      if (size == first * second) products.insert(of);
    }
  }
  EXPECT_EQ(sums.size(), 3U);
  EXPECT_EQ(products.size(), 3U);
}

TEST(CaseMatrix, BesideWhatTheCodeComparesWithOtherAxesAreOddToo) {
  const model::Experiment experiment = experiment_of("product", {"w", 1, {{"m", 24}, {"n", 40}, {"k", 32}}});
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  bool found = false;
  for (const DerivedCase& derived :
       derive_cases(context, context.space.initial(), {}, 5, {false, false, 0, true, {96}})) {
    const auto& axes = derived.bound.axes;
    found = found ||
            (derived.use == CaseUse::named && axes.at("k") == 96 && axes.at("m") == 3 && axes.at("n") == 5);
  }
  EXPECT_TRUE(found);
}

TEST(CaseMatrix, AxesStandAtWhatTheCodeComparesWith) {
  const model::Experiment experiment = experiment_of("vector_add", {"w", 1, {{"n", 1000}}});
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  const auto sizes = [&](const std::vector<std::int64_t>& constants) {
    std::set<std::int64_t> found;
    for (const DerivedCase& derived :
         derive_cases(context, context.space.initial(), {}, 5, {false, false, 0, true, constants})) {
      if (derived.use == CaseUse::named) found.insert(derived.bound.axes.at("n"));
    }
    return found;
  };
  EXPECT_EQ(sizes({}).size(), 2U) << "one with many blocks, and the largest";
  const auto found = sizes({123457, 9001, 5000000});
  for (const std::int64_t size : {123456, 123457, 123458, 123459, 9000, 9001, 9002, 9003})
    EXPECT_TRUE(found.contains(size));
  EXPECT_GT(*found.rbegin(), 9001 * 64) << "the grid has a block 9001";
  EXPECT_LE(*found.rbegin(), 1048576) << "no larger than the axis";
}

/// The numbers that a floating-point scalar is shown at one size, where they are the most.
std::set<double> shown_of(const std::string& problem, const std::string& name,
                          const std::vector<std::int64_t>& named) {
  const model::Experiment experiment = experiment_of(problem, {"w", 1, {{"n", 1000}}});
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  const auto& arguments = experiment.problem.arguments;
  const auto index = static_cast<std::size_t>(std::ranges::find(arguments, name, &model::Argument::name) -
                                              arguments.begin());
  Extent extent{false, false, 0, true};
  extent.scalars[index] = named;
  std::map<std::int64_t, std::set<double>> at_sizes;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 5, extent)) {
    if (derived.use == CaseUse::changed && derived.bound.name.find(", " + name + " = ") != std::string::npos)
      at_sizes[derived.bound.axes.at("n")].insert(derived.bound.arguments[index].scalar_float);
  }
  const auto most = std::ranges::max_element(at_sizes, {}, [](const auto& one) { return one.second.size(); });
  return most == at_sizes.end() ? std::set<double>() : most->second;
}

TEST(CaseMatrix, ScalarsStandAtWhatTheCodeComparesWith) {
  const std::set<double> usual = shown_of("blend", "alpha", {}), named = shown_of("blend", "alpha", {77777});
  EXPECT_GT(usual.size(), 3U);
  EXPECT_FALSE(usual.contains(77777));
  EXPECT_TRUE(named.contains(77777)) << "alone, at the size at which others are shown";
}

TEST(CaseMatrix, OneAxisGoesBeyondTheWholeNumbersOfAFloat) {
  model::Experiment experiment = experiment_of("vector_add", {"w", 1, {{"n", 1000}}});
  for (model::Axis& axis : experiment.problem.axes) axis.maximum.reset();
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  const auto longest = [&](Extent extent) {
    std::int64_t most = 0;
    for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 5, extent))
      most = std::max(most, derived.bound.axes.at("n"));
    return most;
  };
  const std::int64_t whole = std::int64_t{1} << 24;
  EXPECT_LT(longest({}), whole);
  EXPECT_GT(longest({.beyond_floats = true}), whole);
  EXPECT_LT(longest({.beyond_floats = true, .reduced = {"n"}}), whole) << "a float cannot take such a sum";
  EXPECT_LT(longest({.blocks_wait = true, .beyond_floats = true}), whole) << "blocks that wait take minutes";
}

TEST(CaseMatrix, LargeSizesOfOneAxisMeetOthersBeyondOneAndTwoAxesAreEqual) {
  bool own = false, whole = false;
  for (std::uint64_t entropy = 0; entropy < 8; ++entropy) {
    const Derived rows("row_softmax", {"w", 1, {{"rows", 8}, {"columns", 500}}}, entropy);
    bool large = false, huge = false, equal = false;
    for (const model::Case* bound : rows.of(CaseUse::crossed)) {
      const std::int64_t r = bound->axes.at("rows"), c = bound->axes.at("columns");
      large = large || (r > 1 && c > 300);
      huge = huge || (r > 1 && c > 1024);
      whole = whole || (r > 1 && c > 300 && c % 256 == 0);
      equal = equal || (r == c && r > 16);
      own = own || (r != 8 && c == 500);
    }
    EXPECT_TRUE(large && huge && equal) << entropy;
  }
  EXPECT_TRUE(own && whole) << "most runs have these";
}

TEST(CaseMatrix, CheapAxesGoBeyondTwentyBitsWhereNobodySearches) {
  const auto longest = [](const Derived& derived) {
    std::int64_t n = 0;
    for (const model::Case* bound : derived.of(CaseUse::crossed)) n = std::max(n, bound->axes.at("n"));
    return n;
  };
  const Derived all("vector_add", {"w", 1, {{"n", 1000}, {"c_stride", 1}}}, 3);
  EXPECT_GT(longest(all), 3 << 18) << "the axis ends at 2^20";
  bool beyond_17_bits = false;
  for (const model::Case* bound : all.of(CaseUse::crossed))
    beyond_17_bits = beyond_17_bits || (bound->axes.at("n") > 1 << 17 && bound->axes.at("n") < 1 << 18);
  EXPECT_TRUE(beyond_17_bits);
}

TEST(CaseMatrix, ATrialOfASearchSeesAFewCrossedCasesThatItsNumberChooses) {
  model::Experiment experiment = experiment_of("row_softmax", {"w", 1, {{"rows", 8}, {"columns", 500}}});
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  std::set<std::string> all;
  for (std::uint64_t number = 1; number < 40; ++number) {
    std::size_t crossed = 0;
    for (const DerivedCase& derived :
         derive_cases(context, context.space.initial(), {}, 5, {false, false, number, true})) {
      if (derived.use != CaseUse::crossed && derived.use != CaseUse::rescaled) continue;
      ++crossed;
      std::string axes;
      for (const auto& [axis, value] : derived.bound.axes) axes += std::to_string(value) + " ";
      all.insert(axes);
    }
    EXPECT_LE(crossed, 12U);
  }
  EXPECT_GT(all.size(), 20U) << "others in other trials";
  EXPECT_LT(all.size(), 50U) << "of as many as the run has, so that trials share references";
}

}  // namespace
}  // namespace evo::evaluators::gates
