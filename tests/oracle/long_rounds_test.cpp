// Inputs on which rounds are many.
#include "evaluators/oracle/long_rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <utility>

#include "evaluators/oracle/catalogue.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/longest.hpp"
#include "evaluators/oracle/patterns.hpp"

namespace evo::evaluators::oracle {
namespace {

model::BoundArgument integers(const char* name, std::vector<std::int64_t> shape, model::DType dtype,
                              std::optional<std::pair<double, double>> range) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  model::BoundArgument argument{name, model::ArgumentRole::input, dtype, std::move(shape),
                                std::move(strides)};
  if (range)
    argument.fill = model::BoundFill{model::FillForm::integers, range->first, range->second, 0, {}, {}};
  return argument;
}

DraftInputs drawn(const std::vector<model::BoundArgument>& arguments, const char* kind, std::uint64_t seed) {
  model::Case bound;
  bound.arguments = arguments;
  model::BoundArgument output = integers("y", {4}, model::DType::i32, std::nullopt);
  output.role = model::ArgumentRole::output;
  bound.arguments.push_back(output);
  DraftInputs draft;
  for (const model::BoundArgument& argument : arguments)
    draft.emplace_back(static_cast<std::size_t>(element_count(argument)), -7.0);
  draft.emplace_back();
  draw_long_rounds(bound, {kind, kind, {}}, {.seed = seed}, draft);
  return draft;
}

/// Steps from the element that is furthest from `start` through elements that are `free`.
int longest_way(const std::vector<double>& cells, int rows, int columns, double free, int start) {
  std::vector<int> steps(cells.size(), -1);
  std::deque<int> next{start};
  steps[static_cast<std::size_t>(start)] = 0;
  int most = 0;
  while (!next.empty()) {
    const int at = next.front(), x = at % columns;
    next.pop_front();
    const auto go = [&](bool inside, int to) {
      if (!inside || cells[static_cast<std::size_t>(to)] != free || steps[static_cast<std::size_t>(to)] >= 0)
        return;
      steps[static_cast<std::size_t>(to)] = steps[static_cast<std::size_t>(at)] + 1;
      most = std::max(most, steps[static_cast<std::size_t>(to)]);
      next.push_back(to);
    };
    go(x > 0, at - 1);
    go(x + 1 < columns, at + 1);
    go(at >= columns, at - columns);
    go(at + columns < rows * columns, at + columns);
  }
  return most;
}

TEST(LongRounds, AWayWindsThroughAllOfIt) {
  int from_the_corner = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const char* kind : {"winding", "winding_high"}) {
      const auto cells =
          drawn({integers("w", {9, 11}, model::DType::u8, std::pair{0.0, 1.0})}, kind, seed)[0];
      EXPECT_EQ((std::set<double>(cells.begin(), cells.end())), (std::set<double>{0, 1}));
      const double free = std::string_view(kind) == "winding" ? 0 : 1;
      if (cells[0] == free && longest_way(cells, 9, 11, free, 0) > 2 * (9 + 11)) ++from_the_corner;
    }
  }
  EXPECT_GT(from_the_corner, 30) << "of 40";
}

TEST(LongRounds, OnlyAChainIsCheap) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto weights =
        drawn({integers("w", {6, 6}, model::DType::i32, std::pair{3.0, 900.0})}, "chain", seed)[0];
    EXPECT_EQ(std::ranges::count(weights, 3.0), 5);
    EXPECT_EQ(std::ranges::count(weights, 900.0), 31);
    for (int i = 0; i < 6; ++i)
      EXPECT_LE(std::count(weights.begin() + 6 * i, weights.begin() + 6 * i + 6, 3.0), 1) << "one way on";
  }
}

TEST(LongRounds, EuclidTakesMostStepsForNeighbours) {
  const auto draft = drawn({integers("a", {8}, model::DType::u32, std::nullopt),
                            integers("b", {8}, model::DType::u32, std::nullopt)},
                           "euclid", 1);
  EXPECT_EQ(draft[0][0], 2971215073.0);
  EXPECT_EQ(draft[1][0], 1836311903.0);
  int most = 0;
  for (std::size_t e = 0; e < 8; ++e) {
    auto a = static_cast<std::uint64_t>(draft[0][e]), b = static_cast<std::uint64_t>(draft[1][e]);
    int steps = 0;
    for (; b != 0; ++steps) a = std::exchange(b, a % b);
    most = std::max(most, steps);
  }
  EXPECT_GE(most, 44);
  const auto small = drawn({integers("a", {8}, model::DType::i32, std::pair{1.0, 100.0})}, "euclid", 1)[0];
  for (const double value : small) EXPECT_TRUE(value >= 1 && value <= 89) << value;
}

TEST(LongRounds, OfWhatHasThem) {
  model::Argument wall;
  wall.name = "wall";
  wall.dtype = model::DType::u8;
  for (const char* size : {"h", "w"}) wall.shape.push_back(*model::Expression::parse(size));
  const auto has = [](const model::Argument& argument, std::string_view kind) {
    return std::ranges::count(structured_sets({argument}), kind, &model::InputSet::kind) > 0;
  };
  EXPECT_TRUE(has(wall, "winding") && has(wall, "winding_high") && has(wall, longest_kind));
  EXPECT_FALSE(has(wall, "chain") || has(wall, "euclid"));
  wall.shape[1] = wall.shape[0];
  EXPECT_TRUE(has(wall, "chain"));
  wall.dtype = model::DType::f32;
  EXPECT_TRUE(has(wall, "chain"));
  EXPECT_FALSE(has(wall, "winding") || has(wall, longest_kind));
}

/// Takes as long as the sequence of elements at the front that alternate.
class Alternating final : public ComputedOracle {
 public:
  explicit Alternating(bool hangs_on_data) : hangs_on_data_(hangs_on_data) {}
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case&,
                                                          const InputBuffers&) const override {
    return ReferenceOutputs{};
  }
  [[nodiscard]] std::optional<std::uint64_t> effort(const model::Case&,
                                                    const InputBuffers& inputs) const override {
    ++asked;
    return 100 + (hangs_on_data_ ? 100 * length(inputs) : asked);
  }
  static std::uint64_t length(const InputBuffers& inputs) {
    std::uint64_t length = 1;
    while (length < inputs[0].size() && inputs[0][length] != inputs[0][length - 1]) ++length;
    return length;
  }
  mutable std::uint64_t asked = 0;

 private:
  bool hangs_on_data_;
};

TEST(Longest, IsFoundByTheReferencesEffort) {
  model::Case bound;
  bound.name = "w0";
  bound.arguments.push_back(integers("x", {24}, model::DType::u8, std::pair{0.0, 1.0}));
  std::uint64_t longest_draw = 0, longest_found = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Catalogue known;
    std::uint64_t at_first = 0;
    const auto draw = [&](const model::InputSet& set, const InputKey& key) {
      auto inputs = make_inputs(known, bound, set, key);
      if (key.seed == seed) at_first = std::max(at_first, Alternating::length(*inputs));
      return inputs;
    };
    const Alternating oracle(true);
    const auto found = longest_inputs(&oracle, bound, {.seed = seed}, draw);
    ASSERT_TRUE(found);
    EXPECT_GE(Alternating::length(*found), at_first);
    EXPECT_LE(oracle.asked, 64U);
    longest_draw += at_first;
    longest_found += Alternating::length(*found);
    EXPECT_EQ(*longest_inputs(&oracle, bound, {.seed = seed}, draw), *found) << "the same again";
  }
  EXPECT_GT(longest_found, longest_draw) << "changes of the longest are longer still";
}

TEST(Longest, IsLeftWhereTheDataDecidesNothing) {
  model::Case bound;
  bound.arguments.push_back(integers("x", {24}, model::DType::u8, std::pair{0.0, 1.0}));
  const Catalogue known;
  const auto draw = [&](const model::InputSet& set, const InputKey& key) {
    return make_inputs(known, bound, set, key);
  };
  const Alternating oracle(false);
  ASSERT_TRUE(longest_inputs(&oracle, bound, {}, draw));
  EXPECT_LE(oracle.asked, 4U);
  EXPECT_TRUE(longest_inputs(nullptr, bound, {}, draw)) << "nobody counts";
}

}  // namespace
}  // namespace evo::evaluators::oracle
