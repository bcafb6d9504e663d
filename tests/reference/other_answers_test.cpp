// What references answer where something is computed otherwise: undefined quotients, roundings, powers.
#include <algorithm>
#include <cmath>

#include "evaluators/reference/division_traps.hpp"
#include "tests/reference/kernel_references.hpp"

namespace evo::evaluators::reference {
namespace {

TEST_F(KernelReferences, DivideByNoIntegerThatIsZeroWhereNobodyGaveIt) {
  const auto artifact = compile(R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 37 * 29) y[i] = x[i] + i / columns;
})");
  ASSERT_TRUE(artifact);
  const KernelReference reference(*artifact);
  for (const std::int64_t columns_now : {29, 0}) {
    bound_.arguments[4].scalar_integer = columns_now;
    bound_.undeclared_scalar.reset();
    EXPECT_TRUE(reference.compute(bound_, inputs_)) << "every GPU gives all ones";
    bound_.undeclared_scalar = 4;
    EXPECT_EQ(reference.compute(bound_, inputs_).has_value(), columns_now != 0);
  }
}

TEST_F(KernelReferences, HaveOtherQuotientsOnlyWhereTheirOwnAreUndefined) {
  const auto artifact = compile(R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 37 * 29) y[i] = i % 2 == 0 ? i / (columns * (i % 3 - 1)) : i;
})");
  ASSERT_TRUE(artifact);
  const KernelReference reference(*artifact);
  bound_.arguments[4].scalar_integer = 1;
  const auto own = reference.compute(bound_, inputs_);
  ASSERT_TRUE(own);
  for (std::uint64_t draw = 0; draw < oracle::quotient_draws; ++draw) {
    const auto other = reference.compute_with_other_quotients(bound_, inputs_, draw);
    ASSERT_TRUE(other);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      // 4 % 3 - 1 is 0, 0 % 3 - 1 is -1.
      const bool undefined = i % 2 == 0 && i % 3 == 1;
      EXPECT_EQ((*other)[1][i] != (*own)[1][i], undefined) << i;
    }
  }
  EXPECT_FALSE(reference.compute_with_other_quotients(bound_, inputs_, oracle::quotient_draws));
}

TEST_F(KernelReferences, TheLeastIntegerByMinusOneIsUndefined) {
  const auto artifact = compile(R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 37 * 29) y[i] = (i % 2 == 0 ? (int)0x80000000 : i) / columns;
})");
  ASSERT_TRUE(artifact);
  const KernelReference reference(*artifact);
  for (const int columns_now : {-1, -2}) {
    bound_.arguments[4].scalar_integer = columns_now;
    bound_.undeclared_scalar.reset();
    const auto own = reference.compute(bound_, inputs_);
    const auto other = reference.compute_with_other_quotients(bound_, inputs_, 0);
    ASSERT_TRUE(own && other);
    for (std::size_t i = 0; i < rows * columns; ++i)
      EXPECT_EQ((*other)[1][i] != (*own)[1][i], columns_now == -1 && i % 2 == 0) << i;
    bound_.undeclared_scalar = 4;
    EXPECT_EQ(reference.compute(bound_, inputs_).has_value(), columns_now != -1);
  }
}

TEST_F(KernelReferences, InFloatTheyRoundToEitherNeighbour) {
  const char* quotient = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = i % 2 == 0 ? x[i] / 3 : x[i] * 2;
})";
  const auto artifact = compile(quotient);
  ASSERT_TRUE(artifact);
  const auto in_float = compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80", "float"));
  ASSERT_TRUE(in_float);
  EXPECT_FALSE(KernelReference(*artifact).compute_rounded(bound_, inputs_, 0)) << "nothing in float";
  const KernelReference reference(*artifact, *in_float);
  const auto even = reference.compute_rounded(bound_, inputs_, 0);
  const auto odd = reference.compute_rounded(bound_, inputs_, 1);
  ASSERT_TRUE(even && odd);
  std::size_t apart = 0;
  for (std::size_t i = 0; i < (*even)[1].size(); ++i) {
    const double a = (*even)[1][i], b = (*odd)[1][i];
    EXPECT_LE(std::abs(a - b), std::abs(a) * 0x1p-22) << "neighbours, or on either side of what is exact";
    EXPECT_TRUE(i % 2 == 0 || a == b) << "twice a number is exact";
    apart += a != b;
  }
  EXPECT_GT(apart, (*even)[1].size() / 8);
}

TEST_F(KernelReferences, InFloatAnExactQuotientMayBeOneUnitOff) {
  const char* quotients = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const EVO_REAL by = i % 2 == 0 ? 3 : 4, n = 3 * i;
  if (i < rows * columns) y[i] = n / by;
})";
  const auto artifact = compile(quotients);
  ASSERT_TRUE(artifact);
  const auto in_float = compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80", "float"));
  ASSERT_TRUE(in_float);
  const KernelReference reference(*artifact, *in_float);
  const auto above = reference.compute_rounded(bound_, inputs_, 0).value();
  const auto below = reference.compute_rounded(bound_, inputs_, 1).value();
  EXPECT_EQ(above[1][0], 0);
  for (std::size_t i = 1; i < above[1].size(); ++i) {
    const double exact = 3.0 * static_cast<double>(i) / (i % 2 == 0 ? 3 : 4);
    if (i % 2 != 0) {
      EXPECT_EQ(above[1][i], exact) << "a reciprocal of 4 is exact";
      EXPECT_EQ(below[1][i], exact);
    } else {
      EXPECT_GT(above[1][i], exact);
      EXPECT_LT(below[1][i], exact);
      EXPECT_LE(above[1][i] - exact, exact * 0x1p-23);
    }
  }
}

/// In fp64 as well, and what moves far hangs on it: a number beside 1e30 is gone.
TEST_F(KernelReferences, InF64TheyRoundToEitherNeighbour) {
  const char* shares = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const EVO_REAL beside = i % 2 == 0 ? EVO_REAL(1e30) : EVO_REAL(3);
  const EVO_REAL all = beside + log(x[i] * x[i] + 2);
  y[i] = exp(beside - all) + sin(x[i]) + pow(x[i] * x[i] + 1, alpha) / 3;
})";
  const auto artifact = compile(shares);
  ASSERT_TRUE(artifact);
  const KernelReference reference(*artifact);
  const auto correct = reference.compute(bound_, inputs_).value();
  std::size_t apart = 0, moved = 0;
  for (std::uint64_t draw = 0; draw < 4; ++draw) {
    const auto rounded = reference.compute_rounded_in_f64(bound_, inputs_, draw);
    ASSERT_TRUE(rounded);
    for (std::size_t i = 0; i < correct[1].size(); ++i) {
      const double away = std::abs((*rounded)[1][i] - correct[1][i]);
      apart += away > 0;
      const double size = std::abs(correct[1][i]);
      EXPECT_TRUE(i % 2 == 0 || away <= 1e-7 * std::max(size, 1.0)) << "a few roundings of fp64";
      moved += i % 2 == 0 && away > 1e-3 * size;
    }
  }
  EXPECT_GT(apart, correct[1].size());
  EXPECT_GT(moved, correct[1].size() / 4);
}

/// A thousand sums of what rounds: to one side they would be a thousand units off.
TEST_F(KernelReferences, InFloatLongSumsDoNotDrift) {
  const char* sums = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  EVO_REAL sum = 1;
  for (int k = 0; k < 1000; ++k) sum += alpha / (k + i + 3);
  y[i] = sum;
})";
  const auto artifact = compile(sums);
  ASSERT_TRUE(artifact);
  const auto in_float = compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80", "float"));
  ASSERT_TRUE(in_float);
  const KernelReference reference(*artifact, *in_float);
  const auto correct = reference.compute(bound_, inputs_).value();
  for (std::uint64_t draw = 0; draw < 3; ++draw) {
    const auto rounded = reference.compute_rounded(bound_, inputs_, draw).value();
    double largest = 0;
    for (std::size_t i = 0; i < correct[1].size(); ++i)
      largest = std::max(largest, std::abs(rounded[1][i] / correct[1][i] - 1));
    EXPECT_GT(largest, 0) << draw;
    EXPECT_LT(largest, 200 * 0x1p-23) << draw;
  }
}

/// Frequencies of a rotation: powers of 10000.
TEST_F(KernelReferences, PowersByExp2AreAnotherWayToTheAnswer) {
  const char* powers = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = pow(10000.0, -2.0 * (i % columns) / columns);
})";
  const auto artifact = compile(powers);
  ASSERT_TRUE(artifact);
  const auto plain = compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80", "float"));
  const auto other =
      compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80", "float", Powers::by_exp2));
  ASSERT_TRUE(plain && other);
  EXPECT_FALSE(KernelReference(*artifact, *plain).compute_otherwise(bound_, inputs_, {}));
  const KernelReference reference(*artifact, *plain, nullptr, *other);
  const auto correct = reference.compute(bound_, inputs_).value();
  const auto as_written = reference.compute_plain(bound_, inputs_, {}).value().value();
  const auto otherwise = reference.compute_otherwise(bound_, inputs_, {});
  ASSERT_TRUE(otherwise);
  EXPECT_NE((*otherwise)[1], as_written[1]);
  double other_off = 0;
  for (std::size_t i = 0; i < correct[1].size(); ++i) {
    other_off = std::max(other_off, std::abs((*otherwise)[1][i] / correct[1][i] - 1));
  }
  EXPECT_GT(other_off, 0x1p-23);
  EXPECT_LT(other_off, 0x1p-18);
  const std::vector<std::int64_t> some{0, 7};
  EXPECT_EQ((*reference.compute_otherwise(bound_, inputs_, some))[1].size(), some.size() * columns);
}

}  // namespace
}  // namespace evo::evaluators::reference
