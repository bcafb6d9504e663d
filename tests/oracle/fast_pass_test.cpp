// The quick look agrees with a plain loop, and sees whatever must be looked at again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/fast_pass.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

struct PassOutput {
  model::BoundArgument argument;
  std::vector<std::byte> bytes;
  std::vector<double> reference;
  std::vector<std::int64_t> offsets;

  void store(std::size_t index, double value) {
    store_element(argument.dtype, value, &bytes[static_cast<std::size_t>(offsets[index] * size())]);
  }
  [[nodiscard]] double load(std::size_t index) const {
    return load_element(argument.dtype, &bytes[static_cast<std::size_t>(offsets[index] * size())]);
  }
  [[nodiscard]] std::int64_t size() const { return model::size_of(argument.dtype); }
};

constexpr std::uint32_t poison = 0x7e337e55;

/// Rows of 1 to 40 elements, packed, permuted, or with a gap after each row.
PassOutput any_output(bool gaps = false) {
  PassOutput output;
  const auto dtype = *rc::gen::element(DType::f16, DType::bf16, DType::f32);
  const auto outer = *rc::gen::inRange<std::int64_t>(gaps ? 2 : 1, 5),
             middle = *rc::gen::inRange<std::int64_t>(1, 5), inner = *rc::gen::inRange<std::int64_t>(1, 41);
  const int layout = gaps ? 2 : *rc::gen::inRange(0, 3);
  const std::int64_t row = layout == 2 ? inner + 1 : inner;
  output.argument = tests::array_argument("O", ArgumentRole::output, dtype, {outer, middle, inner},
                                          layout == 1 ? std::vector<std::int64_t>{inner, outer * inner, 1}
                                                      : std::vector<std::int64_t>{middle * row, row, 1});
  output.offsets = element_offsets(output.argument);
  output.bytes.resize(static_cast<std::size_t>(buffer_bytes(output.argument)));
  for (std::size_t i = 0; i < output.bytes.size(); ++i)
    output.bytes[i] = static_cast<std::byte>((poison >> (8 * (i % 4))) & 0xff);
  for (std::size_t i = 0; i < output.offsets.size(); ++i) {
    const double value = *rc::gen::inRange(-100000, 100000) * 1e-4;
    output.reference.push_back(value);
    output.store(i, value);
  }
  return output;
}

std::optional<PassSums> look(const PassOutput& output, bool exact = false) {
  return pass_sums(output.argument, output.bytes, output.reference, exact, poison);
}

RC_GTEST_PROP(FastPass, SumsAreThoseOfAPlainLoop, ()) {
  PassOutput output = any_output();
  const auto off = *rc::gen::inRange<std::size_t>(0, output.reference.size());
  output.store(off, output.reference[off] + *rc::gen::inRange(-100, 100) * 0.01);
  double errors = 0, references = 0, largest = 0;
  for (std::size_t i = 0; i < output.reference.size(); ++i) {
    const double error = std::abs(output.load(i) - output.reference[i]);
    errors += error * error;
    references += output.reference[i] * output.reference[i];
    largest = std::max(largest, error);
  }
  const auto sums = look(output);
  RC_ASSERT(sums.has_value());
  RC_ASSERT(std::abs(sums->error_squares - errors) <= 1e-12 * errors);
  RC_ASSERT(std::abs(sums->reference_squares - references) <= 1e-12 * references);
  RC_ASSERT(sums->largest_error == largest);
}

RC_GTEST_PROP(FastPass, OneElementThatIsNotFiniteIsSeen, ()) {
  PassOutput output = any_output();
  const auto at = *rc::gen::inRange<std::size_t>(0, output.reference.size());
  const double bad =
      *rc::gen::element(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity());
  if (*rc::gen::arbitrary<bool>()) {
    output.store(at, bad);
  } else {
    output.reference[at] = bad;
  }
  RC_ASSERT(!look(output));
}

RC_GTEST_PROP(FastPass, OneUnwrittenElementIsSeen, ()) {
  PassOutput output = any_output();
  const auto at = *rc::gen::inRange<std::size_t>(0, output.reference.size());
  for (std::int64_t i = 0; i < output.size(); ++i) {
    const std::int64_t byte = output.offsets[at] * output.size() + i;
    output.bytes[static_cast<std::size_t>(byte)] =
        static_cast<std::byte>((poison >> (8 * (byte % 4))) & 0xff);
  }
  RC_ASSERT(!look(output));
}

RC_GTEST_PROP(FastPass, OneGapByteIsSeen, ()) {
  PassOutput output = any_output(true);
  const auto addressed = addressed_elements(output.argument);
  std::vector<std::size_t> gaps;
  for (std::size_t i = 0; i < addressed.size(); ++i) {
    if (!addressed[i]) gaps.push_back(i);
  }
  const std::size_t at = *rc::gen::elementOf(gaps);
  output.bytes[at * static_cast<std::size_t>(output.size())] ^= std::byte{1};
  RC_ASSERT(!look(output));
}

RC_GTEST_PROP(FastPass, ExactMeansTheRoundedReference, ()) {
  PassOutput output = any_output();
  RC_ASSERT(look(output, true).has_value());
  const auto at = *rc::gen::inRange<std::size_t>(0, output.reference.size());
  const auto byte = static_cast<std::size_t>(output.offsets[at] * output.size());
  output.bytes[byte] ^= std::byte{1};
  RC_ASSERT(!look(output, true));
}

TEST(FastPass, IntegersAreForTheSlowLook) {
  const auto argument = tests::array_argument("n", ArgumentRole::output, DType::i32, {2});
  EXPECT_FALSE(pass_sums(argument, std::vector<std::byte>(8), std::vector<double>{0, 0}, false, {}));
}

}  // namespace
}  // namespace evo::evaluators::oracle
