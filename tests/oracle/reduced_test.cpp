#include "evaluators/oracle/reduced.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;
using model::Reduction;

constexpr std::uint32_t nan_pattern = 0x7fc00123;

/// Two by three elements in `slices` slices.
model::BoundArgument output_of(Reduction reduce, std::int64_t slices, DType dtype = DType::f32) {
  model::BoundArgument output = tests::array_argument("c", ArgumentRole::output, dtype, {2, 3}, {3, 1});
  output.reduce = reduce;
  output.slices = slices;
  return output;
}

std::vector<std::byte> bytes_of(const model::BoundArgument& output, const std::vector<double>& values) {
  const std::int64_t size = model::size_of(output.dtype);
  std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < values.size(); ++i)
    store_element(output.dtype, values[i], bytes.data() + static_cast<std::int64_t>(i) * size);
  return bytes;
}

Comparison judged(const model::BoundArgument& output, const std::vector<double>& values,
                  const std::vector<double>& reference) {
  CompareOptions options{.tolerance = {"test", 1e-6, 1e-6}, .exact = false, .poison = nan_pattern};
  return compare(output, bytes_of(output, values), reference, options);
}

const std::vector<double> six{1, 2, 3, 4, 5, 6};

TEST(Reduced, SlicesAddUp) {
  const auto output = output_of(Reduction::sum, 2);
  EXPECT_EQ(output.extent(), 12);
  const std::vector<double> parts{0.5, 1, 1, 1, 1, 7, 0.5, 1, 2, 3, 4, -1};
  EXPECT_TRUE(judged(output, parts, six).pass);
  std::vector<double> other = parts;
  other[11] = 0;
  EXPECT_EQ(judged(output, other, six).reason, "mismatch") << "a wrong number in the last slice";
}

TEST(Reduced, TheLargestAndTheLeastOfTheSlices) {
  const std::vector<double> parts{1, 2, 0, 0, 5, 0, -1, 2, 3, 4, -5, 6};
  EXPECT_TRUE(judged(output_of(Reduction::max, 2), parts, six).pass);
  EXPECT_FALSE(judged(output_of(Reduction::min, 2), parts, six).pass);
  EXPECT_TRUE(judged(output_of(Reduction::min, 2), parts, {-1, 2, 0, 0, -5, 0}).pass);
}

TEST(Reduced, AnySliceHasToBeWritten) {
  for (const Reduction reduction : {Reduction::sum, Reduction::max}) {
    std::vector<double> parts(12, 0);
    const auto output = output_of(reduction, 2, DType::i32);
    std::vector<std::byte> bytes = bytes_of(output, parts);
    const std::uint32_t pattern = 0x80000001;
    CompareOptions options{.tolerance = {"test", 0, 0}, .exact = true, .poison = pattern};
    EXPECT_TRUE(compare(output, bytes, std::vector<double>(6, 0), options).pass);
    // Far below all others, so that a maximum does not see it.
    std::memcpy(bytes.data() + 4 * 7, &pattern, 4);
    EXPECT_EQ(compare(output, bytes, std::vector<double>(6, 0), options).reason, "unwritten");
  }
}

TEST(Reduced, ANotANumberInASliceIsOneInTheResult) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
    std::vector<double> parts(12, 1);
    parts[8] = nan;
    EXPECT_EQ(
        judged(output_of(reduction, 2), parts, std::vector<double>(6, reduction == Reduction::sum ? 2 : 1))
            .reason,
        "non_finite");
  }
}

RC_GTEST_PROP(Reduced, AnyOrderIsRight, (std::vector<std::int16_t> values)) {
  RC_PRE(!values.empty());
  model::BoundArgument output = tests::array_argument("c", ArgumentRole::output, DType::i32,
                                                      {static_cast<std::int64_t>(values.size())}, {1});
  output.reduce = Reduction::sort;
  const std::vector<double> reference(values.begin(), values.end());
  const auto shuffled = *rc::gen::exec([&] {
    std::vector<std::int16_t> rest = values;
    for (std::size_t i = rest.size(); i > 1; --i)
      std::swap(rest[i - 1], rest[*rc::gen::inRange<std::size_t>(0, i)]);
    return std::vector<double>(rest.begin(), rest.end());
  });
  RC_ASSERT(judged(output, shuffled, reference).pass);
  auto wrong = shuffled;
  wrong.back() += 1;
  RC_ASSERT(!judged(output, wrong, reference).pass);
}

TEST(Reduced, AHitThatIsLostOrTwiceThereIsSeen) {
  const auto output = output_of(Reduction::sort, 1, DType::i32);
  EXPECT_TRUE(judged(output, {6, 1, 0, 3, 0, 2}, {1, 2, 3, 6, 0, 0}).pass);
  EXPECT_FALSE(judged(output, {6, 1, 0, 3, 0, 0}, {1, 2, 3, 6, 0, 0}).pass);
  EXPECT_FALSE(judged(output, {6, 1, 0, 3, 3, 2}, {1, 2, 3, 6, 0, 0}).pass);
}

TEST(Reduced, AnAnswerIsSpreadSoThatItReducesToItself) {
  for (const Reduction reduction : {Reduction::sum, Reduction::max, Reduction::min}) {
    const auto output = output_of(reduction, 3);
    std::vector<double> first = six;
    first.resize(18, 0);
    std::vector<std::byte> bytes = bytes_of(output, first);
    spread_slices(output, bytes);
    const CompareOptions options{.tolerance = {"test", 0, 0}, .exact = true, .poison = std::nullopt};
    EXPECT_TRUE(compare(output, bytes, six, options).pass);
    EXPECT_EQ(as_one_slice(output, bytes), bytes_of(output_of(reduction, 1), six));
  }
}

TEST(Reduced, ABufferOfAnotherSizeIsWrong) {
  const auto output = output_of(Reduction::sum, 2);
  const CompareOptions options{.tolerance = {"test", 1, 1}, .exact = false, .poison = std::nullopt};
  EXPECT_FALSE(compare(output, bytes_of(output, six), six, options).pass);
}

TEST(Reduced, NoSliceIsAGap) {
  const auto output = output_of(Reduction::sum, 2);
  const auto addressed = addressed_elements(output);
  EXPECT_EQ(addressed.size(), 12U);
  EXPECT_EQ(std::count(addressed.begin(), addressed.end(), true), 12);
  EXPECT_FALSE(overlaps_itself(output));
}

}  // namespace
}  // namespace evo::evaluators::oracle
