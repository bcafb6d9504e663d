// Sizes that the correctness gate derives: several axes at whole tiles at once, one axis far beyond its
// maximum.
#include "evaluators/gates/case_matrix.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "evaluators/gates/check_plan.hpp"
#include "tests/kernels/derived_cases.hpp"

namespace evo::evaluators::gates {
namespace {

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
      // Both at 960 or more is another check's: what 15 divides as well.
      if (rows % 64 != 0 || columns % 64 != 0 || rows * columns >= 960 * 960) continue;
      (rows == columns ? equal : different) = true;
    }
    EXPECT_TRUE(different && equal) << entropy;
  }
}

TEST(CaseMatrix, WholeTilesKeepBelowMaxima) {
  model::Experiment add = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}});
  add.problem.axes[0].maximum = 100;
  add.problem.axes[1].maximum = 140;
  const TemplateContext context = make_context(add, add.problem.templates.front());
  bool whole = false;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 7, Extent{})) {
    const auto& axes = derived.bound.axes;
    whole |= axes.at("rows") % 64 == 0 && axes.at("columns") % 64 == 0;
  }
  EXPECT_TRUE(whole) << "100 is none";
}

TEST(CaseMatrix, WholeTilesEndWithAnAxisThatHasRoomForFewer) {
  model::Experiment add = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}});
  add.problem.axes[0].maximum = 70;
  add.problem.axes[1].maximum = 200;
  const TemplateContext context = make_context(add, add.problem.templates.front());
  std::set<std::int64_t> beside_one;
  for (std::uint64_t entropy = 0; entropy < 20; ++entropy) {
    for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, entropy, Extent{})) {
      const auto& axes = derived.bound.axes;
      if (derived.use == CaseUse::swept && axes.at("rows") == 64) beside_one.insert(axes.at("columns"));
    }
  }
  EXPECT_TRUE(beside_one.contains(192)) << "two tiles of 64 and three, of which the rows have room for one";
}

TEST(CaseMatrix, AllAxesAreAtSizesThatMostTilesDivideAndOneBelow) {
  const Derived derived("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}}, 7, false, false);
  const auto swept = derived.of(CaseUse::swept);
  const auto at = [&](std::int64_t rest) {
    return std::ranges::any_of(swept, [&](const model::Case* bound) {
      return (bound->axes.at("rows") + rest) % 240 == 0 && (bound->axes.at("columns") + rest) % 240 == 0;
    });
  };
  EXPECT_TRUE(at(0)) << "tiles of 48, 80";
  EXPECT_TRUE(at(1));
}

using Sizes = std::set<std::int64_t>;

/// Of the columns in cases that only `tiles` brings, where blocks take `tile` of them.
Sizes columns_next_to_tiles(const std::string& grid, std::vector<std::int64_t> tiles,
                            std::optional<std::int64_t> multiple = std::nullopt) {
  model::Experiment add = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}});
  add.problem.axes[1].multiple_of = multiple;
  add.problem.templates.front().launch.grid[0] = *model::Expression::parse(grid);
  const TemplateContext context = make_context(add, add.problem.templates.front());
  const auto sizes = [&](Extent extent) {
    Sizes found;
    for (const DerivedCase& derived :
         derive_cases(context, context.space.initial(), {}, 7, std::move(extent))) {
      if (derived.use == CaseUse::named) found.insert(derived.bound.axes.at("columns"));
    }
    return found;
  };
  Extent without, with;
  without.crossed = with.crossed = false;
  with.tiles = std::move(tiles);
  Sizes found = sizes(with);
  for (const std::int64_t size : sizes(without)) found.erase(size);
  return found;
}

TEST(CaseMatrix, SizesNextToWholeTilesOfTheLaunch) {
  EXPECT_EQ(columns_next_to_tiles("ceil_div(columns, 3072)", {}), (Sizes{6143, 6144, 6145}));
  EXPECT_EQ(columns_next_to_tiles("(columns + THREADS * 22 - 1) / (THREADS * 22)", {}),
            (Sizes{2815, 2816, 2817}));
  EXPECT_EQ(columns_next_to_tiles("ceil_div(columns, 1024)", {}, 4), (Sizes{2044, 2048, 2052}));
  EXPECT_EQ(columns_next_to_tiles("ceil_div(columns, 256)", {}), Sizes{}) << "shown by others";
}

TEST(CaseMatrix, SizesNextToWholeTilesOfALoop) {
  const Sizes sizes = columns_next_to_tiles("1", {1024});
  for (const std::int64_t size : {2047, 2048, 2049}) EXPECT_TRUE(sizes.contains(size)) << size;
}

TEST(CaseMatrix, WholeTilesOfALoopBeyondAMaximumAreShownAlone) {
  model::Experiment rows = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}});
  rows.problem.axes[1].maximum = 192;
  rows.problem.axes[1].alone = 30000;
  const TemplateContext context = make_context(rows, rows.problem.templates.front());
  Extent extent;
  extent.crossed = false;
  extent.tiles = {1024};
  Sizes alone;
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 7, std::move(extent)))
    if (derived.use == CaseUse::alone) alone.insert(derived.bound.axes.at("columns"));
  for (const std::int64_t size : {2047, 2048, 2049}) EXPECT_TRUE(alone.contains(size)) << size;
}

TEST(CaseMatrix, OneAboveWholeTilesWhileTheOthersHaveAnInterior) {
  const model::Experiment experiment = experiment_of("attention_forward", attention);
  const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
  Extent extent;
  extent.crossed = false;
  extent.tiles.emplace();
  const model::Genome genome = context.space.initial();
  bool shown = false;
  for (const DerivedCase& derived : derive_cases(context, genome, {}, 7, std::move(extent))) {
    const auto& axes = derived.bound.axes;
    const auto& grid = derived.bound.launch.grid;
    const std::int64_t tiles = std::max({grid[0], grid[1], grid[2]});
    shown |= derived.use == CaseUse::named && axes.at("batch") >= 3 && axes.at("heads") >= 3 && tiles > 1 &&
             axes.at("seq") > 16 && axes.at("seq") % 16 == 1;
  }
  EXPECT_TRUE(shown);
}

TEST(CaseMatrix, NumbersOfTheCodeBeyondAMaximumAreShownAlone) {
  model::Experiment rows = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 32}}});
  model::Axis& columns = rows.problem.axes[1];
  columns.maximum = 64;
  columns.alone = 30000;
  const TemplateContext context = make_context(rows, rows.problem.templates.front());
  std::set<std::int64_t> alone;
  Extent extent;
  extent.constants = {101};
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 7, extent)) {
    if (derived.use == CaseUse::alone) alone.insert(derived.bound.axes.at("columns"));
  }
  for (const std::int64_t size : {100, 101, 102, 103}) EXPECT_TRUE(alone.contains(size)) << size;
  EXPECT_TRUE(std::ranges::any_of(alone, [](std::int64_t size) { return size > 200 && size % 3840 == 0; }))
      << "whole tiles of nearly every size";
}

TEST(CaseMatrix, NumbersOfTheCodeBeyondAMaximumKeepTheStepOfTheirAxis) {
  model::Experiment rows = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 32}}});
  model::Axis& columns = rows.problem.axes[1];
  columns.maximum = 64;
  columns.alone = 30000;
  columns.multiple_of = 4;
  const TemplateContext context = make_context(rows, rows.problem.templates.front());
  std::set<std::int64_t> alone;
  Extent extent;
  extent.constants = {191};
  for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 7, extent)) {
    const std::int64_t size = derived.bound.axes.at("columns");
    EXPECT_EQ(size % 4, 0) << "a reference has no answer at others";
    if (derived.use == CaseUse::alone) alone.insert(size);
  }
  EXPECT_TRUE(alone.contains(192));
  EXPECT_FALSE(alone.contains(191));
}

TEST(CaseMatrix, TwoAxesThatNoArrayHasAreBeyond16BitsAtOnce) {
  const auto products = [](const std::string& problem, const model::Workload& workload) {
    model::Experiment experiment = experiment_of(problem, workload);
    for (model::Axis& axis : experiment.problem.axes) {
      axis.maximum = 64;
      axis.alone = 200000;
    }
    const TemplateContext context = make_context(experiment, experiment.problem.templates.front());
    int found = 0;
    for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 7, {})) {
      const bool all =
          std::ranges::all_of(derived.bound.axes, [](const auto& axis) { return axis.second > 65536; });
      found += all ? 1 : 0;
      if (derived.use == CaseUse::alone) {
        EXPECT_EQ(derived.bound.reference_budget > 0, all) << "it may have a loop over both";
      }
    }
    return found;
  };
  EXPECT_EQ(products("counted_keys", {"w", 1, {{"n", 60}, {"m", 40}}}), 1);
  EXPECT_EQ(products("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 32}}}), 0) << "its arrays have both";
}

TEST(CaseMatrix, ManyBlocksAreShownBeyondAMaximum) {
  model::Experiment rows = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}});
  rows.problem.axes[1].maximum = 192;
  rows.problem.axes[1].alone = 30000;
  rows.problem.templates.front().launch.grid[0] = *model::Expression::parse("ceil_div(columns, 64)");
  const TemplateContext context = make_context(rows, rows.problem.templates.front());
  const auto many = [&](bool blocks_wait) {
    Extent extent;
    extent.crossed = false;
    extent.blocks_wait = blocks_wait;
    return std::ranges::any_of(
        derive_cases(context, context.space.initial(), {}, 7, extent), [](const DerivedCase& derived) {
          return derived.use == CaseUse::alone && derived.bound.launch.grid[0] >= 257 &&
                 derived.bound.launch.grid[0] <= 300;
        });
  };
  EXPECT_TRUE(many(false));
  EXPECT_TRUE(many(true)) << "a last block adds up what all others have left";
}

TEST(CaseMatrix, AxesAreAtTheirMaximaAtOnce) {
  model::Experiment rows = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 96}}});
  const auto shown = [&](std::int64_t most_rows, std::int64_t most_columns, bool search) {
    rows.problem.axes[0].maximum = most_rows;
    rows.problem.axes[1].maximum = most_columns;
    const TemplateContext context = make_context(rows, rows.problem.templates.front());
    Extent extent;
    extent.chosen_by = search ? 5 : 0;
    std::set<std::pair<std::int64_t, std::int64_t>> sizes;
    for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 7, extent)) {
      if (derived.use == CaseUse::named)
        sizes.emplace(derived.bound.axes.at("rows"), derived.bound.axes.at("columns"));
    }
    return sizes;
  };
  EXPECT_TRUE(shown(500, 1984, false).contains({500, 1984}));
  EXPECT_TRUE(shown(500, 1984, false).contains({500, 3}) || shown(500, 1984, false).contains({500, 4}));
  EXPECT_FALSE(shown(500, 1984, true).contains({500, 1984})) << "in a search";
  EXPECT_FALSE(shown(5000, 40000, false).contains({5000, 40000})) << "it costs too much";
}

TEST(CaseMatrix, TwoAxesOfOneArrayGoBeyondWholeFloatsTogether) {
  model::Experiment add = experiment_of("pitched_add", {"w", 1, {{"rows", 20}, {"columns", 32}}});
  const auto shown = [&](std::int64_t most, model::DType dtype = model::DType::i32) {
    for (model::Axis& axis : add.problem.axes) {
      axis.maximum = most;
    }
    for (model::Argument& argument : add.problem.arguments) {
      if (model::is_judged(argument.role)) argument.dtype = dtype;
    }
    const TemplateContext context = make_context(add, add.problem.templates.front());
    Extent extent;
    extent.crossed = false;
    extent.beyond_floats = true;
    int found = 0;
    for (const DerivedCase& derived : derive_cases(context, context.space.initial(), {}, 7, extent)) {
      const std::int64_t elements = derived.bound.axes.at("rows") * derived.bound.axes.at("columns");
      if (elements <= (1 << 24) + 1) continue;
      EXPECT_EQ(derived.use, CaseUse::named);
      ++found;
    }
    return found;
  };
  EXPECT_EQ(shown(20000), 1);
  EXPECT_EQ(shown(4000), 0) << "no more than what each may be";
  EXPECT_EQ(shown(20000, model::DType::f32), 0) << "too dear";
}

TEST(CaseMatrix, APatternIsLongerThanABlockInATextThatIsLonger) {
  const auto shown = [](const std::string& problem, const model::Workload& workload, const std::string& a,
                        const std::string& b) {
    const Derived derived(problem, workload, 7);
    return std::ranges::any_of(derived.of(CaseUse::crossed), [&](const model::Case* bound) {
      return bound->axes.at(a) >= 129 && bound->axes.at(b) >= 2 * bound->axes.at(a) - 1 &&
             bound->axes.at(b) <= 2 * bound->axes.at(a);
    });
  };
  EXPECT_TRUE(shown("counted_keys", {"w", 1, {{"n", 60}, {"m", 40}}}, "m", "n"));
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
    EXPECT_GE(sizes.size(), 4U) << "each about a quarter of the one before";
    EXPECT_LE(sizes.size(), 5U) << "and one with many blocks";
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

// Small sizes of tiles are one tile each, all alike: powers of two, squares.
TEST(CaseMatrix, WholeTilesHaveDifferentNumbersOnce) {
  for (std::uint64_t entropy = 1; entropy < 6; ++entropy) {
    const Derived derived("whole_tiles", {"w", 1, {}}, entropy);
    const auto drawn = derived.of(CaseUse::drawn);
    EXPECT_TRUE(std::ranges::any_of(drawn, [](const model::Case* bound) {
      const std::int64_t m = bound->axes.at("m"), n = bound->axes.at("n"), k = bound->axes.at("k");
      return m != n && n != k && m != k && (m == 48 || n == 48 || k == 48) && bound->flops <= light_flops;
    })) << entropy;
  }
  EXPECT_EQ(Derived("row_softmax", {"w", 1, {}}, 1).of(CaseUse::drawn).size(), 2U) << "elsewhere none more";
  model::Experiment larger = experiment_of("whole_tiles", {"w", 1, {}});
  for (model::Axis& axis : larger.problem.axes) {
    axis.multiple_of = 32;
    axis.maximum = 320;
  }
  const TemplateContext context = make_context(larger, larger.problem.templates.front());
  for (const DerivedCase& one : derive_cases(context, context.space.initial(), {}, 1, {})) {
    if (one.use == CaseUse::drawn) {
      EXPECT_LE(one.bound.flops, light_flops);
    }
  }
}

}  // namespace
}  // namespace evo::evaluators::gates
