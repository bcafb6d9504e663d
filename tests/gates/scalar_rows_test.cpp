// Several scalars with values of their own at once.
#include "evaluators/gates/scalar_rows.hpp"

#include "evaluators/gates/scalar_room.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/cases.hpp"

namespace evo::evaluators::gates::scalar_rows_cases {
namespace {

model::RandomStream stream() {
  return model::RandomStream({.seed = 3, .generation = 0, .slot = 0, .purpose = "test"});
}

model::Case scalars_of(std::size_t count) {
  model::Case bound;
  for (std::size_t i = 0; i < count; ++i)
    bound.arguments.push_back(tests::scalar_argument("s", model::DType::f32, 0.7));
  bound.arguments.push_back(tests::scalar_argument("flag", model::DType::i32, 3));
  return bound;
}

TEST(ScalarRows, AllCombinationsOfFew) {
  model::RandomStream draws = stream();
  const auto rows = scalar_rows(scalars_of(2), {{0, {0, 1}}, {1, {0}}, {2, {5}}}, 3, draws);
  std::set<std::pair<std::map<std::size_t, double>, std::size_t>> all;
  for (const ScalarRow& row : rows) all.insert({row.scalars, row.shape});
  EXPECT_EQ(all.size(), rows.size());
  EXPECT_EQ(rows.size(), 3U * 2 * 3 - 3 - 3) << "not as they are, nor one alone on the first shape";
  const std::map<std::size_t, double> one_and_zero{{0, 1.0}, {1, 0.0}}, zero{{1, 0.0}};
  EXPECT_TRUE(all.contains({one_and_zero, 0}));
  EXPECT_TRUE(all.contains({zero, 2}));
  EXPECT_FALSE(all.contains({zero, 0}));
}

TEST(ScalarRows, RoomIsForTheLargestAndOneInTheMiddle) {
  EXPECT_EQ(values_with_room({3, -40, 200, 7, 60}), (std::vector<std::int64_t>{200, -40}));
  EXPECT_EQ(values_with_room({2, 4}), (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(values_with_room({0, 1, -1, 65536, -4097, 4096}), (std::vector<std::int64_t>{4096}))
      << "flags need none, and no axis has it for counts";
  EXPECT_TRUE(values_with_room({}).empty());
}

TEST(ScalarRows, EachTwoOfMany) {
  model::RandomStream draws = stream();
  const auto rows =
      scalar_rows(scalars_of(4), {{0, {0, 1}}, {1, {0, 1}}, {2, {0, 1}}, {3, {0, -1}}}, 4, draws);
  EXPECT_LE(rows.size(), 24U);
  const auto meet = [&](std::size_t a, double of_a, std::size_t b, double of_b) {
    return std::any_of(rows.begin(), rows.end(), [&](const ScalarRow& row) {
      return row.scalars.contains(a) && row.scalars.at(a) == of_a && row.scalars.contains(b) &&
             row.scalars.at(b) == of_b;
    });
  };
  EXPECT_TRUE(meet(0, 0, 1, 0));
  EXPECT_TRUE(meet(0, 1, 3, -1));
  EXPECT_TRUE(meet(2, 1, 3, 0));
}

TEST(ScalarRows, NoneWhereTheCodeAsksForNone) {
  model::RandomStream draws = stream();
  EXPECT_TRUE(scalar_rows(scalars_of(2), {{2, {5}}}, 3, draws).empty()) << "an integer";
}

}  // namespace
}  // namespace evo::evaluators::gates::scalar_rows_cases
