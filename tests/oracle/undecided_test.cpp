// Integers at the border of two, which a rounding on the way decides.
#include "evaluators/oracle/undecided.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/patterns.hpp"
#include "evaluators/oracle/reference_cache.hpp"
#include "tests/oracle/flat_array.hpp"

namespace evo::evaluators::oracle::undecided_cases {
namespace {

/// Made by a script from the numbers of the first input: in fp64, and in float. Counts how often it is asked.
class Scripted final : public ComputedOracle {
 public:
  using Rule = std::function<std::vector<double>(const std::vector<double>&)>;
  Scripted(model::DType input, Rule rule, Rule plain = {})
      : input_(input), rule_(std::move(rule)), plain_(std::move(plain)) {}
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case&,
                                                          const InputBuffers& inputs) const override {
    ++computed;
    return ReferenceOutputs{{}, rule_(numbers(inputs))};
  }
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case&, const InputBuffers& inputs, std::span<const std::int64_t>) const override {
    ++in_float;
    if (!plain_) return std::nullopt;
    return ReferenceOutputs{{}, plain_(numbers(inputs))};
  }
  [[nodiscard]] std::optional<ReferenceOutputs> compute_rounded(const model::Case&,
                                                                const InputBuffers& inputs,
                                                                std::uint64_t draw) const override {
    ++rounded_so;
    if (!rounded) return std::nullopt;
    return ReferenceOutputs{{}, rounded(numbers(inputs), draw)};
  }
  std::function<std::vector<double>(const std::vector<double>&, std::uint64_t)> rounded;
  mutable std::atomic<int> computed{0}, in_float{0}, rounded_so{0};

 private:
  [[nodiscard]] std::vector<double> numbers(const InputBuffers& inputs) const {
    const auto size = static_cast<std::size_t>(model::size_of(input_));
    std::vector<double> values(inputs[0].size() / size);
    for (std::size_t e = 0; e < values.size(); ++e)
      values[e] = load_element(input_, inputs[0].data() + e * size);
    return values;
  }
  model::DType input_;
  Rule rule_, plain_;
};

std::vector<double> each(const std::vector<double>& x, double (*of)(double)) {
  std::vector<double> values;
  for (const double number : x) values.push_back(of(number));
  return values;
}
std::vector<double> rounded(const std::vector<double>& x) {
  return each(x, [](double number) { return std::rint(number); });
}
std::vector<double> floored(const std::vector<double>& x) {
  return each(x, [](double number) { return std::floor(number); });
}
std::vector<double> above_a_half(const std::vector<double>& x) {
  return {static_cast<double>(std::ranges::count_if(x, [](double number) { return number > 0.5; }))};
}

model::Case rounding(model::DType input, model::DType result, std::int64_t inputs = 1,
                     std::int64_t outputs = 1) {
  model::Case bound;
  bound.arguments = {array("x", model::ArgumentRole::input, input, inputs),
                     array("q", model::ArgumentRole::output, result, outputs)};
  return bound;
}

InputBuffers buffers(model::DType type, const std::vector<double>& values) {
  InputBuffers inputs(2);
  const auto size = static_cast<std::size_t>(model::size_of(type));
  inputs[0].resize(values.size() * size);
  for (std::size_t e = 0; e < values.size(); ++e) store_element(type, values[e], inputs[0].data() + e * size);
  return inputs;
}

/// Of the script's answers to these numbers: the borders of its output.
std::vector<Border> borders_of(const Scripted& computed, const model::Case& bound,
                               const InputBuffers& inputs) {
  Oracle oracle{};
  oracle.computed = &computed;
  const NearbyAnswers nearby = nearby_answers(oracle, bound, 7);
  if (!nearby) return {};
  return nearby(inputs, *computed.compute(bound, inputs), Nearby::moved)[1];
}

TEST(Undecided, NearbyIsAFewUnitsInTheLastPlace) {
  const Scripted computed(model::DType::f32, rounded);
  const auto found = [&](float x) {
    return borders_of(computed, rounding(model::DType::f32, model::DType::i32),
                      buffers(model::DType::f32, {x}));
  };
  ASSERT_EQ(found(2.5000005F).size(), 1U);
  EXPECT_EQ(found(2.5000005F)[0].other, 2);
  EXPECT_FALSE(found(2.5000005F)[0].several);
  EXPECT_TRUE(found(2.501F).empty());
  // As float has it, too; what the moved inputs show besides is a third number.
  const Scripted otherwise(model::DType::f32, rounded, floored);
  const auto border = borders_of(otherwise, rounding(model::DType::f32, model::DType::i32),
                                 buffers(model::DType::f32, {2.9}));
  ASSERT_EQ(border.size(), 1U);
  EXPECT_EQ(border[0].other, 2);
}

TEST(Undecided, ABorderIsOneOfTwo) {
  // Fixed point: a few units in the last place of the input are several of the output.
  const auto fixed = [](const std::vector<double>& x) {
    return each(x, [](double number) { return std::rint(number * 0x1p22); });
  };
  const Scripted computed(model::DType::f32, fixed);
  const auto border = borders_of(computed, rounding(model::DType::f32, model::DType::i32),
                                 buffers(model::DType::f32, {1.2345}));
  ASSERT_EQ(border.size(), 1U);
  EXPECT_TRUE(border[0].several);
}

/// Integers times a number: in fp64 the tie at 98.5 is none.
std::vector<double> scaled(const std::vector<double>& x) {
  return each(x, [](double number) { return std::rint(number * double{0.05F}); });
}
std::vector<double> scaled_in_float(const std::vector<double>& x) {
  return each(x, [](double number) { return double{std::rint(static_cast<float>(number) * 0.05F)}; });
}

TEST(Undecided, IntegersTimesANumberAreTheReferencesToTell) {
  const Scripted computed(model::DType::i32, scaled, scaled_in_float);
  model::Case bound = rounding(model::DType::i32, model::DType::i8, 2, 2);
  const InputBuffers inputs = buffers(model::DType::i32, {1970, 1971});
  EXPECT_TRUE(borders_of(computed, bound, inputs).empty()) << "nor by a formula, that adds up in float";
  bound.reference_launch.emplace();
  const auto border = borders_of(computed, bound, inputs);
  ASSERT_EQ(border.size(), 1U);
  EXPECT_EQ(border[0].element, 0U);
  EXPECT_EQ(border[0].other, 98);
  EXPECT_TRUE(border[0].in_float);
}

TEST(Undecided, ScalarsAreMovedAsWell) {
  class Scale final : public ComputedOracle {
   public:
    [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case& bound,
                                                            const InputBuffers&) const override {
      return ReferenceOutputs{{}, {std::rint(50 * bound.arguments[2].scalar_float)}, {}};
    }
    [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
        const model::Case&, const InputBuffers&, std::span<const std::int64_t>) const override {
      return std::nullopt;
    }
  } scale;
  model::Case bound = rounding(model::DType::i32, model::DType::i8);
  bound.reference_launch.emplace();
  bound.arguments.push_back({"s", model::ArgumentRole::scalar, model::DType::f32, {}, {}});
  Oracle oracle{};
  oracle.computed = &scale;
  const auto found = [&](double scalar) {
    bound.arguments[2].scalar_float = scalar;
    const InputBuffers inputs = buffers(model::DType::i32, {1});
    return nearby_answers(oracle, bound, 7)(inputs, *scale.compute(bound, inputs), Nearby::moved)[1];
  };
  ASSERT_EQ(found(0.05000001).size(), 1U) << "2.5000005";
  EXPECT_EQ(found(0.05000001)[0].other, 2);
  EXPECT_TRUE(found(0.051).empty());
}

TEST(Undecided, ACountIsNoMatterOfBorders) {
  const Scripted computed(model::DType::f32, above_a_half);
  std::vector<double> x(64, 0.25);
  x[7] = 0.5000001;
  EXPECT_TRUE(borders_of(computed, rounding(model::DType::f32, model::DType::i32, 64, 1),
                         buffers(model::DType::f32, x))
                  .empty());
  x.resize(16);
  EXPECT_EQ(borders_of(computed, rounding(model::DType::f32, model::DType::i32, 16, 1),
                       buffers(model::DType::f32, x))
                .size(),
            1U)
      << "of 16 numbers it is";
}

TEST(Undecided, OnlyWhatIsNothingButWritten) {
  model::Case bound = rounding(model::DType::f32, model::DType::i32);
  EXPECT_TRUE(may_be_undecided(bound, 1));
  EXPECT_FALSE(may_be_undecided(bound, 0));
  bound.arguments[1].zeroed = true;
  EXPECT_FALSE(may_be_undecided(bound, 1));
  bound.arguments[1].zeroed = false;
  bound.arguments[1].role = model::ArgumentRole::inout;
  EXPECT_FALSE(may_be_undecided(bound, 1));
  EXPECT_TRUE(may_be_stored(bound, 1));
  EXPECT_FALSE(may_be_stored(bound, 0));
  bound.arguments[1].dtype = model::DType::i64;
  EXPECT_FALSE(may_be_stored(bound, 1));
}

/// Four bytes that are there: the first is written over, the next is added to, the third stays, and the
/// fourth is the larger of both.
class WrittenOver final : public ComputedOracle {
 public:
  [[nodiscard]] model::Expected<ReferenceOutputs> compute(const model::Case&,
                                                          const InputBuffers& inputs) const override {
    const auto there = [&](std::size_t e) { return load_element(model::DType::i8, inputs[1].data() + e); };
    const double number = std::rint(load_element(model::DType::f32, inputs[0].data()));
    return ReferenceOutputs{{}, {number, there(1) + number, there(2), std::max(there(3), number)}};
  }
  [[nodiscard]] model::Expected<std::optional<ReferenceOutputs>> compute_plain(
      const model::Case&, const InputBuffers&, std::span<const std::int64_t>) const override {
    return std::nullopt;
  }
};

TEST(Undecided, OfWhatIsThereOnlyWhatIsWrittenOver) {
  const WrittenOver computed;
  Oracle oracle{};
  oracle.computed = &computed;
  model::Case bound = rounding(model::DType::f32, model::DType::i8, 1, 4);
  bound.arguments[1].role = model::ArgumentRole::inout;
  InputBuffers inputs = buffers(model::DType::f32, {2.5000005});
  inputs[1] = {std::byte{7}, std::byte{9}, std::byte{5}, std::byte{90}};
  const auto reference = *computed.compute(bound, inputs);
  const NearbyAnswers nearby = nearby_answers(oracle, bound, 7);
  const auto borders = nearby(inputs, reference, Nearby::moved)[1];
  ASSERT_EQ(borders.size(), 1U) << "not what is added up";
  EXPECT_EQ(borders[0].element, 0U);
  EXPECT_EQ(borders[0].other, 2);
  const auto grants = [&](int first, int second) {
    const std::vector<std::byte> actual{static_cast<std::byte>(first), static_cast<std::byte>(second),
                                        std::byte{5}, std::byte{90}};
    return with_undecided(bound.arguments[1], 1, actual, reference, {}, inputs, nearby).has_value();
  };
  EXPECT_TRUE(grants(2, 12));
  EXPECT_FALSE(grants(3, 11));
  EXPECT_FALSE(grants(4, 12));
}

TEST(Undecided, OfZerosOnlyWhatIsWrittenOver) {
  const WrittenOver computed;
  Oracle oracle{};
  oracle.computed = &computed;
  model::Case bound = rounding(model::DType::f32, model::DType::i8, 1, 4);
  bound.arguments[1].zeroed = true;
  InputBuffers inputs = buffers(model::DType::f32, {2.5000005});
  inputs[1] = std::vector<std::byte>(4, std::byte{0});
  const auto reference = *computed.compute(bound, inputs);
  EXPECT_FALSE(may_be_stored(bound, 1)) << "no kernel can be asked";
  EXPECT_FALSE(nearby_answers(oracle, bound, 7));
  bound.reference_launch.emplace();
  const auto borders = nearby_answers(oracle, bound, 7)(inputs, reference, Nearby::moved)[1];
  ASSERT_EQ(borders.size(), 1U) << "not what is added up, nor the larger of both, which ones do not change";
  EXPECT_EQ(borders[0].element, 0U);
}

TEST(Undecided, OfACacheThoseCountThatAreWrittenOver) {
  model::BoundArgument cache = array("q", model::ArgumentRole::output, model::DType::i8, 8192);
  cache.role = model::ArgumentRole::inout;
  const NearbyAnswers all = [](const InputBuffers&, const ReferenceOutputs&, Nearby) -> const Borders& {
    static const Borders borders = [] {
      std::vector<Border> every;
      for (std::size_t e = 0; e < 8192; ++e) every.push_back({e, 4});
      return Borders{{}, every};
    }();
    return borders;
  };
  const auto grants = [&](std::size_t wrong, std::size_t there) {
    std::vector<std::byte> actual(8192, std::byte{5});
    std::fill_n(actual.begin(), wrong, std::byte{4});
    InputBuffers inputs(2);
    inputs[1].assign(8192, std::byte{5});
    std::fill_n(inputs[1].begin(), there, std::byte{9});
    return with_undecided(cache, 1, actual, ReferenceOutputs{{}, std::vector<double>(8192, 5)}, {}, inputs,
                          all)
        .has_value();
  };
  EXPECT_TRUE(grants(4, 100));
  EXPECT_FALSE(grants(5, 100));
  EXPECT_FALSE(grants(17, 8192)) << "one in 512";
  EXPECT_TRUE(grants(16, 8192));
}

TEST(Undecided, ADeclaredClassOfZerosAsksForTheSame) {
  EXPECT_TRUE(is_exact_class({.accuracy_class = "exact"}));
  EXPECT_FALSE(is_exact_class({.accuracy_class = "fp32", .relative_frobenius = 1e-6}));
  EXPECT_FALSE(is_exact_class({.accuracy_class = "auto", .automatic = true}));
}

TEST(Undecided, TheOracleIsAskedOnceForAllJudgements) {
  const Scripted computed(model::DType::f32, rounded, rounded);
  Oracle oracle{};
  oracle.computed = &computed;
  const model::Case bound = rounding(model::DType::f32, model::DType::i32);
  const InputBuffers inputs = buffers(model::DType::f32, {2.5000005});
  const ReferenceOutputs correct{{}, {3}};
  const NearbyAnswers nearby = nearby_answers(oracle, bound, 7), copy = nearby;
  EXPECT_EQ(nearby(inputs, correct, Nearby::moved)[1].size(), 1U);
  EXPECT_EQ(computed.computed, 32);
  EXPECT_EQ(copy(inputs, correct, Nearby::moved)[1].size(), 1U);
  EXPECT_EQ(computed.computed, 32);
  EXPECT_EQ(computed.in_float, 1);
  EXPECT_TRUE(nearby_answers(oracle, bound, 7, Borders(2))(inputs, correct, Nearby::moved)[1].size() == 1);
  EXPECT_EQ(computed.in_float, 1) << "known already";
}

TEST(Undecided, NumbersOf16BitsDoNotMove) {
  const Scripted computed(model::DType::f16, rounded, rounded);
  EXPECT_TRUE(
      borders_of(computed, rounding(model::DType::f16, model::DType::i32), buffers(model::DType::f16, {2.5}))
          .empty());
  EXPECT_EQ(computed.computed, 1) << "the reference itself";
}

/// Data of a case of 4096 numbers and integers, of a set that nobody declared.
std::shared_ptr<const ReferenceData> shown(const model::InputSet& set, const Scripted::Rule& plain,
                                           std::int64_t outputs = 4096) {
  Catalogue known;
  const auto computed = std::make_shared<Scripted>(
      model::DType::f32, outputs == 1 ? Scripted::Rule(above_a_half) : Scripted::Rule(rounded), plain);
  known.add("scripted", computed);
  ReferenceCache cache(known);
  const auto data =
      cache.get("scripted", rounding(model::DType::f32, model::DType::i32, 4096, outputs), set, {.seed = 1});
  EXPECT_EQ(computed->in_float, 1) << "once for all that ask";
  return data;
}

/// As rounded() has it, but for what is added to the first `count`.
Scripted::Rule off_by(double more, std::size_t count) {
  return [=](const std::vector<double>& x) {
    std::vector<double> values = rounded(x);
    for (std::size_t e = 0; e < count; ++e) values[e] += more;
    return values;
  };
}

TEST(Undecided, ASetThatACandidateChoosesIsStillShown) {
  model::Argument x;
  x.name = "x";
  x.dtype = model::DType::f32;
  const auto named = set_of_numbers({x}, {0.75});
  ASSERT_TRUE(named);
  const auto backdoor = shown(*named, off_by(1, 1));
  EXPECT_TRUE(backdoor->in_domain);
  EXPECT_TRUE(backdoor->nearby) << "the border is granted, and nothing else";
  EXPECT_TRUE(shown(*named, off_by(1, 2000))->in_domain) << "its number lies at a border";
  EXPECT_FALSE(shown(*named, off_by(100, 2000))->in_domain) << "out of float's reach";
}

TEST(Undecided, SetsStayThatHaveAFewBorders) {
  const std::map<std::string, double> undeclared{{std::string(undeclared_parameter), 1}};
  const model::InputSet mixed{"rising of x", "rising", undeclared};
  EXPECT_TRUE(shown(mixed, off_by(1, 8))->in_domain);
  EXPECT_FALSE(shown(mixed, off_by(1, 9))->in_domain) << "more than can be granted";
  const model::InputSet equals{"plateau of x", "plateau", undeclared};
  EXPECT_FALSE(shown(equals, off_by(1, 1))->in_domain);
  EXPECT_TRUE(shown(equals, off_by(1, 0))->in_domain);
  const auto tied = shown(equals, off_by(1, 0));
  EXPECT_TRUE(tied->nearby(tied->inputs, tied->outputs, Nearby::moved)[1].empty()) << "what moves is no tie";
  // A count is granted nothing: where float counts otherwise, nobody is asked.
  EXPECT_FALSE(
      shown(
          mixed, [](const std::vector<double>& numbers) { return std::vector{above_a_half(numbers)[0] + 1}; },
          1)
          ->in_domain);
}

/// 127 x over the largest: half of the largest is a tie, which a rounding of the scale decides.
TEST(Undecided, OfEqualsOnlyWhatARoundingOfTheReferenceDecides) {
  const auto bytes = [](const std::vector<double>& x, double scale) {
    std::vector<double> values;
    for (const double number : x) values.push_back(std::rint(number / scale));
    return values;
  };
  Scripted computed(model::DType::f32, [&](const auto& x) { return bytes(x, 1); });
  computed.rounded = [&](const auto& x, std::uint64_t draw) {
    return bytes(x, draw == 0 ? 1 - 0x1p-24 : 1 + 0x1p-24);
  };
  Oracle oracle{};
  oracle.computed = &computed;
  const model::Case bound = rounding(model::DType::f32, model::DType::i32, 3, 3);
  const InputBuffers inputs = buffers(model::DType::f32, {63.5, 62.25, 62.500004});
  const ReferenceOutputs correct{{}, {64, 62, 63}};
  const NearbyAnswers equals = nearby_answers(oracle, bound, 7, {}, {}, BorderSearch::roundings_alone);
  EXPECT_TRUE(equals(inputs, correct, Nearby::moved)[1].empty());
  EXPECT_EQ(computed.computed, 0) << "a change of the inputs breaks ties";
  const auto& found = equals(inputs, correct, Nearby::rounded)[1];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].element, 0U);
  EXPECT_EQ(found[0].other, 63);
  EXPECT_FALSE(found[0].several);
  EXPECT_EQ(computed.rounded_so, 16);
  // Elsewhere both count.
  const NearbyAnswers all = nearby_answers(oracle, bound, 7);
  EXPECT_EQ(all(inputs, correct, Nearby::rounded)[1].size(), 2U);
  // An answer that no rounding changes is decided.
  computed.rounded = [&](const auto& x, std::uint64_t) { return bytes(x, 1); };
  EXPECT_TRUE(nearby_answers(oracle, bound, 7, {}, {}, BorderSearch::roundings_alone)(inputs, correct,
                                                                                      Nearby::rounded)[1]
                  .empty());
}

TEST(Undecided, OnlyIntegersOfFloatingPointInputs) {
  const Oracle oracle{};
  EXPECT_FALSE(nearby_answers(oracle, rounding(model::DType::i32, model::DType::i32), 7));
  EXPECT_FALSE(nearby_answers(oracle, rounding(model::DType::f32, model::DType::f32), 7));
}

TEST(Undecided, SetsOfEqualsAreHeldToTheBit) {
  for (const char* kind :
       {"ties", "near_ties", "halves", "lowest", "highest", "ones", "plateau", "dominant", "equal"})
    EXPECT_TRUE(has_equals({kind, kind, {}})) << kind;
  EXPECT_FALSE(has_equals({"normal", "normal", {}}));
}

}  // namespace
}  // namespace evo::evaluators::oracle::undecided_cases
