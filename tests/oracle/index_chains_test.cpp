// Indices that lead on.
#include "evaluators/oracle/index_chains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "evaluators/oracle/patterns.hpp"

namespace evo::evaluators::oracle {
namespace {

model::BoundArgument indices(const char* name, std::vector<std::int64_t> shape, double low, double high) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  model::BoundArgument argument{name, model::ArgumentRole::input, model::DType::i32, std::move(shape),
                                std::move(strides)};
  argument.fill = model::BoundFill{model::FillForm::integers, low, high, 0, {}, {}};
  return argument;
}

DraftInputs drawn(const std::vector<model::BoundArgument>& arguments, const std::string& kind,
                  std::uint64_t seed = 1) {
  model::Case bound;
  bound.arguments = arguments;
  DraftInputs draft;
  for (const model::BoundArgument& argument : arguments) {
    const std::int64_t count =
        std::accumulate(argument.shape.begin(), argument.shape.end(), std::int64_t{1}, std::multiplies<>());
    draft.emplace_back(argument.role == model::ArgumentRole::scalar ? 0 : count, -7.0);
  }
  draw_indices(bound, {kind + " everywhere", kind, {}}, {.seed = seed}, draft);
  return draft;
}

using Numbers = std::vector<double>;

TEST(IndexChains, TheNextAndThePrevious) {
  EXPECT_EQ(drawn({indices("p", {5}, 0, 4)}, "next")[0], Numbers({1, 2, 3, 4, 4}));
  EXPECT_EQ(drawn({indices("p", {5}, -1, 4)}, "next")[0], Numbers({1, 2, 3, 4, -1}))
      << "behind the last is none";
  EXPECT_EQ(drawn({indices("p", {5}, 0, 5)}, "next")[0], Numbers({1, 2, 3, 4, 5}));
  EXPECT_EQ(drawn({indices("p", {5}, 0, 4)}, "previous")[0], Numbers({0, 0, 1, 2, 3}));
  EXPECT_EQ(drawn({indices("p", {5}, -1, 4)}, "previous")[0], Numbers({-1, 0, 1, 2, 3}));
}

TEST(IndexChains, IntegersWithoutAFillMayBeIndices) {
  model::BoundArgument any = indices("p", {4}, 0, 0);
  any.fill.reset();
  EXPECT_EQ(drawn({any}, "previous")[0], Numbers({-1, 0, 1, 2}));
  EXPECT_EQ(drawn({any}, "next")[0], Numbers({1, 2, 3, -1}));
  any.dtype = model::DType::i8;
  EXPECT_EQ(drawn({any}, "next")[0], Numbers({-7, -7, -7, -7}));
}

TEST(IndexChains, ByRowsWhereThoseAreWhatIsPointedAt) {
  EXPECT_EQ(drawn({indices("p", {2, 3}, 0, 2)}, "next")[0], Numbers({1, 2, 2, 1, 2, 2})) << "a list a row";
  EXPECT_EQ(drawn({indices("p", {4, 2}, 0, 3)}, "next")[0], Numbers({1, 2, 2, 3, 3, 3, 3, 3}))
      << "two neighbours a vertex";
}

TEST(IndexChains, APathOfEdgesInEitherOrder) {
  std::set<DraftInputs> found;
  for (std::uint64_t seed = 0; seed < 16; ++seed)
    found.insert(drawn({indices("a", {3}, 0, 9), indices("b", {3}, 0, 9)}, "path", seed));
  EXPECT_EQ(found, std::set<DraftInputs>({{{0, 1, 2}, {1, 2, 3}}, {{2, 1, 0}, {3, 2, 1}}}));
}

TEST(IndexChains, RowsOfOneLength) {
  model::BoundArgument offsets = indices("rows", {4}, 0, 0);
  offsets.fill = model::BoundFill{model::FillForm::offsets, 6, 0, 0, {}, {}};
  const DraftInputs graph = drawn({offsets, indices("columns", {6}, 0, 2)}, "next");
  EXPECT_EQ(graph[0], Numbers({0, 2, 4, 6}));
  EXPECT_EQ(graph[1], Numbers({1, 1, 2, 2, 2, 2})) << "row r leads to r + 1";
}

TEST(IndexChains, SomeNeighboursAreExchanged) {
  const Numbers found = drawn({indices("p", {1000}, 0, 999)}, "swapped")[0];
  Numbers sorted = found;
  std::ranges::sort(sorted);
  Numbers own(1000);
  std::iota(own.begin(), own.end(), 0.0);
  EXPECT_EQ(sorted, own);
  std::size_t moved = 0;
  for (std::size_t e = 0; e < found.size(); ++e) moved += found[e] != own[e];
  EXPECT_GT(moved, 40U);
  EXPECT_LT(moved, 400U);
}

TEST(IndexChains, AllOfThemAreTheScalar) {
  model::BoundArgument ignored{"ignored", model::ArgumentRole::scalar, model::DType::i32, {}, {}};
  ignored.scalar_integer = 3;
  bool all = false, one = false;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Numbers found = drawn({indices("p", {50}, 0, 9), ignored}, "scalar", seed)[0];
    const auto equal = std::ranges::count(found, 3);
    EXPECT_GE(equal, 49);
    all = all || equal == 50;
    one = one || equal == 49;
  }
  EXPECT_TRUE(all && one);
  bool low_byte = false, low_half = false;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const Numbers found = drawn({indices("p", {50}, 0, 70000), ignored}, "scalar", seed)[0];
    EXPECT_GE(std::ranges::count(found, 3), 24);
    low_byte = low_byte || std::ranges::count(found, 259) > 4;
    low_half = low_half || std::ranges::count(found, 65539) > 4;
  }
  EXPECT_TRUE(low_byte && low_half) << "who compares some of the bits takes them for it";
  ignored.scalar_integer = 10;
  EXPECT_EQ(drawn({indices("p", {2}, 0, 9), ignored}, "scalar")[0], Numbers({-7, -7})) << "it may not be 10";
}

model::Argument argument(const char* name, model::ArgumentRole role, const char* high) {
  model::Argument result;
  result.name = name;
  result.role = role;
  result.dtype = model::DType::i32;
  if (high != nullptr) {
    model::Fill fill;
    fill.form = model::FillForm::integers;
    fill.numbers.push_back({*model::Expression::parse("0")});
    fill.numbers.push_back({*model::Expression::parse(high)});
    result.fill = std::move(fill);
  }
  return result;
}

std::vector<std::string> kinds_of(const std::vector<model::Argument>& arguments) {
  std::vector<std::string> kinds;
  for (const model::InputSet& set : sets_of_indices(arguments)) {
    EXPECT_TRUE(leads_on(set.kind));
    kinds.push_back(set.kind);
  }
  return kinds;
}

TEST(IndexChains, OnlyOfNumbersThatAnAxisEnds) {
  using model::ArgumentRole;
  const std::vector<std::string> any{"next", "previous"}, one{"next", "previous", "swapped"},
      two{"next", "previous", "swapped", "path"};
  EXPECT_EQ(kinds_of({argument("p", ArgumentRole::input, "n - 1")}), one);
  EXPECT_EQ(kinds_of({argument("p", ArgumentRole::input, "n - 1"), argument("q", ArgumentRole::input, "n")}),
            two);
  EXPECT_TRUE(kinds_of({argument("p", ArgumentRole::input, "255")}).empty());
  EXPECT_EQ(kinds_of({argument("p", ArgumentRole::input, nullptr)}), any);
  model::Argument ignored = argument("ignored", ArgumentRole::scalar, nullptr);
  ignored.scalar.expression = *model::Expression::parse("3");
  EXPECT_EQ(kinds_of({argument("p", ArgumentRole::input, "255"), ignored}),
            std::vector<std::string>{"scalar"});
  ignored.scalar.expression = *model::Expression::parse("n");
  EXPECT_TRUE(kinds_of({argument("p", ArgumentRole::input, "255"), ignored}).empty()) << "a size";
  const auto all = structured_sets({argument("p", ArgumentRole::input, "n - 1")});
  for (const std::string& kind : one)
    EXPECT_EQ(std::ranges::count(all, kind, &model::InputSet::kind), 1) << kind;
}

}  // namespace
}  // namespace evo::evaluators::oracle
