// Outputs that hold a correct value before the launch: zeros, or an inout's contents.
#include "evaluators/oracle/compare.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

struct GivenOutputs : ::testing::Test {
  model::BoundArgument output = tests::array_argument("y", ArgumentRole::output, DType::f32, {4});
  std::vector<double> reference{0, 1, 2, 3};
  CompareOptions options{.tolerance = {"fp32", 1e-6, 1e-5}, .poison = 0U};

  std::vector<std::byte> bytes(const std::vector<double>& values, std::int64_t stride = 1,
                               std::byte gap = std::byte{0}) {
    std::vector<std::byte> all(static_cast<std::size_t>(4 * (stride * 3 + 1)), gap);
    for (std::size_t e = 0; e < values.size(); ++e)
      store_element(DType::f32, values[e], all.data() + 4 * stride * static_cast<std::int64_t>(e));
    return all;
  }
};

TEST_F(GivenOutputs, ZerosThatAreRightWereNotForgotten) {
  options.zeroed = true;
  EXPECT_TRUE(compare(output, bytes({0, 1, 2, 3}), reference, options).pass);
  reference[0] = 1e-9;
  EXPECT_TRUE(compare(output, bytes({0, 1, 2, 3}), reference, options).pass) << "within the tolerance";
}

TEST_F(GivenOutputs, ZerosThatAreWrongWere) {
  options.zeroed = true;
  const auto result = compare(output, bytes({0, 1, 2, 0}), reference, options);
  EXPECT_EQ(result.reason, "unwritten");
  EXPECT_EQ(result.unwritten, 1);
  EXPECT_EQ(compare(output, bytes({0, 1, 2, 7}), reference, options).reason, "mismatch");
}

TEST_F(GivenOutputs, AnInoutThatKeepsWhatItHeldIsUnwrittenWhereThatIsWrong) {
  const std::vector<std::byte> before = bytes({5, 1, 6, 7});
  options.poison = 0xffffffffU;
  options.given = before;
  EXPECT_TRUE(compare(output, bytes({0, 1, 2, 3}), reference, options).pass) << "y[1] was directly before";
  EXPECT_EQ(compare(output, before, reference, options).reason, "unwritten");
  EXPECT_EQ(compare(output, bytes({9, 9, 9, 9}), reference, options).reason, "mismatch");
}

TEST_F(GivenOutputs, GapsKeepWhatTheyHeld) {
  output.strides = {2};
  const std::vector<std::byte> before = bytes({5, 5, 5, 5}, 2, std::byte{0xff});
  options.poison = 0xffffffffU;
  options.given = before;
  std::vector<std::byte> after = bytes(reference, 2, std::byte{0xff});
  EXPECT_TRUE(compare(output, after, reference, options).pass);
  after[5] = std::byte{0};
  EXPECT_EQ(compare(output, after, reference, options).reason, "gap_overwritten");
  options.given = {};
  options.zeroed = true;
  options.poison = 0U;
  EXPECT_TRUE(compare(output, bytes(reference, 2), reference, options).pass);
  EXPECT_EQ(compare(output, bytes(reference, 2, std::byte{1}), reference, options).reason, "gap_overwritten");
}

TEST_F(GivenOutputs, RowsWithoutAReferenceMayHoldZeros) {
  output = tests::array_argument("y", ArgumentRole::output, DType::f32, {2, 2});
  options.zeroed = true;
  const std::vector<std::int64_t> rows{1};
  options.rows = rows;
  const std::vector<double> last{2, 3};
  EXPECT_TRUE(compare(output, bytes({0, 0, 2, 3}), last, options).pass);
  options.zeroed = false;
  EXPECT_EQ(compare(output, bytes({0, 0, 2, 3}), last, options).reason, "unwritten") << "a poison of zeros";
}

}  // namespace
}  // namespace evo::evaluators::oracle
