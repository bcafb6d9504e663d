// What is granted beside the bounds of a comparison, and what counts of a sample.
#include <gtest/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/oracle/compared_output.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using compared_output::nan, compared_output::usual, compared_output::Output, compared_output::with_poison;
using model::ArgumentRole;
using model::DType;

TEST(Compare, ConditioningIsGrantedBesidesTheBoundsAndNoMore) {
  Output output(3);
  output.store_all();
  output.store(5, output.reference[5] + 0.1);
  EXPECT_EQ(output.judge().reason, "mismatch");
  CompareOptions options = usual;
  options.conditioning = OutputErrors{0.02, 0.04};
  EXPECT_TRUE(output.judge(options).pass);
  options.conditioning = OutputErrors{0.02, 0.01};
  EXPECT_EQ(output.judge(options).reason, "mismatch") << "the largest error counts";
  options.conditioning = OutputErrors{0.002, 0.04};
  EXPECT_EQ(output.judge(options).reason, "mismatch") << "their mean counts";
  options.conditioning = OutputErrors{nan, nan};
  EXPECT_EQ(output.judge(options).reason, "mismatch") << "what cannot be measured grants nothing";
}

TEST(Compare, WhatIsGrantedForFewElementsIsAtMostTheBoundOnceMore) {
  Output output(3);
  output.store_all();
  CompareOptions options = usual;
  options.conditioning = OutputErrors{100, 100};
  output.store(5, output.reference[5] + 10);
  EXPECT_TRUE(output.judge(options).pass);
  options.doubled_at_most = true;
  EXPECT_EQ(output.judge(options).reason, "mismatch");
  options.conditioning = OutputErrors{nan, nan};
  EXPECT_EQ(output.judge(options).reason, "mismatch") << "what cannot be measured grants nothing";
}

TEST(Compare, FlushingToZeroIsWithinTheSmallestStep) {
  Output output(2);
  for (double& value : output.reference) value = 0x1p-130;
  for (std::int64_t i = 0; i < 8; ++i) output.store(i, 0);
  EXPECT_FALSE(output.judge().pass);
  CompareOptions options = usual;
  options.conditioning = OutputErrors{};
  EXPECT_TRUE(output.judge(options).pass);
  for (double& value : output.reference) value = 0x1p-100;
  EXPECT_FALSE(output.judge(options).pass);
}

// Each of the additions that atomics make flushes.
TEST(Compare, SumsInAnyOrderMayLoseSeveralOfTheSmallestSteps) {
  Output output(2);
  for (double& value : output.reference) value = 0x1p-123;
  for (std::int64_t i = 0; i < 8; ++i) output.store(i, 0);
  CompareOptions options = usual;
  options.conditioning = OutputErrors{};
  EXPECT_FALSE(output.judge(options).pass);
  output.argument.reproducible = false;
  EXPECT_TRUE(output.judge(options).pass);
  for (double& value : output.reference) value = 0x1p-100;
  EXPECT_FALSE(output.judge(options).pass);
}

TEST(Compare, OfASampleOfBlocksOnlyWhatTheyWroteCounts) {
  Output output(3);
  std::vector<std::uint8_t> written(output.bytes.size(), 0);
  for (const std::int64_t index : {4, 5, 6, 7}) {
    output.store(index, output.reference[static_cast<std::size_t>(index)]);
    const auto offset =
        static_cast<std::size_t>(element_offsets(output.argument)[static_cast<std::size_t>(index)] * 4);
    std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(offset), 4, std::uint8_t{0xff});
  }
  EXPECT_EQ(output.judge(with_poison(0x7fc00123)).reason, "unwritten");
  CompareOptions options = with_poison(0x7fc00123);
  options.written = written;
  const Comparison correct = output.judge(options);
  EXPECT_TRUE(correct.pass) << correct.text("c");
  EXPECT_EQ(correct.elements, 4);
  EXPECT_EQ(written_elements(output.argument, written), (std::vector<std::int64_t>{4, 5, 6, 7}));
  output.store(6, 9);
  const Comparison wrong = output.judge(options);
  EXPECT_EQ(wrong.reason, "mismatch");
  EXPECT_EQ(wrong.worst.front().coordinates, (std::vector<std::int64_t>{1, 2}))
      << "as the whole output counts";
  output.store(6, output.reference[6]);
  output.bytes[4 * 4] = std::byte{1};  // the unused column of the first row
  EXPECT_EQ(output.judge(options).reason, "gap_overwritten");
}

/// A spike is rare in the whole output and common in the few elements of a sample: its rounding alone is more
/// than the bound of the whole.
TEST(Compare, BoundsOfASampleGrowWithItsNumbers) {
  Output output(100);
  output.reference.assign(400, 0.25);
  output.reference[4] = 1024;
  output.store_all();
  std::vector<std::uint8_t> written(output.bytes.size(), 0);
  const auto offsets = element_offsets(output.argument);
  for (const std::size_t index : {4, 5, 6, 7})
    std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(offsets[index] * 4), 4, std::uint8_t{0xff});
  CompareOptions options = usual;
  options.tolerance.relative_frobenius = 1;
  options.tolerance.max_abs_over_rms = 1e6;
  options.tolerance.reference_factor = model::ReferenceFactor{1, 0};
  options.tolerance.automatic = true;
  options.plain_errors = OutputErrors{0.1, 1};  // a spike that is off by 1: a root mean square of 0.05
  options.written = written;
  output.store(4, 1025);
  EXPECT_TRUE(output.judge(options).pass) << "0.5 of the four";
  output.store(4, 1029);
  EXPECT_FALSE(output.judge(options).pass);
  output.store(4, 1024);
  output.reference[4] = 0.25;
  output.store(4, 1.25);
  EXPECT_FALSE(output.judge(options).pass) << "what is as large as elsewhere is as near";
}

TEST(Compare, WrittenElementsAreFoundAmongSampledRows) {
  Output output(3);
  output.store_all();
  const std::vector<std::int64_t> rows{1};
  const std::vector<double> reference(output.reference.begin() + 4, output.reference.begin() + 8);
  const std::vector<std::uint8_t> written(output.bytes.size(), 0xff);
  CompareOptions options = usual;
  options.rows = rows;
  options.written = written;
  EXPECT_TRUE(compare(output.argument, output.bytes, reference, options).pass);
  output.store(5, 9);
  EXPECT_FALSE(compare(output.argument, output.bytes, reference, options).pass);
}

TEST(Compare, OfNothingWhatIsMeasuredIsGrantedAndAnExactClassIsExact) {
  const auto argument = tests::array_argument("y", ArgumentRole::output, DType::f32, {4});
  const std::vector<double> reference(4, 0);
  CompareOptions options = usual;
  options.conditioning = OutputErrors{0x1p-20, 0x1p-20};
  options.doubled_at_most = true;
  const auto reason = [&](float value) {
    std::vector<std::byte> bytes(16);
    for (std::size_t i = 0; i < 4; ++i) store_element(DType::f32, value, bytes.data() + 4 * i);
    return compare(argument, bytes, reference, options).reason;
  };
  EXPECT_EQ(reason(1e-7F), "");
  EXPECT_EQ(reason(5), "mismatch");
  EXPECT_EQ(reason(std::numeric_limits<float>::quiet_NaN()), "non_finite");
  options.tolerance.relative_frobenius = options.tolerance.max_abs_over_rms = 0;
  EXPECT_EQ(reason(1e-7F), "mismatch");
}

}  // namespace
}  // namespace evo::evaluators::oracle
