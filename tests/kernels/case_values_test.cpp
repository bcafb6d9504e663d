// Strides, flags and scalars of derived cases.
#include <map>
#include <set>

#include "tests/kernels/derived_cases.hpp"

namespace evo::evaluators::gates {
namespace {

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

TEST(CaseMatrix, AWindowIsAsLargeAsItMayBeWhereTheRowIsLong) {
  const Derived derived("held_back", {"w", 1, {{"rows", 4}, {"n", 60}}}, 5);
  std::int64_t longest = 0;
  for (const model::Case* bound : derived.of(CaseUse::ranged)) {
    if (bound->arguments[index_of(*bound, "window")].scalar_integer == 400)
      longest = std::max(longest, bound->axes.at("n"));
  }
  EXPECT_GT(longest, 100) << "alone, the row has more numbers than beside others";
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

std::size_t far_among(const Derived& derived) {
  const auto changed = derived.of(CaseUse::changed);
  return static_cast<std::size_t>(std::ranges::count_if(
      changed, [](const model::Case* bound) { return oracle::has_64bit_strides(*bound); }));
}

TEST(CaseMatrix, StridesOf64BitsLeadBeyond32Bits) {
  const Derived pitched("pitched_add", {"w", 1, {}}, 3);
  EXPECT_EQ(far_among(pitched), 1U) << "of one dimension that the kernel is told";
  for (const model::Case* bound : pitched.of(CaseUse::changed)) {
    if (!oracle::has_64bit_strides(*bound)) continue;
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
    if (derived.use != CaseUse::changed || !oracle::has_64bit_strides(derived.bound)) continue;
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

TEST(CaseMatrix, IntegersThatAreNumbersHaveThoseThatTheCodeNames) {
  const model::Experiment experiment = experiment_of("windowed", {"w", 1, {{"n", 500}}});
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  Extent extent;
  extent.scalars[3] = {17, 100};
  std::set<std::int64_t> windows;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 3, extent)) {
    if (derived.use != CaseUse::unusual) continue;
    EXPECT_GT(derived.bound.reference_budget, 0U) << "a large count has no answer";
    if (derived.bound.undeclared_scalar == std::size_t{3})
      windows.insert(derived.bound.arguments[3].scalar_integer);
  }
  EXPECT_EQ(windows, (std::set<std::int64_t>{2, 4, 17, 100}));
}

/// A stretch that no axis has room for is cut off everywhere.
TEST(CaseMatrix, AxesHaveRoomForIntegersOfARange) {
  model::Experiment experiment = experiment_of("windowed", {"w", 1, {{"n", 500}}});
  experiment.problem.arguments[3].range = model::ScalarRange{3, 200};
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  Extent extent;
  extent.scalars[3] = {7, 60};
  std::map<std::int64_t, std::int64_t> longest;
  std::int64_t block = 0;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 3, extent)) {
    if (derived.bound.undeclared_scalar != std::size_t{3}) continue;
    std::int64_t& most = longest[derived.bound.arguments[3].scalar_integer];
    most = std::max(most, derived.bound.axes.at("n"));
    block = derived.bound.launch.block[0];
  }
  EXPECT_GT(longest[200], 2 * 200 + 2 * block) << "the largest, and more than two blocks";
  EXPECT_EQ(longest[4], 41) << "of small ones one in the middle is enough";
  // Of one without a range those that are like the usual one.
  experiment.problem.arguments[3].range.reset();
  const TemplateContext plain = make_context(experiment, experiment.problem.templates.front());
  longest.clear();
  for (const DerivedCase& derived : derive_cases(plain, plain.space.initial(), {}, 3, extent)) {
    if (derived.bound.undeclared_scalar != std::size_t{3}) continue;
    std::int64_t& most = longest[derived.bound.arguments[3].scalar_integer];
    most = std::max(most, derived.bound.axes.at("n"));
  }
  EXPECT_GT(longest[4], 2 * block);
  EXPECT_EQ(longest[60], 41) << "who writes kernels for few values need not say so";
}

TEST(CaseMatrix, AxesHaveLessRoomWhereAllOfItIsTooMuch) {
  model::Experiment experiment = experiment_of("windowed", {"w", 1, {{"n", 500}}});
  experiment.problem.arguments[3].range = model::ScalarRange{3, 1000};
  experiment.problem.work = {*model::Expression::parse("n * n", "t", 1, 1),
                             *model::Expression::parse("n", "t", 1, 1), false};
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  std::set<std::int64_t> sizes;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 3, {})) {
    if (derived.bound.undeclared_scalar == std::size_t{3} &&
        derived.bound.arguments[3].scalar_integer == 1000)
      sizes.insert(derived.bound.axes.at("n"));
  }
  EXPECT_TRUE(sizes.contains(1250 + 9)) << "on one side";
  EXPECT_TRUE(sizes.contains(625 + 9)) << "more than half";
  EXPECT_LT(*sizes.rbegin(), 2000);
}

TEST(CaseMatrix, IntegersOfARangeAreAWholeAxisTheOtherWayRound) {
  model::Experiment experiment = experiment_of("windowed", {"w", 1, {{"n", 500}}});
  const auto whole = [&](model::ScalarRange range) {
    experiment.problem.arguments[3].range = range;
    const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
    const auto cases = derive_cases(context, context.space.initial(), {}, 3, {});
    return std::ranges::any_of(cases, [](const DerivedCase& derived) {
      return derived.bound.arguments[3].scalar_integer == -derived.bound.axes.at("n");
    });
  };
  EXPECT_TRUE(whole({-1000, 1000}));
  EXPECT_FALSE(whole({-20, 1000}));
}

TEST(CaseMatrix, ScalarsKeepToTheirRange) {
  model::Experiment experiment = experiment_of("windowed", {"w", 1, {{"n", 500}}});
  experiment.problem.arguments[3].range = model::ScalarRange{3, 9};
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  Extent extent;
  extent.scalars[3] = {-3, 0, 7, 259};
  std::set<std::int64_t> windows;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 3, extent)) {
    if (derived.bound.undeclared_scalar != std::size_t{3}) continue;
    const std::int64_t asked = derived.bound.arguments[3].scalar_integer;
    windows.insert(asked);
    EXPECT_EQ(derived.use, CaseUse::ranged) << "the problem declares it";
  }
  EXPECT_EQ(windows, (std::set<std::int64_t>{4, 7, 9}));
  model::Experiment scaled = experiment_of("saxpy", {"w", 1, {{"n", 500}}});
  const auto at = std::ranges::find(scaled.problem.arguments, "alpha", &model::Argument::name);
  ASSERT_NE(at, scaled.problem.arguments.end());
  at->range = model::ScalarRange{0, 0.9};
  const auto index = static_cast<std::size_t>(at - scaled.problem.arguments.begin());
  const TemplateContext of_scaled = make_context(scaled, scaled.problem.templates.front());
  std::size_t changed = 0;
  std::set<double> ends;
  for (const DerivedCase& derived : derive_cases(of_scaled, of_scaled.space.initial(), {}, 3, {})) {
    if (derived.use == CaseUse::ranged) {
      ends.insert(derived.bound.arguments[index].scalar_float);
      EXPECT_EQ(derived.bound.undeclared_scalar, index);
    }
    if (derived.use != CaseUse::changed && derived.use != CaseUse::rescaled) continue;
    ++changed;
    EXPECT_LE(derived.bound.arguments[index].scalar_float, 0.95) << derived.bound.name << ": 1 is beyond";
  }
  EXPECT_GT(changed, 3U);
  EXPECT_EQ(ends.size(), 2U);
  EXPECT_EQ(*ends.begin(), 0);
  EXPECT_NEAR(*ends.rbegin(), 0.9, 1e-6);
  EXPECT_LE(*ends.rbegin(), 0.9) << "the next float within it";
}

TEST(CaseMatrix, FloatingPointScalarsAreWhatTheCodeAsksFor) {
  const model::Experiment experiment = experiment_of("saxpy", {"w", 1, {{"n", 500}}});
  const auto& arguments = experiment.problem.arguments;
  const auto index = static_cast<std::size_t>(std::ranges::find(arguments, "alpha", &model::Argument::name) -
                                              arguments.begin());
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  const auto shown = [&](const Extent& extent) {
    std::set<double> values;
    for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 3, extent)) {
      if (derived.use == CaseUse::changed) values.insert(derived.bound.arguments[index].scalar_float);
    }
    return values;
  };
  EXPECT_FALSE(shown({}).contains(0));
  Extent extent;
  extent.scalars[index] = {0, 7};
  EXPECT_TRUE(shown(extent).contains(0));
  EXPECT_TRUE(shown(extent).contains(7));
}

TEST(CaseMatrix, FloatingPointScalarsAreBesideWhatTheyAreComparedWith) {
  const model::Experiment experiment = experiment_of("saxpy", {"w", 1, {{"n", 500}}});
  const auto& arguments = experiment.problem.arguments;
  const auto index = static_cast<std::size_t>(std::ranges::find(arguments, "alpha", &model::Argument::name) -
                                              arguments.begin());
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  Extent extent;
  extent.beside[index] = {0.0078125};
  std::set<std::int64_t> sizes;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 3, extent)) {
    if (derived.use == CaseUse::changed && derived.bound.arguments[index].scalar_float == 0.0078125)
      sizes.insert(derived.bound.axes.at("n"));
  }
  EXPECT_EQ(sizes.size(), 2U) << "on a drawn shape, and on the workload";
  EXPECT_TRUE(sizes.contains(500));
}

TEST(CaseMatrix, AScalarIsFarBelowTheUsual) {
  Derived derived("blend", {"w", 1, {{"n", 1000}}}, 3);
  double least = 1, usual = 1;
  for (const model::Case* bound : derived.of(CaseUse::changed))
    least = std::min(least, std::abs(bound->arguments[index_of(*bound, "alpha")].scalar_float));
  for (const model::Case* bound : derived.of(CaseUse::drawn))
    usual = std::abs(bound->arguments[index_of(*bound, "alpha")].scalar_float);
  EXPECT_NEAR(least * 1024, usual, 1e-4);
}

TEST(CaseMatrix, AScalarIsOneHalf) {
  Derived derived("blend", {"w", 1, {{"n", 1000}}}, 3);
  std::set<double> values;
  for (const model::Case* bound : derived.of(CaseUse::changed))
    values.insert(bound->arguments[index_of(*bound, "alpha")].scalar_float);
  EXPECT_TRUE(values.contains(0.5)) << "whole numbers times that are ties";
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

TEST(CaseMatrix, EveryValueOfAFlagIsDrawnWhereNothingIsCrossed) {
  for (std::uint64_t entropy = 0; entropy < 8; ++entropy) {
    model::Experiment experiment = experiment_of("attention_forward", attention);
    experiment.problem.check_workloads.clear();
    const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
    Extent few;
    few.crossed = false;
    std::set<std::int64_t> layouts;
    for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, entropy, few)) {
      if (derived.use == CaseUse::drawn) layouts.insert(derived.bound.axes.at("layout"));
    }
    EXPECT_TRUE(layouts.contains(1) && layouts.contains(2)) << entropy;
  }
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

TEST(CaseMatrix, TwoIntegersOfARangeHaveOtherValuesAtOnce) {
  const Derived derived("two_voices", {"w", 1, {}}, 1);
  const std::size_t a = index_of(derived.cases.front().bound, "gain_a"),
                    b = index_of(derived.cases.front().bound, "gain_b");
  const auto shown = [&](Extent extent) {
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const DerivedCase& one :
         derive_cases(derived.context, derived.context.space.initial(), {}, 1, extent)) {
      if (one.use == CaseUse::ranged)
        pairs.insert({one.bound.arguments[a].scalar_integer, one.bound.arguments[b].scalar_integer});
    }
    return pairs;
  };
  Extent extent;
  const auto asked = std::pair<std::int64_t, std::int64_t>{32767, 5};
  EXPECT_FALSE(shown(extent).contains(asked));
  extent.equal = {{a, {32767}}, {b, {5}}};
  EXPECT_TRUE(shown(extent).contains(asked));
  EXPECT_TRUE(shown(extent).contains({-32768, -32768}));
}

}  // namespace
}  // namespace evo::evaluators::gates
