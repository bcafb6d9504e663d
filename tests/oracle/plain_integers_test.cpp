// Integers that nobody says more of see structured sets of their own.
#include "evaluators/oracle/plain_integers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "evaluators/oracle/exact_words.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/oracle/matching.hpp"
#include "evaluators/oracle/packed_words.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/support/cases.hpp"
#include "tests/support/known.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

model::Case moved(DType input, DType output) {
  model::Case bound;
  bound.name = "case";
  bound.arguments = {tests::array_argument("x", ArgumentRole::input, input, {20, 30}),
                     tests::array_argument("y", ArgumentRole::output, output, {20, 30})};
  return bound;
}

std::vector<double> drawn(const model::Case& bound, const std::string& kind, double argument = 0) {
  const auto inputs =
      make_inputs(tests::known(), bound, {kind + " of x", kind, {{"argument", argument}}}, {.seed = 7});
  EXPECT_TRUE(inputs);
  return load_array(bound.arguments[0], inputs->at(0));
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}
double greatest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

TEST(PlainIntegers, EveryArgumentHasSetsOfItsOwn) {
  std::vector<model::Argument> arguments(2);
  arguments[0].name = "x";
  arguments[0].dtype = DType::i32;
  arguments[1].name = "y";
  arguments[1].dtype = DType::u8;
  std::set<std::string> names;
  for (const model::InputSet& set : structured_sets(arguments)) names.insert(set.name);
  for (const char* name :
       {"wide of x", "extremes of x", "negative of x", "ties of x", "rising of x", "falling of x",
        "ones of x", "zeros of x", "wide of y", "ties of y", "low of x", "high of y"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_FALSE(names.contains("negative of y") || names.contains("low of y")) << "it has no sign";
}

TEST(PlainIntegers, WideOnesFillTheirType) {
  const auto of = [](DType dtype) { return drawn(moved(dtype, dtype), "wide"); };
  EXPECT_LT(least(of(DType::i32)), -2e9);
  EXPECT_GT(greatest(of(DType::i32)), 2e9);
  EXPECT_LT(least(of(DType::i8)), -120);
  EXPECT_GE(least(of(DType::u32)), 0);
  EXPECT_GT(greatest(of(DType::u64)), 0x1p51);
  const auto ends = drawn(moved(DType::i16, DType::i16), "extremes");
  EXPECT_EQ(least(ends), -32768);
  EXPECT_EQ(greatest(ends), 32767);
  EXPECT_TRUE(std::count(ends.begin(), ends.end(), 0.0) > 0 &&
              std::count(ends.begin(), ends.end(), -1.0) > 0);
}

TEST(PlainIntegers, AllOf64BitsOccurWhereAKernelIsTheReference) {
  model::Case bound = moved(DType::u64, DType::u64);
  for (const char* kind : {"wide", "extremes"}) EXPECT_LE(greatest(drawn(bound, kind)), 0x1p52) << kind;
  bound.reference_launch = model::LaunchPlan{};
  const auto wide = drawn(bound, "wide");
  EXPECT_GT(greatest(wide), 0x1p63) << "the highest bit";
  EXPECT_TRUE(std::any_of(wide.begin(), wide.end(), [](double value) {
    return value < 0x1p53 && std::fmod(value, 2) == 1;
  })) << "the lowest bit";
  EXPECT_GT(greatest(drawn(bound, "extremes")), 0x1p63);
  bound = moved(DType::i64, DType::i64);
  bound.reference_launch = model::LaunchPlan{};
  EXPECT_LT(least(drawn(bound, "wide")), -0x1p62);
}

TEST(PlainIntegers, SumsOfWideOnesFitWhereTheyBecomeFloats) {
  const auto values = drawn(moved(DType::i32, DType::f32), "wide");
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  EXPECT_LT(sum, 0x1p30 + 600);
  EXPECT_GT(greatest(values), 1e6);
}

TEST(PlainIntegers, PatternsAreWhatTheirNamesSay) {
  const model::Case bound = moved(DType::i32, DType::i32);
  const auto rising = drawn(bound, "rising"), falling = drawn(bound, "falling");
  EXPECT_TRUE(std::is_sorted(rising.begin(), rising.end()));
  EXPECT_TRUE(std::is_sorted(falling.rbegin(), falling.rend()));
  EXPECT_EQ(drawn(bound, "ones"), std::vector<double>(600, 1));
  EXPECT_LT(greatest(drawn(bound, "negative")), 0);
  EXPECT_LT(greatest(drawn(bound, "low")), -0x1p29) << "below what a maximum may begin with";
  EXPECT_GT(least(drawn(bound, "high")), 0x1p29);
  const auto ties = drawn(bound, "ties");
  EXPECT_EQ(std::set<double>(ties.begin(), ties.end()).size(), 3U);
  const auto late = drawn(bound, "late_spike");
  for (std::size_t row = 0; row < 20; ++row) EXPECT_EQ(late[row * 30 + 29], 100);
  EXPECT_LE(greatest(drawn(bound, "wide", 1)), 100) << "a set of another argument leaves it as it is";
}

/// Faults on numbers that are no positions, as a kernel that looks them up does.
model::Expected<ReferenceOutputs> look_up(const model::Case& bound, const InputBuffers& inputs) {
  std::vector<double> values = load_array(bound.arguments[0], inputs[0]);
  if (greatest(values) > 1000) return tl::make_unexpected(model::Error{"out of bounds"});
  return ReferenceOutputs{{}, std::move(values)};
}

TEST(PlainIntegers, WhatTheReferenceCannotTakeIsPassedOver) {
  Catalogue known = tests::known();
  const Oracle oracle{"look_up", "", &look_up};
  known.add(std::span(&oracle, 1), {}, {});
  ReferenceCache cache(known);
  const model::Case bound = moved(DType::i32, DType::i32);
  const auto in_domain = [&](const char* kind) {
    return cache
        .get("look_up", bound, {kind, kind, {{"argument", 0}, {std::string(undeclared_parameter), 1}}},
             {.seed = 1})
        ->in_domain;
  };
  EXPECT_FALSE(in_domain("wide"));
  EXPECT_TRUE(in_domain("ties"));
}

/// Of words: the highest four bits, times a number.
model::Expected<ReferenceOutputs> top_fields(const model::Case& bound, const InputBuffers& inputs) {
  std::vector<double> values = load_array(bound.arguments[0], inputs[0]);
  for (double& value : values) {
    const auto word = static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    value = 0.3 * ((word >> 28) + 16 * (word & 15));
  }
  return ReferenceOutputs{{}, std::move(values)};
}
/// What a kernel may add up in 32 bits: the share that each has of the sum.
model::Expected<ReferenceOutputs> shares(const model::Case& bound, const InputBuffers& inputs) {
  std::vector<double> values = load_array(bound.arguments[0], inputs[0]);
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  for (double& value : values) value /= sum;
  return ReferenceOutputs{{}, std::move(values)};
}

TEST(PlainIntegers, AnyBitsAreForWordsAlone) {
  std::vector<model::Argument> arguments(2);
  arguments[0].name = "x";
  arguments[0].dtype = DType::u32;
  arguments[1].role = ArgumentRole::output;
  arguments[1].dtype = DType::f32;
  const auto asked = [&] {
    return std::ranges::any_of(structured_sets(arguments),
                               [](const model::InputSet& set) { return set.kind == bits_kind; });
  };
  EXPECT_TRUE(asked());
  arguments[0].dtype = DType::u16;
  EXPECT_FALSE(asked());
  Catalogue known = tests::known();
  const Oracle oracles[] = {{"top_fields", "", &top_fields}, {"shares", "", &shares}};
  known.add(oracles, {}, {});
  ReferenceCache cache(known);
  const model::Case bound = moved(DType::u32, DType::f32);
  EXPECT_GT(greatest(drawn(bound, "bits")), 0x1.fp31);
  EXPECT_LT(least(drawn(bound, "bits")), 0x1p28);
  const auto in_domain = [&](const char* oracle) {
    const model::InputSet set{"bits of x", "bits", {{"argument", 0}, {std::string(undeclared_parameter), 1}}};
    return cache.get(oracle, bound, set, {.seed = 1})->in_domain;
  };
  EXPECT_TRUE(in_domain("top_fields"));
  EXPECT_FALSE(in_domain("shares")) << "a correct kernel may leave 32 bits with such numbers";
}

TEST(PlainIntegers, AtOppositeEndsNoBitIsTheSame) {
  for (const DType dtype : {DType::u32, DType::i32, DType::u64, DType::i64}) {
    model::Case bound;
    bound.name = "case";
    bound.reference_launch.emplace();
    bound.arguments = {tests::array_argument("a", ArgumentRole::input, dtype, {4, 40}),
                       tests::array_argument("b", ArgumentRole::input, dtype, {4, 40}),
                       tests::array_argument("count", ArgumentRole::output, DType::i32, {4})};
    const auto inputs = make_inputs(tests::known(), bound,
                                    {"apart", std::string(ends_apart_kind), {{"argument", 0}}}, {.seed = 7});
    ASSERT_TRUE(inputs);
    const auto size = static_cast<std::size_t>(model::size_of(dtype));
    for (std::size_t byte = 0; byte < 40 * size; ++byte)
      ASSERT_EQ(inputs->at(0)[byte] ^ inputs->at(1)[byte], std::byte{0xff}) << byte;
  }
}

TEST(PlainIntegers, StandAtTheEndsOfTheirTypeInAllArraysAtOnce) {
  const model::Case bound = moved(DType::u8, DType::u8);
  EXPECT_GE(least(drawn(bound, "top")), 253);
  const auto bottom = drawn(moved(DType::i32, DType::i32), "bottom");
  EXPECT_LE(greatest(bottom), -0x1p31 + 2);
  EXPECT_EQ(std::set<double>(bottom.begin(), bottom.begin() + 30).size(), 1U) << "a row of nothing else";
  std::vector<model::Argument> arguments(2);
  arguments[0].name = "x";
  arguments[0].dtype = DType::u8;
  arguments[1].name = "y";
  arguments[1].dtype = DType::f32;
  arguments[1].fill.emplace();
  arguments[1].fill->form = model::FillForm::integers;
  const auto everywhere = [&](const char* kind) {
    return std::ranges::any_of(structured_sets(arguments), [&](const model::InputSet& set) {
      return set.kind == kind && !set.parameters.contains("argument");
    });
  };
  for (const char* kind : {"top", "bottom", "wide"}) EXPECT_TRUE(everywhere(kind)) << kind;
  arguments.pop_back();
  EXPECT_FALSE(everywhere("top")) << "of one alone there is no sum";
}

TEST(PlainIntegers, OneArrayStandsAtTheUpperEndAndTheOthersAtTheLower) {
  model::Case bound = moved(DType::u32, DType::i32);
  bound.arguments.push_back(tests::array_argument("z", ArgumentRole::input, DType::u8, {20, 30}));
  bound.arguments.push_back(tests::array_argument("r", ArgumentRole::input, DType::f32, {20, 30}));
  bound.arguments.back().fill = model::BoundFill{model::FillForm::integers, 3, 9, 0, {}, {}};
  const model::InputSet set{"ends_apart of z", std::string(ends_apart_kind), {{"argument", 2}}};
  const auto inputs = make_inputs(tests::known(), bound, set, {.seed = 7});
  ASSERT_TRUE(inputs);
  const auto x = load_array(bound.arguments[0], inputs->at(0)),
             z = load_array(bound.arguments[2], inputs->at(2)),
             r = load_array(bound.arguments[3], inputs->at(3));
  EXPECT_LT(greatest(x), 256);
  EXPECT_GE(least(z), 253);
  EXPECT_LE(greatest(r), 4);
  std::vector<model::Argument> arguments(3);
  for (model::Argument& argument : arguments) argument.dtype = DType::i32;
  EXPECT_EQ(std::ranges::count_if(structured_sets(arguments),
                                  [](const model::InputSet& made) { return made.kind == ends_apart_kind; }),
            3);
}

TEST(PlainIntegers, AreAllZero) {
  for (const DType dtype : {DType::i32, DType::u8, DType::i64})
    for (const double value : drawn(moved(dtype, dtype), "all_zero")) EXPECT_EQ(value, 0);
}

TEST(PlainIntegers, ExtremesHoldWordsOfFloatsAndPowersOfTen) {
  const auto values = drawn(moved(DType::u32, DType::u32), "extremes");
  const auto has = [&](const auto& what) { return std::ranges::any_of(values, what); };
  EXPECT_TRUE(has([](double value) { return value == 0x7f800000; })) << "an infinity";
  EXPECT_TRUE(has([](double value) { return static_cast<std::uint32_t>(value) % 0x10000 == 0x8000; }))
      << "between two BF16";
  EXPECT_TRUE(has([](double value) {
    return value > 1 && std::pow(10, std::round(std::log10(value))) - value == 1;
  })) << "the number below a power of ten";
  for (const double value : drawn(moved(DType::u8, DType::u8), "extremes")) EXPECT_LE(value, 255);
}

TEST(PlainIntegers, AreOddMultiplesOfPowersOfTwo) {
  const auto values = drawn(moved(DType::i32, DType::i32), "odd_multiples");
  const auto whole = [](double power) {
    return [power](double value) { return std::fmod(std::abs(value), 2 * power) == power; };
  };
  for (const double power : {0x1p8, 0x1p16, 0x1p24})
    EXPECT_TRUE(std::ranges::any_of(values, whole(power))) << power;
  EXPECT_TRUE(std::ranges::any_of(values, [](double value) { return value < -0x1p24; }));
}

TEST(PlainIntegers, StandInRuns) {
  const auto values = drawn(moved(DType::i32, DType::i32), "runs");
  std::size_t longest = 0, length = 0, runs = 1;
  for (std::size_t e = 1; e < values.size(); ++e) {
    length = values[e] == values[e - 1] ? length + 1 : 0;
    longest = std::max(longest, length);
    runs += values[e] == values[e - 1] ? 0 : 1;
  }
  EXPECT_GT(longest, 32U);
  EXPECT_GT(runs, 5U);
}

/// Half of each number, in 64 bits: what a kernel of the problem's own says.
class Halves final : public ComputedOracle {
 public:
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                          const InputBuffers& inputs) const override {
    ReferenceOutputs outputs(2);
    for (const std::int64_t word : words_of(bound, inputs)) outputs[1].push_back(static_cast<double>(word));
    return outputs;
  }
  [[nodiscard]] std::optional<ExactWords> compute_words(const model::Case& bound,
                                                        const InputBuffers& inputs) const override {
    return ExactWords{{}, words_of(bound, inputs)};
  }

 private:
  static std::vector<std::int64_t> words_of(const model::Case& bound, const InputBuffers& inputs) {
    std::vector<std::int64_t> words(static_cast<std::size_t>(element_count(bound.arguments[0])));
    std::memcpy(words.data(), inputs[0].data(), words.size() * sizeof(std::int64_t));
    for (std::int64_t& word : words) word /= 2;
    return words;
  }
};

TEST(ExactWords, HoldIntegersOf64BitsToAllOfThem) {
  model::Case bound = moved(DType::i64, DType::i64);
  bound.reference_launch.emplace();
  const model::InputSet set{"wide of x", "wide", {{"argument", 0}}};
  const auto inputs = make_inputs(tests::known(), bound, set, {.seed = 7});
  ASSERT_TRUE(inputs);
  Oracle oracle{"halves", "", nullptr};
  const Halves halves;
  oracle.computed = &halves;
  Reference reference;
  reference.outputs = *halves.compute(bound, *inputs);
  const ExactWords words = exact_words(oracle, bound, *inputs, reference);
  ASSERT_EQ(words.size(), 2U);
  ASSERT_EQ(words[1].size(), 600U);
  EXPECT_TRUE(std::ranges::any_of(words[1], [](std::int64_t word) {
    return std::abs(word) > (std::int64_t{1} << 55) && (word & 255) != 0;
  })) << "high and low bits at once";
  std::vector<std::byte> actual(600 * sizeof(std::int64_t));
  std::memcpy(actual.data(), words[1].data(), actual.size());
  EXPECT_FALSE(difference_of_words(bound.arguments[1], actual, words[1], {}));
  actual[8 * 77] ^= std::byte{1};
  const auto found = difference_of_words(bound.arguments[1], actual, words[1], {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->coordinates, (std::vector<std::int64_t>{2, 17}));
  EXPECT_EQ(found->count, 1);
  const std::vector<std::uint8_t> nothing(actual.size(), 0);
  EXPECT_FALSE(difference_of_words(bound.arguments[1], actual, words[1], nothing)) << "another block's";
  bound.arguments[0].dtype = DType::f64;
  EXPECT_TRUE(exact_words(oracle, bound, *inputs, reference).empty()) << "a rounding may decide";
}

/// Position of the largest of all, the first of several.
model::Expected<ReferenceOutputs> first_largest(const model::Case& bound, const InputBuffers& inputs) {
  const std::vector<double> values = load_array(bound.arguments[0], inputs[0]);
  const auto at = std::max_element(values.begin(), values.end()) - values.begin();
  return ReferenceOutputs{{}, {static_cast<double>(at)}};
}

TEST(Ties, AChangeOfTheInputsGrantsAnIntegerNothing) {
  Catalogue known = tests::known();
  const Oracle oracle{"first_largest", "", &first_largest};
  known.add(std::span(&oracle, 1), {}, {});
  ReferenceCache cache(known);
  model::Case bound = moved(DType::f32, DType::i32);
  bound.arguments[1].shape = bound.arguments[1].strides = {1};
  const auto granted = [&](const char* kind) {
    return cache.get("first_largest", bound, {kind, kind, {}}, {.seed = 1}, false, 1e-3)
        ->conditioning.at(1)
        .largest;
  };
  EXPECT_EQ(granted("ties"), 0);
  EXPECT_GT(granted("ones"), 0) << "a change of equals moves the answer";
}

}  // namespace
}  // namespace evo::evaluators::oracle
