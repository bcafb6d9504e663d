// What the correctness gate derives from a problem, for the shipped one and for those of the attack suite
// alike.
#include "evaluators/gates/case_matrix.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/gates/correct_for.hpp"
#include "evaluators/gates/grown_bounds.hpp"
#include "evaluators/gates/launch_limits.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/kernels/shipped.hpp"
#include "tests/support/known.hpp"
#include "tests/support/targets.hpp"

namespace evo::evaluators::gates {
namespace {

model::Experiment experiment_of(const std::string& problem, const model::Workload& workload) {
  model::Experiment experiment;
  const auto loaded = config::load_problem(
      problem == "attention_forward" ? problem : EVO_SOURCE_DIR "/suites/attacks/problems/" + problem,
      tests::shipped_path());
  if (!loaded) throw std::runtime_error(loaded.error().text());
  experiment.problem = *loaded;
  experiment.workloads = {workload};
  tests::set_shipped_target(experiment, "l4");
  return experiment;
}

struct Derived {
  Derived(const std::string& problem, const model::Workload& workload, std::uint64_t entropy,
          bool more = false, bool crossed = true)
      : experiment(experiment_of(problem, workload)),
        context(make_context(experiment, experiment.problem.templates.front())),
        cases(derive_cases(context, context.space.initial(), {}, entropy, {more, false, 0, crossed})) {}
  [[nodiscard]] std::vector<const model::Case*> of(CaseUse use) const {
    std::vector<const model::Case*> found;
    for (const DerivedCase& derived : cases) {
      if (derived.use == use) found.push_back(&derived.bound);
    }
    return found;
  }
  model::Experiment experiment;
  TemplateContext context;
  std::vector<DerivedCase> cases;
};

const model::Workload attention{
    "w", 1, {{"batch", 2}, {"heads", 8}, {"seq", 512}, {"head_dim", 64}, {"causal", 0}}};

std::size_t index_of(const model::Case& bound, const std::string& name) {
  const auto found =
      std::find_if(bound.arguments.begin(), bound.arguments.end(),
                   [&](const model::BoundArgument& argument) { return argument.name == name; });
  return static_cast<std::size_t>(found - bound.arguments.begin());
}

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

TEST(CaseMatrix, StridesOfOAreApartFromThoseOfQAndTheKernelIsToldThem) {
  for (std::uint64_t entropy = 0; entropy < 150; ++entropy) {
    SCOPED_TRACE(entropy);
    const Derived derived("attention_forward", attention, entropy, false, false);
    int of_o = 0, of_q = 0;
    bool odd = false;
    std::int64_t widest = 0;
    for (const model::Case* bound : derived.of(CaseUse::changed)) {
      widest = std::max(widest, bound->arguments[3].strides[2]);
      if (bound->name.find("packed strides of all") != std::string::npos) continue;  // one head: no stride
      const auto& q = bound->arguments[0];
      const auto& o = bound->arguments[3];
      EXPECT_EQ(q.strides, bound->arguments[1].strides) << "one set of scalars tells those of Q, K and V";
      EXPECT_FALSE(oracle::overlaps_itself(o));
      for (const auto& [array, prefix] : {std::pair{q, std::string()}, std::pair{o, std::string("o_")}}) {
        std::size_t d = 0;
        for (const char* name : {"batch_stride", "head_stride", "row_stride"}) {
          EXPECT_EQ(bound->arguments[index_of(*bound, prefix + name)].scalar_integer, array.strides[d])
              << name;
          EXPECT_GT(array.shape[d], 1) << "otherwise the stride means nothing";
          ++d;
        }
      }
      if (q.strides == o.strides) continue;
      (bound->name.find("strides of O") != std::string::npos ? of_o : of_q) += 1;
      odd = odd || o.strides[2] % 8 != 0;
    }
    EXPECT_GE(of_o, 2);
    EXPECT_GE(of_q, 2);
    EXPECT_GT(widest, 65536) << "more than 16 bits count";
    EXPECT_TRUE(odd);
  }
}

TEST(CaseMatrix, EachFloatingScalarHasOtherValuesThanItsExpression) {
  for (const char* problem : {"attention_forward", "saxpy"}) {
    const Derived derived(problem, problem[0] == 'a' ? attention : model::Workload{"w", 1, {{"n", 1000}}}, 7);
    const std::string name = problem[0] == 'a' ? "scale" : "alpha";
    std::set<double> values;
    double declared = 0;
    for (const model::Case* bound : derived.of(CaseUse::drawn))
      declared = bound->arguments[index_of(*bound, name)].scalar_float;
    for (const model::Case* bound : derived.of(CaseUse::changed)) {
      const double value = bound->arguments[index_of(*bound, name)].scalar_float;
      if (bound->name.find(name) != std::string::npos) values.insert(value / declared);
    }
    ASSERT_EQ(values.size(), 4U) << problem;
    EXPECT_EQ(values.count(1 / declared), 1U) << "a path for factors of one is taken";
    EXPECT_GT(*values.rbegin() / *values.begin(), 10) << "from below to far above what the expression gives";
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
        EXPECT_FALSE(oracle::has_far_view(one.bound));
      }
    }
  }
}

std::size_t far_among(const Derived& derived) {
  const auto changed = derived.of(CaseUse::changed);
  return static_cast<std::size_t>(
      std::ranges::count_if(changed, [](const model::Case* bound) { return oracle::has_far_view(*bound); }));
}

TEST(CaseMatrix, StridesOf64BitsLeadBeyond32Bits) {
  const Derived pitched("pitched_add", {"w", 1, {}}, 3);
  EXPECT_EQ(far_among(pitched), 1U) << "of one dimension that the kernel is told";
  for (const model::Case* bound : pitched.of(CaseUse::changed)) {
    if (!oracle::has_far_view(*bound)) continue;
    for (const char* array : {"a", "c"})
      EXPECT_GT(bound->arguments[index_of(*bound, array)].strides[0], std::int64_t{1} << 35) << array;
    EXPECT_EQ(bound->arguments[index_of(*bound, "c_pitch")].scalar_integer,
              bound->arguments[index_of(*bound, "c")].strides[0]);
  }
}

TEST(CaseMatrix, StridesOf32BitsAndDeclaredFarViewsGetNoOthers) {
  model::Experiment narrow = experiment_of("pitched_add", {"w", 1, {}});
  for (model::Argument& argument : narrow.problem.arguments) {
    if (argument.name == "c_pitch") argument.dtype = model::DType::i32;
  }
  const TemplateContext context = make_context(narrow, narrow.problem.templates.front());
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 3, {})) {
    EXPECT_LT(derived.bound.arguments[index_of(derived.bound, "c_pitch")].scalar_integer,
              std::int64_t{1} << 31);
  }
  // Of more dimensions each is far once, and whatever lies outside of it stays clear of its parts.
  model::Experiment nested = experiment_of("attention_forward", attention);
  nested.problem.check_workloads.clear();
  const TemplateContext inside = make_context(nested, nested.problem.templates.front());
  std::size_t far = 0;
  for (const DerivedCase& derived : derive_cases(inside, inside.space.initial(), {}, 3, {})) {
    if (derived.use != CaseUse::changed || !oracle::has_far_view(derived.bound)) continue;
    ++far;
    for (const model::BoundArgument& argument : derived.bound.arguments) {
      if (argument.role == model::ArgumentRole::scalar) continue;
      const auto parts = oracle::parts_of(argument);
      for (std::size_t i = 1; i < parts.size(); ++i)
        EXPECT_GE(parts[i].device_offset - parts[i - 1].device_offset, std::int64_t{1} << 36)
            << argument.name;
    }
  }
  EXPECT_EQ(far, 3U);
  EXPECT_EQ(far_among(Derived("attention_forward", attention, 3)), 0U);
  EXPECT_EQ(far_among(Derived("far_add", {"w", 1, {}}, 3)), 0U);
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

TEST(CaseMatrix, ThreeAxesOrMoreAreOnceAllOfOneSize) {
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const Derived derived("attention_forward", attention, entropy, false, false);
    EXPECT_TRUE(std::ranges::any_of(derived.of(CaseUse::swept), [](const model::Case* bound) {
      const auto& axes = bound->axes;
      return axes.at("batch") > 1 && axes.at("heads") == axes.at("batch") &&
             axes.at("seq") == axes.at("batch");
    }));
  }
}

TEST(CaseMatrix, AllAxesAreAtWholeTilesAtOnce) {
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const Derived derived("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}}, entropy, false, false);
    bool different = false, equal = false;
    for (const model::Case* bound : derived.of(CaseUse::swept)) {
      const std::int64_t rows = bound->axes.at("rows"), columns = bound->axes.at("columns");
      if (rows % 64 != 0 || columns % 64 != 0) continue;
      (rows == columns ? equal : different) = true;
    }
    EXPECT_TRUE(different && equal) << entropy;
  }
}

TEST(CaseMatrix, AnAxisIsShownAloneBeyondItsMaximum) {
  model::Experiment rows = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}});
  model::Axis& columns = rows.problem.axes[1];
  columns.maximum = 192;
  columns.alone = 30000;
  columns.multiple_of = 4;
  const TemplateContext context = make_context(rows, rows.problem.templates.front());
  const auto alone = [&](std::uint64_t entropy, Extent extent) {
    std::set<std::int64_t> sizes;
    for (const DerivedCase& derived :
         derive_cases(context, context.space.initial(), {}, entropy, std::move(extent))) {
      const auto& axes = derived.bound.axes;
      if (derived.use != CaseUse::alone) {
        EXPECT_LE(axes.at("columns"), 192) << "with others as large as they get";
        continue;
      }
      EXPECT_LE(axes.at("rows"), 9);
      EXPECT_EQ(axes.at("columns") % 4, 0);
      sizes.insert(axes.at("columns"));
    }
    return sizes;
  };
  std::set<std::int64_t> largest;
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const auto sizes = alone(entropy, {});
    EXPECT_EQ(sizes.size(), 4U) << "each about a quarter of the one before";
    EXPECT_GT(*sizes.begin(), 192);
    EXPECT_GE(*sizes.rbegin(), 30000 * 3 / 4 - 4);
    EXPECT_LE(*sizes.rbegin(), 30000);
    largest.insert(*sizes.rbegin());
    const auto searched = alone(entropy, {.chosen_by = 7 + entropy});
    ASSERT_EQ(searched.size(), 1U) << "a trial of a search sees one";
    EXPECT_TRUE(sizes.contains(*searched.begin()));
  }
  EXPECT_GT(largest.size(), 10U) << "no kernel knows them";
  EXPECT_TRUE(Derived("pitched_add", {"w", 1, {}}, 1).of(CaseUse::alone).empty());
}

TEST(CaseMatrix, ScalarsThatAreNumbersAreZeroOfTheOtherSignAndLarge) {
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    const Derived derived("blend", {"w", 1, {{"n", 1000}}}, entropy);
    for (const auto& [name, usual] : {std::pair("alpha", 1.5), std::pair("beta", 0.5)}) {
      std::set<double> values;
      for (const model::Case* bound : derived.of(CaseUse::unusual)) {
        const double value = bound->arguments[index_of(*bound, name)].scalar_float;
        if (value != usual) values.insert(value / usual);
      }
      ASSERT_EQ(values.size(), 3U) << name;
      EXPECT_LT(*values.begin(), -0.5);
      EXPECT_TRUE(values.contains(0));
      EXPECT_GT(*values.rbegin(), 500);
    }
  }
  EXPECT_TRUE(Derived("attention_forward", attention, 3).of(CaseUse::unusual).empty())
      << "what is one over a root is positive";
}

TEST(CaseMatrix, IntegersThatAreNumbersHaveOthersBesideThem) {
  Derived derived("windowed", {"w", 1, {{"n", 500}}}, 3);
  std::map<std::string, std::set<std::int64_t>> values;
  for (const model::Case* bound : derived.of(CaseUse::unusual)) {
    ASSERT_TRUE(bound->undeclared_scalar);
    const model::BoundArgument& scalar = bound->arguments[*bound->undeclared_scalar];
    values[scalar.name].insert(scalar.scalar_integer);
  }
  EXPECT_EQ(values["window"], (std::set<std::int64_t>{2, 4}));
  EXPECT_EQ(values["offset"], (std::set<std::int64_t>{0, 2}));
  EXPECT_EQ(values["least"], (std::set<std::int64_t>{1, 2}));
  EXPECT_EQ(values.size(), 3U);
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
  EXPECT_EQ(sizes({}).size(), 1U) << "one with many blocks";
  const auto found = sizes({123457, 9001, 5000000});
  for (const std::int64_t size : {123456, 123457, 123458, 123459, 9000, 9001, 9002, 9003})
    EXPECT_TRUE(found.contains(size));
  EXPECT_GT(*found.rbegin(), 9001 * 64) << "the grid has a block 9001";
  EXPECT_LE(*found.rbegin(), 1048576) << "no larger than the axis";
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

TEST(CaseMatrix, EveryValueOfAFlagOccurs) {
  model::Experiment experiment = experiment_of("attention_forward", attention);
  experiment.problem.check_workloads.clear();
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  std::set<std::int64_t> causal, layouts;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 1, {})) {
    causal.insert(derived.bound.axes.at("causal"));
    layouts.insert(derived.bound.axes.at("layout"));
  }
  EXPECT_EQ(causal, (std::set<std::int64_t>{0, 1}));
  EXPECT_EQ(layouts, (std::set<std::int64_t>{0, 1, 2}));
}

TEST(CaseMatrix, FlagsSizesStridesAndScalarsAreCrossed) {
  for (std::uint64_t entropy = 0; entropy < 8; ++entropy) {
    const Derived derived("attention_forward", attention, entropy);
    bool causal_strides = false, causal_scale = false, long_strides = false, long_scale = false;
    for (const CaseUse use : {CaseUse::crossed, CaseUse::rescaled}) {
      for (const model::Case* bound : derived.of(use)) {
        const bool apart = bound->arguments[0].strides != bound->arguments[3].strides;
        const bool causal = bound->axes.at("causal") == 1, is_long = bound->axes.at("seq") > 200;
        causal_strides = causal_strides || (causal && apart);
        causal_scale = causal_scale || (causal && use == CaseUse::rescaled);
        long_strides = long_strides || (is_long && apart);
        long_scale = long_scale || (is_long && use == CaseUse::rescaled);
      }
    }
    EXPECT_TRUE(causal_strides && causal_scale && long_strides && long_scale) << entropy;
  }
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

TEST(ReducedAxes, AreThoseThatOutputsSumOver) {
  const auto axes_of = [](const std::string& problem, const model::Workload& workload) {
    const Derived derived(problem, workload, 1);
    return reduced_axes(evo::tests::known(), derived.context, derived.context.space.initial());
  };
  EXPECT_EQ(axes_of("attention_forward", attention), std::vector<std::string>{"seq"});
  EXPECT_EQ(axes_of("row_softmax", {"w", 1, {}}), std::vector<std::string>{"columns"});
  for (const char* problem : {"vector_add", "saxpy", "pitched_add"})
    EXPECT_TRUE(axes_of(problem, {"w", 1, {}}).empty()) << problem;
}

TEST(CorrectFor, WhatAnAxisHasAloneIsSaidApart) {
  DeviceJob job;
  const Derived derived("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}}, 1);
  for (const DerivedCase& one : derived.cases) {
    if (one.bound.axes.at("columns") > 100) continue;
    job.cases.push_back(one.bound);
    job.uses.push_back(one.use);
  }
  job.cases.push_back(job.cases.front());
  job.uses.push_back(CaseUse::alone);
  job.cases.back().axes["columns"] = 5001;
  job.full_cases = 0;
  job.input_sets = {{"normal", "normal", {}}};
  EXPECT_LE(largest_of(job, "columns"), 100);
  const model::Evidence covered = describe_coverage(job, plan_checks(job, true));
  const std::map<std::string, std::string> details(covered.details.begin(), covered.details.end());
  EXPECT_EQ(details.at("alone.columns"), "5001");
  EXPECT_EQ(details.at("axis.columns").find("5001"), std::string::npos);
  EXPECT_FALSE(details.contains("alone.rows"));
}

TEST(CorrectFor, NamesTheRangesAndWhatIsAlwaysEqual) {
  const Derived derived("attention_forward", attention, 1);
  DeviceJob job;
  for (const DerivedCase& one : derived.cases) {
    job.cases.push_back(one.bound);
    job.uses.push_back(one.use);
  }
  job.full_cases = 0;
  job.input_sets = {{"normal", "normal", {}}};
  const std::vector<Check> made = plan_checks(job, true);
  const model::Evidence covered = describe_coverage(job, made);
  const std::map<std::string, std::string> details(covered.details.begin(), covered.details.end());
  EXPECT_EQ(details.at("axis.head_dim"), "64");
  EXPECT_NE(details.at("strides").find("O"), std::string::npos);
  EXPECT_LE(std::stoi(details.at("sampled_launches")), std::stoi(details.at("launches")) / 2)
      << "those of long sequences and of many blocks";
  EXPECT_TRUE(always_equal(job, made).empty()) << always_equal(job, made).front().message;
  for (model::Case& bound : job.cases) {
    for (const char* name : {"batch_stride", "head_stride", "row_stride"}) {
      bound.arguments[index_of(bound, std::string("o_") + name)].scalar_integer =
          bound.arguments[index_of(bound, name)].scalar_integer;
      bound.arguments[index_of(bound, std::string("o_") + name)].scalar_float =
          bound.arguments[index_of(bound, name)].scalar_float;
    }
  }
  ASSERT_EQ(always_equal(job, made).size(), 3U);
  EXPECT_EQ(always_equal(job, made)[0].details[0].second, "batch_stride, o_batch_stride");
  for (model::Case& bound : job.cases) bound.arguments[index_of(bound, "row_stride")].scalar_integer = 12345;
  EXPECT_EQ(always_equal(job, made).front().details[0].second, "row_stride") << "one number in every case";
}

}  // namespace
}  // namespace evo::evaluators::gates
