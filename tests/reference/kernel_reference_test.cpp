#include "evaluators/reference/kernel_reference.hpp"

#include <unistd.h>

#include <memory>

#include <gtest/gtest.h>

#include "evaluators/compile/compile_job.hpp"
#include "evaluators/compile/nvrtc.hpp"
#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/layout.hpp"
#include "evaluators/reference/add_reference.hpp"
#include "evaluators/reference/reference_source.hpp"
#include "tests/reference/kernel_references.hpp"
#include "tests/support/cases.hpp"

namespace evo::evaluators::reference {
namespace {

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
