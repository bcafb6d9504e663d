#include "evaluators/reference/kernel_reference.hpp"
#include "evaluators/reference/division_traps.hpp"

#include <unistd.h>

#include <memory>

#include <gtest/gtest.h>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "evaluators/reference/reference_source.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::reference {
namespace {

using model::ArgumentRole;
using model::DType;

/// y[r, c] = alpha * sum of x[r, 0 .. c], halves in, floats out.
constexpr const char* running_sum = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  EVO_REAL sum = 0;
  for (int c = i / columns * columns; c <= i; ++c) sum += x[c];
  y[i] = alpha * sum;
}
)";

class KernelReferences : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      nvrtc_ = std::make_unique<compile::Nvrtc>(compile::Nvrtc::load());
    } catch (const model::Exception& error) {
      GTEST_SKIP() << error.what();
    }
    const auto& folders = nvrtc_->include_folders();
    if (!folders.empty()) {
      ASSERT_EQ(::chdir(folders.front().c_str()), 0);
    }
    bound_.name = "case";
    bound_.arguments = {tests::array_argument("x", ArgumentRole::input, DType::f16, {rows, columns}),
                        tests::array_argument("y", ArgumentRole::output, DType::f32, {rows, columns}),
                        tests::scalar_argument("alpha", DType::f32, 0.1),
                        tests::scalar_argument("rows", DType::i32, rows),
                        tests::scalar_argument("columns", DType::i32, columns)};
    for (const model::BoundArgument& argument : bound_.arguments)
      problem_.arguments.push_back({argument.name, argument.role, argument.dtype, {}, {}, {}});
    bound_.reference_launch.emplace();
    bound_.reference_launch->grid[0] = (rows * columns + 255) / 256;
    bound_.reference_launch->block[0] = 256;
    bound_.reference_by_element = true;
    inputs_.resize(bound_.arguments.size());
    inputs_[0].resize(static_cast<std::size_t>(oracle::buffer_bytes(bound_.arguments[0])));
    for (std::int64_t e = 0; e < rows * columns; ++e)
      oracle::store_element(DType::f16, static_cast<double>(e % 13) / 8 - 0.5, inputs_[0].data() + 2 * e);
  }

  tl::expected<model::Artifact, model::Failure> compile(const std::string& source,
                                                        const std::string& entry = "reference") {
    problem_.oracle_kernel = model::ReferenceKernel{"ref.cu", source, entry, std::nullopt};
    return compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80"));
  }
  model::Expected<oracle::ReferenceOutputs> outputs_of(const std::string& source,
                                                       const std::string& entry = "reference") {
    auto artifact = compile(source, entry);
    if (!artifact) throw std::runtime_error(artifact.error().evidence.front().message);
    return KernelReference(*artifact).compute(bound_, inputs_);
  }

  static constexpr std::int64_t rows = 37, columns = 29;
  std::unique_ptr<compile::Nvrtc> nvrtc_;
  model::Problem problem_;
  model::Case bound_;
  oracle::InputBuffers inputs_;
};

TEST_F(KernelReferences, ComputeInDoubleWhatTheCandidatesInputsSay) {
  const auto outputs = outputs_of(running_sum);
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_TRUE((*outputs)[0].empty());
  ASSERT_EQ((*outputs)[1].size(), rows * columns);
  double sum = 0;
  for (std::int64_t e = 0; e < rows * columns; ++e) {
    sum = (e % columns == 0 ? 0 : sum) + static_cast<double>(e % 13) / 8 - 0.5;
    EXPECT_DOUBLE_EQ((*outputs)[1][static_cast<std::size_t>(e)], double{0.1F} * sum) << e;
  }
}

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

// Of integers alone such a product would be one of floats, of which a double is made when it is too late.
TEST_F(KernelReferences, NumbersOfFloatBesideIntegersAreComputedInDouble) {
  const auto outputs = outputs_of(R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = (i + 0.5f) * 1001 / 37 - 0.1f;
})");
  ASSERT_TRUE(outputs) << outputs.error().text();
  for (std::int64_t e = 0; e < rows * columns; ++e)
    EXPECT_DOUBLE_EQ((*outputs)[1][static_cast<std::size_t>(e)],
                     (static_cast<double>(e) + 0.5) * 1001 / 37 - double{0.1F});
}

TEST_F(KernelReferences, RowsAreThoseOfTheWhole) {
  const auto artifact = compile(running_sum);
  ASSERT_TRUE(artifact);
  const KernelReference reference(*artifact);
  ASSERT_TRUE(reference.computes_rows(bound_));
  const auto whole = reference.compute(bound_, inputs_).value();
  const std::vector<std::int64_t> some{0, 7, 36};
  const auto picked = reference.compute_rows(bound_, inputs_, some).value();
  ASSERT_EQ(picked[1].size(), some.size() * columns);
  for (std::size_t r = 0; r < some.size(); ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      EXPECT_EQ(picked[1][r * columns + static_cast<std::size_t>(c)],
                whole[1][static_cast<std::size_t>(some[r] * columns + c)]);
    }
  }
  // By the element that it reads, not by that which it writes.
  const auto scattered = compile(R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[rows * columns - 1 - i] = x[i];
})");
  ASSERT_TRUE(scattered);
  const KernelReference backwards(*scattered);
  const auto in_float = compile::run_compile(*nvrtc_, reference_request(problem_, {}, "sm_80", "float"));
  ASSERT_TRUE(in_float);
  const KernelReference backwards_in_float(*scattered, *in_float);
  for (int time = 0; time < 2; ++time) {
    const auto plain = backwards_in_float.compute_plain(bound_, inputs_, some);
    ASSERT_TRUE(plain) << plain.error().text();
    EXPECT_EQ((**plain)[1].size(), some.size() * columns);
  }
  const auto all = backwards.compute(bound_, inputs_).value();
  for (int time = 0; time < 2; ++time) {
    const auto rows_backwards = backwards.compute_rows(bound_, inputs_, some);
    ASSERT_TRUE(rows_backwards) << rows_backwards.error().text();
    EXPECT_EQ((*rows_backwards)[1][columns], all[1][7 * columns]);
  }
  bound_.reference_by_element = false;
  EXPECT_FALSE(reference.computes_rows(bound_)) << "nobody knows which blocks write a row";
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

TEST_F(KernelReferences, MayBeTemplatesInNamespacesAndExternC) {
  const std::string text = running_sum;
  const std::string templated = "namespace a { template <class T>" + text.substr(0, text.size() - 1) + "}\n";
  EXPECT_TRUE(outputs_of(templated, "a::reference<EVO_REAL>")) << "the parameter T is free";
  std::string c_linkage = text;
  c_linkage.insert(c_linkage.find("__global__"), "extern \"C\" ");
  EXPECT_TRUE(outputs_of(c_linkage));
}

TEST_F(KernelReferences, AParameterOfAnotherTypeIsAnErrorOfTheCompiler) {
  std::string floats = running_sum;
  floats.replace(floats.find("const EVO_REAL* x"), 17, "const float* x");
  const auto artifact = compile(floats);
  ASSERT_FALSE(artifact);
  EXPECT_EQ(artifact.error().status, model::Status::compile_error);
}

TEST_F(KernelReferences, WhatIsNoAnswerIsAnErrorWithALine) {
  std::string beyond = running_sum;
  beyond.replace(beyond.find("y[i] ="), 6, "y[i + 1] =");
  const auto outside = outputs_of(beyond);
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().file, "ref.cu");
  EXPECT_EQ(outside.error().line, 7);

  std::string bare = running_sum;
  bare.replace(bare.find("y[i] ="), 6, "if (i != 40) y[i] =");
  const auto unwritten = outputs_of(bare);
  ASSERT_FALSE(unwritten);
  EXPECT_NE(unwritten.error().message.find("y[1,11]"), std::string::npos);

  std::string half = running_sum;
  half.replace(half.find("y[i] ="), 6, "if (i == 40) reinterpret_cast<float*>(y)[2 * i] = 1; else y[i] =");
  const auto partial = outputs_of(half);
  ASSERT_FALSE(partial) << "half of an element is not all of it";
  EXPECT_NE(partial.error().message.find("y[1,11]"), std::string::npos);

  std::string racing = running_sum;
  racing.replace(racing.find("y[i] ="), 6, "y[0] = 1; y[i] =");
  const auto race = outputs_of(racing);
  ASSERT_FALSE(race);
  EXPECT_NE(race.error().message.find("race_global"), std::string::npos);
  EXPECT_EQ(race.error().line, 7);
}

/// Compiles in this process.
class HereCompiler final : public compile::Compiler {
 public:
  explicit HereCompiler(const compile::Nvrtc& nvrtc) : nvrtc_(nvrtc) {}
  [[nodiscard]] tl::expected<model::Artifact, model::Failure> compile(
      const compile::CompileRequest& request) override {
    return compile::run_compile(nvrtc_, request);
  }
  [[nodiscard]] std::string version() const override { return "here"; }

 private:
  const compile::Nvrtc& nvrtc_;
};

/// What add_reference() throws of `problem`, or "".
std::string refusal_of(model::Problem problem, const compile::Nvrtc& nvrtc) {
  HereCompiler compiler(nvrtc);
  model::Experiment experiment;
  problem.name = "p";
  problem.oracle = model::kernel_oracle;
  experiment.problem = std::move(problem);
  experiment.target.arch = "sm_80";
  oracle::Catalogue known;
  try {
    add_reference(known, experiment, compiler);
  } catch (const model::Exception& error) {
    return error.what();
  }
  return {};
}

TEST_F(KernelReferences, OneThatLacksAParameterIsToldWhichItGets) {
  problem_.oracle_kernel = model::ReferenceKernel{"ref.cu", running_sum, "reference", std::nullopt};
  EXPECT_EQ(refusal_of(problem_, *nvrtc_), "");
  problem_.arguments.insert(problem_.arguments.begin() + 1,
                            {"partial", ArgumentRole::workspace, DType::f32, {}, {}, {}});
  const std::string text = refusal_of(problem_, *nvrtc_);
  EXPECT_NE(text.find("double* x, double* partial (a workspace), double* y, double alpha, int"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("ref.cu:1"), std::string::npos) << "a line that the file does not have: " << text;
}

TEST_F(KernelReferences, OneInDoubleThroughoutServesToleranceAutoOfDoubles) {
  std::string in_double = running_sum;
  for (auto at = in_double.find("EVO_REAL"); at != std::string::npos; at = in_double.find("EVO_REAL"))
    in_double.replace(at, 8, "double");
  problem_.oracle_kernel = model::ReferenceKernel{"ref.cu", in_double, "reference", std::nullopt};
  problem_.tolerances.emplace_back().automatic = true;
  EXPECT_NE(refusal_of(problem_, *nvrtc_), "") << "there is no measure of what floats can do";
  problem_.arguments[0].dtype = DType::f64;
  EXPECT_NE(refusal_of(problem_, *nvrtc_), "") << "y is float";
  problem_.arguments[1].dtype = DType::f64;
  EXPECT_EQ(refusal_of(problem_, *nvrtc_), "");
}

TEST_F(KernelReferences, StridesAreTheCandidates) {
  bound_.arguments[1].strides = {columns + 3, 1};
  std::string strided = running_sum;
  strided.replace(strided.find("y[i] ="), 6, "y[i / columns * (columns + 3) + i % columns] =");
  const auto padded = outputs_of(strided);
  ASSERT_TRUE(padded) << padded.error().text();
  bound_.arguments[1].strides = {columns, 1};
  EXPECT_EQ(*padded, outputs_of(running_sum).value());
}

/// y += alpha * x, in place but for the first column.
constexpr const char* adding = R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns && i % columns > 0) y[i] += alpha * x[i];
}
)";

TEST_F(KernelReferences, AnInoutIsUpdatedInPlace) {
  bound_.arguments[1] = tests::array_argument("y", ArgumentRole::inout, DType::bf16, {rows, columns});
  bound_.arguments[1].keeps_unwritten = true;
  problem_.arguments[1].role = ArgumentRole::inout;
  inputs_[1].resize(static_cast<std::size_t>(2 * rows * columns));
  for (std::int64_t e = 0; e < rows * columns; ++e)
    oracle::store_element(DType::bf16, static_cast<double>(e % 7), inputs_[1].data() + 2 * e);
  const auto outputs = outputs_of(adding);
  ASSERT_TRUE(outputs) << outputs.error().text();
  ASSERT_EQ((*outputs)[1].size(), rows * columns);
  for (std::int64_t e = 0; e < rows * columns; ++e) {
    const double x = static_cast<double>(e % 13) / 8 - 0.5;
    const double expected = static_cast<double>(e % 7) + (e % columns > 0 ? double{0.1F} * x : 0);
    EXPECT_DOUBLE_EQ((*outputs)[1][static_cast<std::size_t>(e)], expected) << e;
  }
  EXPECT_FALSE(KernelReference(*compile(adding)).computes_rows(bound_));
}

TEST_F(KernelReferences, WhatAReferenceLeavesAsItWasHasToBeMeant) {
  bound_.arguments[1] = tests::array_argument("y", ArgumentRole::inout, DType::f32, {rows, columns});
  problem_.arguments[1].role = ArgumentRole::inout;
  inputs_[1].resize(static_cast<std::size_t>(4 * rows * columns));
  for (std::int64_t e = 0; e < rows * columns; ++e)
    oracle::store_element(DType::f32, static_cast<double>(e % 7), inputs_[1].data() + 4 * e);
  const auto kept = outputs_of(adding);
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().message.find("y[0,0]"), std::string::npos) << kept.error().message;
  EXPECT_NE(kept.error().message.find("unwritten: keep"), std::string::npos) << kept.error().message;
  std::string all = adding;
  all.replace(all.find(" && i % columns > 0"), 19, "");
  EXPECT_TRUE(outputs_of(all));
}

TEST_F(KernelReferences, WhatIsWrittenAsItWasIsWritten) {
  bound_.arguments[1] = tests::array_argument("y", ArgumentRole::inout, DType::u8, {rows, columns});
  problem_.arguments[1].role = ArgumentRole::inout;
  problem_.arguments[1].dtype = DType::u8;
  inputs_[1].resize(static_cast<std::size_t>(rows * columns));
  for (std::int64_t e = 0; e < rows * columns; ++e)
    oracle::store_element(DType::u8, static_cast<double>(e * e % 11 % 2), inputs_[1].data() + e);
  std::string cells = R"(
__global__ void reference(const EVO_REAL* x, unsigned char* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns && i % columns > 0) y[i] = y[i] == 1;
}
)";
  const auto some = outputs_of(cells);
  ASSERT_FALSE(some);
  EXPECT_NE(some.error().message.find("y[0,0]"), std::string::npos) << some.error().message;
  cells.replace(cells.find(" && i % columns > 0"), 19, "");
  const auto all = outputs_of(cells);
  EXPECT_TRUE(all) << all.error().message;
}

TEST_F(KernelReferences, ALaunchThatIsTooSmallIsToldFromDataThatLeavesElements) {
  bound_.reference_launch->grid[0] = 2;  // of 5
  const auto few = outputs_of(running_sum);
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().message.find("more blocks write y[17,19]"), std::string::npos) << few.error().message;
  EXPECT_NE(few.error().message.find("--reference-grid"), std::string::npos) << few.error().message;
  std::string odd = running_sum;
  odd.replace(odd.find("i >= rows * columns"), 19, "i >= rows * columns || i % 2 == 0");
  bound_.reference_launch->grid[0] = 5;
  const auto every_other = outputs_of(odd);
  ASSERT_FALSE(every_other);
  EXPECT_EQ(every_other.error().message.find("more blocks"), std::string::npos)
      << every_other.error().message;
  EXPECT_NE(every_other.error().message.find("y[0,0]"), std::string::npos) << every_other.error().message;
}

TEST_F(KernelReferences, WhatIsKeptHidesNoGuessedLaunchThatIsTooSmall) {
  bound_.arguments[1].zeroed = bound_.arguments[1].keeps_unwritten = true;
  bound_.reference_launch->grid[0] = 2;
  bound_.reference_guessed = true;
  const auto few = outputs_of(adding);
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().message.find("more blocks write y[17,19]"), std::string::npos) << few.error().message;
  bound_.reference_guessed = false;
  EXPECT_TRUE(outputs_of(adding)) << "somebody has said so";
  bound_.reference_guessed = true;
  bound_.reference_launch->grid[0] = 5;
  const auto all = outputs_of(adding);
  EXPECT_TRUE(all) << all.error().text();
  // Without a bound of its own, more threads leave the array, and tell nothing.
  std::string boundless = adding;
  boundless.replace(boundless.find("i < rows * columns && "), 22, "");
  bound_.reference_launch->grid[0] = rows * columns;
  bound_.reference_launch->block[0] = 1;
  const auto exact = outputs_of(boundless);
  EXPECT_TRUE(exact) << exact.error().text();
  // Of an inout: not what it left, but that the launch is too small.
  bound_.arguments[1] = tests::array_argument("y", ArgumentRole::inout, DType::f32, {rows, columns});
  problem_.arguments[1].role = ArgumentRole::inout;
  inputs_[1].resize(static_cast<std::size_t>(4 * rows * columns));
  for (std::int64_t e = 0; e < rows * columns; ++e)
    oracle::store_element(DType::f32, static_cast<double>(e % 7), inputs_[1].data() + 4 * e);
  std::string everywhere = adding;
  everywhere.replace(everywhere.find(" && i % columns > 0"), 19, "");
  bound_.reference_launch->grid[0] = 512;
  const auto in_place = outputs_of(everywhere);
  ASSERT_FALSE(in_place);
  EXPECT_NE(in_place.error().message.find("more blocks write y["), std::string::npos)
      << in_place.error().message;
}

// 0, 1, 2, ... shifted by d begins with d: what is written is then what stood there, launch by launch.
TEST_F(KernelReferences, ACopyOfARampIsWritten) {
  bound_.arguments[1].zeroed = true;
  for (std::int64_t e = 0; e < rows * columns; ++e)
    oracle::store_element(DType::f16, static_cast<double>(e), inputs_[0].data() + 2 * e);
  const auto copied = outputs_of(R"(
__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL alpha, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) y[i] = x[i];
})");
  EXPECT_TRUE(copied) << copied.error().text();
}

TEST_F(KernelReferences, AZeroedOutputMayBeAddedTo) {
  bound_.arguments[1].zeroed = true;
  std::string everywhere = adding;
  everywhere.replace(everywhere.find(" && i % columns > 0"), 19, "");
  const auto whole = outputs_of(everywhere);
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_DOUBLE_EQ((*whole)[1][3], double{0.1F} * (3.0 / 8 - 0.5));
  const auto kept = outputs_of(adding);
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().message.find("leaves y[0,0]"), std::string::npos) << kept.error().message;
  bound_.arguments[1].keeps_unwritten = true;
  const auto meant = outputs_of(adding);
  ASSERT_TRUE(meant) << meant.error().text();
  EXPECT_EQ((*meant)[1][0], 0);
  bound_.arguments[1].zeroed = false;
  EXPECT_FALSE(outputs_of(everywhere)) << "nobody promised zeros";
}

}  // namespace
}  // namespace evo::evaluators::reference
