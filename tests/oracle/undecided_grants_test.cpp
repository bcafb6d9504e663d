// Which integers beside the reference's are granted, where the answers nearby are known.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evaluators/oracle/undecided.hpp"
#include "tests/oracle/flat_array.hpp"

namespace evo::evaluators::oracle::undecided_cases {
namespace {

const model::BoundArgument output = array("q", model::ArgumentRole::output, model::DType::i8, 2048);
const std::vector<double> reference(2048, 5);

/// `changes` are elements and what the kernel gives there.
std::vector<std::byte> given(const std::vector<std::pair<std::size_t, int>>& changes) {
  std::vector<std::byte> bytes(2048, std::byte{5});
  for (const auto& [element, value] : changes) bytes[element] = static_cast<std::byte>(value);
  return bytes;
}

const ReferenceOutputs outputs{{}, reference};

/// The other side of the border at 0, 10, 20 and 30 is 4.
const NearbyAnswers tens = [](const InputBuffers&, const ReferenceOutputs&, Nearby) -> const Borders& {
  static const Borders borders{{}, {{0, 4}, {10, 4}, {20, 4}, {30, 4}, {40, 4, true}}};
  return borders;
};

bool grants(const std::vector<std::pair<std::size_t, int>>& changes,
            const std::vector<std::uint8_t>& written = {}, const NearbyAnswers& nearby = tens) {
  return with_undecided(output, 1, given(changes), outputs, written, InputBuffers(2), nearby).has_value();
}

TEST(Undecided, WhatANearbyAnswerHasIsGranted) {
  EXPECT_TRUE(grants({{0, 4}}));
  EXPECT_TRUE(grants({{30, 4}, {10, 4}})) << "each by a draw of its own";
  const auto patched = with_undecided(output, 1, given({{10, 4}}), outputs, {}, InputBuffers(2), tens);
  ASSERT_TRUE(patched);
  EXPECT_EQ((*patched)[10], 4);
  EXPECT_EQ((*patched)[11], 5);
}

TEST(Undecided, WhatNoneHasIsNot) {
  EXPECT_FALSE(grants({{10, 6}})) << "the other side";
  EXPECT_FALSE(grants({{11, 4}})) << "another element";
  EXPECT_FALSE(grants({{10, 4}, {11, 4}})) << "one of two";
  EXPECT_FALSE(grants({{10, 4}}, {}, {})) << "nobody to ask";
  EXPECT_FALSE(grants({{40, 4}})) << "between more than two";
  EXPECT_FALSE(grants({})) << "nothing differs: the refusal has another cause";
}

TEST(Undecided, ManyAreNoMatterOfBorders) {
  const NearbyAnswers all = [](const InputBuffers&, const ReferenceOutputs&, Nearby) -> const Borders& {
    static const Borders borders{{}, {{1, 4}, {2, 4}, {3, 4}, {4, 4}, {5, 4}}};
    return borders;
  };
  EXPECT_TRUE(grants({{1, 4}, {2, 4}, {3, 4}, {4, 4}}, {}, all));
  EXPECT_FALSE(grants({{1, 4}, {2, 4}, {3, 4}, {4, 4}, {5, 4}}, {}, all));
}

TEST(Undecided, WhatTheReferenceRoundsSoInFloatIsNotCounted) {
  const NearbyAnswers ties = [](const InputBuffers&, const ReferenceOutputs&, Nearby) -> const Borders& {
    static const Borders borders = [] {
      std::vector<Border> all;
      for (std::size_t e = 0; e < 200; ++e) all.push_back({e, 4, e >= 100, true, true});
      all.push_back({300, 4});
      return Borders{{}, all};
    }();
    return borders;
  };
  std::vector<std::pair<std::size_t, int>> changes;
  for (std::size_t e = 0; e < 200; ++e) changes.emplace_back(e, 4);
  EXPECT_TRUE(grants(changes, {}, ties));
  changes.emplace_back(300, 4);
  EXPECT_TRUE(grants(changes, {}, ties)) << "and one at another border";
  changes.emplace_back(301, 4);
  EXPECT_FALSE(grants(changes, {}, ties)) << "and one at none";
  EXPECT_FALSE(grants({{3, 6}}, {}, ties)) << "float has another number";
}

// Sums that are whole but for a rounding: the reference in float has other integers of twenty, a kernel that
// adds in another order of others.
TEST(Undecided, AsManyAsFloatCrossesTwiceOverAreBorders) {
  const auto near = [](std::size_t in_float, bool by_rounding) -> NearbyAnswers {
    const auto known = std::make_shared<Borders>(Borders{{}, {}});
    for (std::size_t e = 0; e < 100; ++e) {
      Border border{e, 4};
      border.of_kernel = border.in_float = e < in_float;
      border.rounded = by_rounding;
      (*known)[1].push_back(border);
    }
    const auto single = std::make_shared<Borders>(Borders{{}, {}});
    (*single)[1].assign((*known)[1].begin(), (*known)[1].begin() + static_cast<std::ptrdiff_t>(in_float));
    return [=](const InputBuffers&, const ReferenceOutputs&, Nearby asked) -> const Borders& {
      return asked == Nearby::in_float ? *single : *known;
    };
  };
  const auto others = [](std::size_t first, std::size_t count) {
    std::vector<std::pair<std::size_t, int>> changes;
    for (std::size_t e = first; e < first + count; ++e) changes.emplace_back(e, 4);
    return changes;
  };
  EXPECT_TRUE(grants(others(20, 40), {}, near(20, true)));
  EXPECT_FALSE(grants(others(20, 41), {}, near(20, true))) << "more than twice as many";
  EXPECT_TRUE(grants(others(0, 40), {}, near(20, true)));
  EXPECT_FALSE(grants(others(0, 41), {}, near(20, true))) << "those that float has likewise count";
  EXPECT_FALSE(grants(others(20, 40), {}, near(20, false))) << "which inputs that are moved alone show";
  EXPECT_TRUE(grants(others(20, 4), {}, near(20, false))) << "of few either tells";
  EXPECT_FALSE(grants(others(2, 5), {}, near(2, true))) << "few in float";
  EXPECT_FALSE(grants(others(20, 40), {}, near(0, true)))
      << "none in float: of exact numbers few are borders";
}

TEST(Undecided, WhereALoopEndsInFloatTheReferenceTells) {
  const NearbyAnswers ends = [](const InputBuffers&, const ReferenceOutputs&, Nearby) -> const Borders& {
    static const Borders borders{{},
                                 {{1, 9, true, true},
                                  {2, 9, true, true},
                                  {3, 9, true, true},
                                  {4, 9, true, true},
                                  {5, 9, true, true},
                                  {6, 9, true}}};
    return borders;
  };
  EXPECT_TRUE(grants({{1, 9}, {4, 9}}, {}, ends)) << "whatever others there are";
  EXPECT_FALSE(grants({{1, 8}}, {}, ends)) << "another number";
  EXPECT_FALSE(grants({{6, 9}}, {}, ends)) << "a formula's float tells nothing";
  EXPECT_FALSE(grants({{1, 9}, {2, 9}, {3, 9}, {4, 9}, {5, 9}}, {}, ends)) << "too many";
}

TEST(Undecided, OnlyWhatALaunchWroteCounts) {
  std::vector<std::uint8_t> written(2048, 0);
  written[10] = 1;
  EXPECT_TRUE(grants({{10, 4}, {11, 9}}, written));
}

TEST(Undecided, RoundingsAreAskedForLast) {
  std::vector<Nearby> asked;
  const NearbyAnswers nearby = [&](const InputBuffers&, const ReferenceOutputs&,
                                   Nearby which) -> const Borders& {
    static const Borders none{{}, {}}, one{{}, {{10, 4}}};
    asked.push_back(which);
    return which == Nearby::rounded ? one : none;
  };
  EXPECT_TRUE(grants({{10, 4}}, {}, nearby));
  EXPECT_EQ(asked, (std::vector{Nearby::in_float, Nearby::moved, Nearby::rounded}));
  EXPECT_FALSE(grants({{11, 4}}, {}, nearby));
}

}  // namespace
}  // namespace evo::evaluators::oracle::undecided_cases
