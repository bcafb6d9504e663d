// Sampled rows: which, what their reference is, and what the comparison still sees of all others.
#include "evaluators/oracle/row_sample.hpp"

#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/input_sets.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

constexpr std::size_t o = 3;  // of attention_case's arguments

/// More work than whole_reference_flops allows; the shape is small all the same.
model::Case big(std::int64_t batch, std::int64_t heads, std::int64_t seq, bool causal = false) {
  model::Case bound = tests::attention_case(batch, heads, seq, 16, causal, true);
  bound.flops = 1e12;
  return bound;
}

TEST(RowSample, HasTheFirstTheLastAndARowOfEachHead) {
  const model::Case bound = big(3, 5, 200);
  const auto rows = draw_rows(bound, bound.arguments[o], 7);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 3 * 5 * 200 - 1);
  EXPECT_EQ(rows.size(), static_cast<std::size_t>(fewest_rows));
  std::set<std::int64_t> heads, borders;
  for (const std::int64_t row : rows) {
    heads.insert(row / 200);
    if (row % 200 % 16 == 0 || row % 200 % 16 == 15) borders.insert(row);
  }
  EXPECT_EQ(heads.size(), 15U);
  EXPECT_GE(borders.size(), 15U) << "tiles begin and end there";
  EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()).size(), rows.size());
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
}

// With so many heads no turn comes round to the first and the last row of one.
TEST(RowSample, HasTheFirstAndTheLastOfManyHeadsToo) {
  const model::Case bound = big(20, 60, 100);
  for (const std::uint64_t entropy : {7U, 8U, 9U}) {
    const auto rows = draw_rows(bound, bound.arguments[o], entropy);
    EXPECT_EQ(rows.front(), 0);
    EXPECT_EQ(rows.back(), 20 * 60 * 100 - 1);
  }
}

// By chance an eighth of the rows would lie beside a border.
TEST(RowSample, LooksMoreOftenWhereTilesMeet) {
  const model::Case bound = big(1, 1, 10007);
  const auto rows = draw_rows(bound, bound.arguments[o], 7);
  const auto borders = std::count_if(rows.begin(), rows.end(),
                                     [](std::int64_t row) { return row % 16 == 0 || row % 16 == 15; });
  EXPECT_GT(5 * borders, std::ssize(rows));
}

TEST(RowSample, IsDrawnFromTheEntropy) {
  const model::Case bound = big(1, 2, 1000);
  EXPECT_EQ(draw_rows(bound, bound.arguments[o], 7), draw_rows(bound, bound.arguments[o], 7));
  EXPECT_NE(draw_rows(bound, bound.arguments[o], 7), draw_rows(bound, bound.arguments[o], 8));
}

TEST(RowSample, CheapRowsAreManyAndAFewRowsAreAll) {
  model::Case bound = big(1, 1, 20000);
  bound.flops = 20000.0 * 1e6;  // a row: 1e6
  const auto rows = draw_rows(bound, bound.arguments[o], 1);
  EXPECT_NEAR(static_cast<double>(rows.size()), sample_flops / 1e6, 1);
  EXPECT_EQ(draw_rows(big(1, 1, 9), big(1, 1, 9).arguments[o], 1).size(), 9U);
}

TEST(RowSample, TheReferenceOfARowIsThatOfTheWhole) {
  for (const bool causal : {false, true}) {
    const model::Case bound = big(2, 3, 70, causal);
    const auto inputs =
        make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
    const Oracle& oracle = *evo::tests::known().find_oracle("attention_forward");
    const auto whole = oracle.compute(bound, inputs).value();
    const auto sampled = make_reference(oracle, bound, inputs, 5).value();
    ASSERT_EQ(sampled.rows.size(), static_cast<std::size_t>(fewest_rows));
    ASSERT_EQ(sampled.outputs[o].size(), sampled.rows.size() * 16);
    for (std::size_t r = 0; r < sampled.rows.size(); ++r) {
      for (std::size_t d = 0; d < 16; ++d) {
        EXPECT_EQ(sampled.outputs[o][r * 16 + d],
                  whole[o][static_cast<std::size_t>(sampled.rows[r]) * 16 + d]);
      }
    }
  }
}

TEST(RowSample, SmallCasesAndOtherOraclesAreReferredToAsAWhole) {
  model::Case small = big(2, 3, 70);
  small.flops = whole_reference_flops;
  const auto inputs = make_inputs(evo::tests::known(), small, {"normal", "normal", {}}, {.seed = 3}).value();
  EXPECT_TRUE(make_reference(*evo::tests::known().find_oracle("attention_forward"), small, inputs, 5)
                  .value()
                  .rows.empty());
  model::Case sums = tests::vector_add_case(8);
  sums.flops = 1e12;
  const auto of_sums = make_inputs(evo::tests::known(), sums, {"normal", "normal", {}}, {.seed = 3}).value();
  EXPECT_TRUE(
      make_reference(*evo::tests::known().find_oracle("vector_add"), sums, of_sums, 5).value().rows.empty());
}

TEST(RowSample, TheCacheDrawsOtherRowsForOtherSetsAndSeeds) {
  ReferenceCache cache(evo::tests::known());
  const model::Case bound = big(1, 2, 500);
  const auto rows = [&](const char* set, std::uint64_t seed, std::uint64_t rotation = 0) {
    const InputKey key{.seed = seed, .rotation = rotation};
    return cache.get("attention_forward", bound, {set, "normal", {}}, key)->rows;
  };
  EXPECT_EQ(rows("a", 1).size(), static_cast<std::size_t>(fewest_rows));
  EXPECT_NE(rows("a", 1), rows("b", 1));
  EXPECT_NE(rows("a", 1), rows("a", 2));
  EXPECT_NE(rows("a", 1), rows("a", 1, 1));
  ReferenceCache whole(evo::tests::known(), std::int64_t{1} << 20, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(whole.get("attention_forward", bound, {"a", "normal", {}}, {.seed = 1})->rows.empty());
}

/// A correct output of a big case, whose rows can be spoilt.
struct SampledOutput {
  explicit SampledOutput(std::uint32_t pattern = 0x7e117e22) : poison(pattern) {
    const auto inputs =
        make_inputs(evo::tests::known(), bound, {"normal", "normal", {}}, {.seed = 3}).value();
    const Oracle& oracle = *evo::tests::known().find_oracle("attention_forward");
    reference = make_reference(oracle, bound, inputs, 5).value();
    offsets = element_offsets(argument());
    const auto whole = oracle.compute(bound, inputs).value();
    bytes.resize(static_cast<std::size_t>(buffer_bytes(argument())));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(poison >> (8 * (i % 4)));
    for (std::size_t i = 0; i < whole[o].size(); ++i) store(static_cast<std::int64_t>(i), whole[o][i]);
  }
  [[nodiscard]] const model::BoundArgument& argument() const { return bound.arguments[o]; }
  [[nodiscard]] std::size_t place(std::int64_t element) const {
    return 2 * static_cast<std::size_t>(offsets[static_cast<std::size_t>(element)]);
  }
  void store(std::int64_t element, double value) {
    store_element(model::DType::f16, value, &bytes[place(element)]);
  }
  void unwrite(std::int64_t element) {
    for (std::size_t at = place(element), i = 0; i < 2; ++i)
      bytes[at + i] = static_cast<std::byte>(poison >> (8 * ((at + i) % 4)));
  }
  /// A row that is (not) among the sampled ones.
  [[nodiscard]] std::int64_t row(bool sampled) const {
    if (sampled) return reference.rows[reference.rows.size() / 2];
    std::int64_t row = 1;
    while (std::binary_search(reference.rows.begin(), reference.rows.end(), row)) ++row;
    return row;
  }
  [[nodiscard]] Comparison judge(bool exact = false) const {
    return compare(argument(), bytes, reference.outputs[o],
                   {{"test", 1e-3, 1e-2}, exact, poison, reference.rows});
  }
  model::Case bound = big(2, 3, 70);
  std::uint32_t poison;
  std::vector<std::int64_t> offsets;  ///< of `bound`'s output, where its elements are stored
  Reference reference;
  std::vector<std::byte> bytes;
};

TEST(SampledRows, ARightOutputPasses) {
  const SampledOutput output;
  EXPECT_TRUE(output.judge().pass) << output.judge().text("O");
  EXPECT_EQ(output.judge().elements, 2 * 3 * 70 * 16);
}

TEST(SampledRows, AWrongSampledRowIsAMismatchAtItsPlace) {
  SampledOutput output;
  const std::int64_t element = output.row(true) * 16 + 5;
  output.store(element, 3);
  const Comparison result = output.judge();
  EXPECT_EQ(result.reason, "mismatch");
  EXPECT_EQ(result.worst.at(0).coordinates, coordinates_of(output.argument(), element));
  EXPECT_EQ(output.judge(true).reason, "mismatch");
}

TEST(SampledRows, ARowWithoutAReferenceMustBeWrittenAndFinite) {
  for (const std::uint32_t pattern : {0x7e117e22U, 0x7a11fa22U}) {  // NaNs, and large numbers
    SampledOutput output(pattern);
    output.unwrite(output.row(false) * 16 + 3);
    EXPECT_EQ(output.judge().reason, "unwritten");
    EXPECT_EQ(output.judge().unwritten, 1);
  }
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    SampledOutput output(0x7a11fa22);
    output.store(output.row(false) * 16 + 3, bad);
    EXPECT_EQ(output.judge().reason, "non_finite");
    EXPECT_EQ(output.judge().non_finite, 1);
  }
}

TEST(SampledRows, RowsThatDoNotExistAndReferencesOfAnotherSizeAreNoPass) {
  SampledOutput output;
  output.reference.rows.back() = 2 * 3 * 70;
  EXPECT_FALSE(output.judge().pass);
  output.reference.rows.pop_back();
  EXPECT_FALSE(output.judge().pass);
}

// Row 420 of 420 would be taken for row 0.
TEST(SampledRows, ARowPastTheEndIsNotAnother) {
  SampledOutput output;
  auto& values = output.reference.outputs[o];
  values.resize(16);
  output.reference.rows = {0, 2 * 3 * 70};
  values.insert(values.end(), values.begin(), values.begin() + 16);
  EXPECT_FALSE(output.judge().pass);
  output.reference.rows = {0};
  values.resize(16);
  EXPECT_TRUE(output.judge().pass) << output.judge().text("O");
}

TEST(SampledRows, GapsStillCount) {
  model::Case bound = big(1, 1, 100);
  bound.arguments[o].strides = {1700, 1700, 17, 1};
  SampledOutput output;
  output.bound = bound;
  output.offsets = element_offsets(bound.arguments[o]);
  output.reference.rows = {0, 99};
  output.reference.outputs[o].assign(32, 1.0);
  output.bytes.assign(static_cast<std::size_t>(buffer_bytes(bound.arguments[o])), std::byte{0});
  for (std::size_t i = 0; i < output.bytes.size(); ++i)
    output.bytes[i] = static_cast<std::byte>(output.poison >> (8 * (i % 4)));
  for (std::int64_t i = 0; i < 1600; ++i) output.store(i, 1.0);
  EXPECT_TRUE(output.judge().pass) << output.judge().text("O");
  output.bytes[2 * 16] ^= std::byte{1};
  EXPECT_EQ(output.judge().reason, "gap_overwritten");
}

// Doubles and integers have no quick look of their own.
TEST(SampledRows, OfOtherTypesTheOthersMustBeWrittenAndFiniteToo) {
  const auto argument =
      tests::array_argument("c", model::ArgumentRole::output, model::DType::f64, {4, 3}, {3, 1});
  const std::uint32_t poison = poison_pattern(model::DType::f64, 5, true);
  std::vector<std::byte> bytes(12 * 8);
  const auto store = [&](std::size_t element, double value) {
    store_element(model::DType::f64, value, &bytes[8 * element]);
  };
  const auto judge = [&] {
    return compare(argument, bytes, std::vector<double>(6, 2.0),
                   {{"test", 1e-3, 1e-2}, false, poison, std::vector<std::int64_t>{0, 3}});
  };
  for (std::size_t i = 0; i < 12; ++i) store(i, 2);
  EXPECT_TRUE(judge().pass) << judge().text("c");
  store(4, std::numeric_limits<double>::infinity());
  EXPECT_EQ(judge().reason, "non_finite");
  for (std::size_t at = 32; at < 40; ++at) bytes[at] = static_cast<std::byte>(poison >> (8 * (at % 4)));
  EXPECT_EQ(judge().reason, "unwritten");
}

}  // namespace
}  // namespace evo::evaluators::oracle
