// Half a unit in the last place of an output's type, which a rounded output may be off by.
#include <cmath>

#include <gtest/gtest.h>

#include "evaluators/oracle/compare.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::oracle {
namespace {

using model::ArgumentRole;
using model::DType;

/// One row of FP16 around 1.5 on three rows of 0.001: half a unit at 1.5 is 5e-4.
struct HalfOutput {
  HalfOutput() : argument(tests::array_argument("c", ArgumentRole::output, DType::f16, {4}, {1})) {}
  [[nodiscard]] Comparison judge(const std::vector<double>& stored) const {
    std::vector<std::byte> bytes(8);
    for (std::size_t i = 0; i < 4; ++i) store_element(DType::f16, stored[i], bytes.data() + 2 * i);
    return compare(argument, bytes, reference,
                   {.tolerance = {"test", 1.0, 1e-4}, .exact = false, .poison = std::nullopt});
  }
  model::BoundArgument argument;
  std::vector<double> reference{1.5 + 0x1p-11, 1e-3, 1e-3, 1e-3};
};

TEST(Compare, ACorrectlyRoundedOutputHasNoLargestError) {
  const HalfOutput output;
  const Comparison result = output.judge(output.reference);
  EXPECT_TRUE(result.pass) << result.text("c");
  EXPECT_EQ(result.max_abs_over_rms, 0);
}

TEST(Compare, BeyondHalfAUnitTheLargestErrorCounts) {
  const HalfOutput output;
  std::vector<double> stored = output.reference;
  stored[0] = 1.5 - 0x1p-10;  // a unit and a half off
  const Comparison result = output.judge(stored);
  EXPECT_FALSE(result.pass);
  EXPECT_NEAR(result.max_abs_over_rms, 0x1p-10 / 0.75, 2e-5);
}

// 1.5 and a unit in the last place of the type, which is granted half of that and no more; f64 and integers
// are granted nothing.
TEST(Compare, EachTypeIsGrantedItsOwnHalfUnit) {
  struct Grant {
    DType dtype;
    double unit, granted;
  };
  for (const Grant& grant :
       {Grant{DType::f16, 0x1p-10, 0x1p-11}, Grant{DType::bf16, 0x1p-7, 0x1p-8},
        Grant{DType::f32, 0x1p-23, 0x1p-24}, Grant{DType::f64, 0x1p-40, 0}, Grant{DType::i32, 0.5, 0}}) {
    const auto argument = tests::array_argument("c", ArgumentRole::output, grant.dtype, {1}, {1});
    std::vector<std::byte> bytes(static_cast<std::size_t>(model::size_of(grant.dtype)));
    store_element(grant.dtype, grant.dtype == DType::i32 ? 2 : 1.5 + grant.unit, bytes.data());
    const Comparison result = compare(argument, bytes, std::vector<double>{1.5},
                                      {.tolerance = {"", 1, 0}, .exact = false, .poison = std::nullopt});
    EXPECT_FALSE(result.pass);
    EXPECT_DOUBLE_EQ(result.max_abs_over_rms, (grant.unit - grant.granted) / 1.5) << grant.unit;
  }
}

}  // namespace
}  // namespace evo::evaluators::oracle
