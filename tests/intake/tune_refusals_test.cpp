// What evo tune refuses, and what it says then.
#include "tests/intake/tune.hpp"

namespace evo::intake {
namespace {

using namespace testing;
using namespace cli::testing;

TEST_F(Tune, AStepOfNoughtIsAnError) {
  small_axes = false;
  EXPECT_EQ(tune(add_kernel, add_reference,
                 {"--axis", "n=4096 multiple_of=0", "--gene", "BLOCK=64,128", "--gene", "ITEMS=1,2"})
                .exit_code,
            3);
}

// A factor of 0.999 is asked about at twice of it, too, where the root has no answer.
TEST_F(Tune, AScalarMayHaveNoAnswerBeyondItsOwnValue) {
  small_axes = false;
  expect_champion(
      tune("__global__ void scale(const float* x, float* y, float decay, int n) {\n"
           "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
           "  if (i < n) y[i] = x[i] / sqrtf(1.0f - decay);\n"
           "}\n",
           "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL decay, int n) {\n"
           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  if (i < n) y[i] = x[i] / sqrt(1 - decay);\n"
           "}\n",
           {"--axis", "n=4096", "--gene", "BLOCK=64,128", "--arg", "decay: 0.9"}));
  // Its value counts all the same.
  EXPECT_NE(tune("__global__ void scale(const float* x, float* y, float decay, int n) {\n"
                 "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                 "  if (i < n) y[i] = x[i] / sqrtf(1.0f - 0.9f);\n"
                 "}\n",
                 "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, EVO_REAL decay, int n) {\n"
                 "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  if (i < n) y[i] = x[i] / sqrt(1 - decay);\n"
                 "}\n",
                 {"--axis", "n=4096", "--gene", "BLOCK=64,128", "--arg", "decay: 0.9"})
                .exit_code,
            0);
}

// Threads beyond the border write the last number again: a race, until somebody says why it is meant.
TEST_F(Tune, WritesOfTheSameNumberAreMeantOnlyWhereSomebodySaysWhy) {
  const auto check = [&](const std::string& kernel, const std::vector<std::string>& more,
                         const char* verb = "check") {
    std::vector<std::string> flags{"--axis", "n=100", "--block", "96", "--grid", "ceil_div(n, 96)"};
    flags.insert(flags.end(), more.begin(), more.end());
    return ask(verb, kernel,
               "__global__ void reference(const float* x, float* y, int n) {\n"
               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i] + 1;\n}\n",
               flags);
  };
  const std::string again =
      "__global__ void twice(const float* x, float* y, int n) {\n"
      "  int i = min(int(blockIdx.x * 96 + threadIdx.x), n - 1);\n  y[i] = 2.0f * x[i] + 1.0f;\n}\n";
  const std::vector<std::string> meant{"--equal-writes", "beyond n the last one: again"};
  const Output refused = check(again, {}, "tune");
  EXPECT_EQ(refused.exit_code, 6) << refused.out << refused.err;
  EXPECT_TRUE(tells(refused.out + refused.err, "race_global"));
  const Output proven = check(again, meant);
  EXPECT_EQ(proven.exit_code, 0) << proven.out << proven.err;
  EXPECT_TRUE(tells(proven.out, meant[1])) << "what it is correct for says so: " << proven.out;
  // Others than the last one write another number.
  std::string other = again;
  other.replace(other.find("+ 1.0f;"), 7, "+ (blockIdx.x * 96 + threadIdx.x > n ? 2.0f : 1.0f);");
  EXPECT_EQ(check(other, meant).exit_code, 6);
}

// Sums in f16 are refused until somebody says that they are meant; what is kept says so, and a lost term is
// refused all the same.
TEST_F(Tune, KernelsThatComputeInHalvesAreAcceptedWhereSomebodySaysThatTheyDo) {
  const std::string half_sum =
      "#include <cuda_fp16.h>\n__global__ void rows(const half* x, half* y, int n, int m) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  half s = "
      "__float2half(0.0f);\n"
      "  for (int j = 0; j < m; ++j) s = __hadd(s, __hmul(x[i * m + j], x[i * m + j]));\n  y[i] = s;\n}\n";
  const std::string reference =
      "#include <cuda_fp16.h>\n__global__ void reference(const half* x, half* y, int n, int m) {\n"
      "  for (int i = 0; i < n; ++i) {\n    float s = 0;\n"
      "    for (int j = 0; j < m; ++j) s += (float)x[i * m + j] * (float)x[i * m + j];\n    y[i] = s;\n  "
      "}\n}\n";
  std::vector<std::string> flags{"--axis",  "n=60", "--axis", "m=50",
                                 "--block", "64",   "--grid", "ceil_div(n, 64)"};
  const Output undeclared = ask("check", half_sum, reference, flags);
  EXPECT_EQ(undeclared.exit_code, 6) << undeclared.out << undeclared.err;
  EXPECT_TRUE(tells(undeclared.out + undeclared.err, "mismatch"));
  flags.insert(flags.end(), {"--compute", "f16"});
  const Output declared = ask("check", half_sum, reference, flags);
  EXPECT_EQ(declared.exit_code, 0) << declared.out << declared.err;
  std::string lost = half_sum;
  lost.replace(lost.find("j < m"), 5, "j < m - 1");
  const Output wrong = tune(lost, reference, flags);
  EXPECT_EQ(wrong.exit_code, 6) << wrong.out << wrong.err;
  EXPECT_TRUE(tells(problem(), "compute: f16"));
  EXPECT_EQ(run_evo({"tune", scratch / "k.cu", "--reference", scratch / "r.cu", "--axis", "n=60", "--compute",
                     "f8"})
                .exit_code,
            2);
}

TEST_F(Tune, AWrongKernelEndsWithSix) {
  small_axes = false;
  std::string wrong = add_kernel;
  wrong.replace(wrong.find("a[i] + b[i]"), 11, "a[i] - b[i]");
  const Output output = tune(wrong, add_reference, add_flags);
  EXPECT_EQ(output.exit_code, 6);
  EXPECT_EQ(parse_object(output.out).at("gate"), "correctness") << output.out;
}

TEST_F(Tune, AnOverrunEndsWithSixAndTheFinding) {
  small_axes = false;
  std::string wrong = add_kernel;
  wrong.replace(wrong.find(" && i < n"), 9, "");
  const Output output =
      tune(wrong, add_reference, {"--axis", "n=4001", "--gene", "BLOCK=64,128", "--gene", "ITEMS=2"});
  EXPECT_EQ(output.exit_code, 6);
  EXPECT_EQ(parse_object(output.out).at("reason"), "out_of_bounds") << output.out;
}

TEST_F(Tune, WhatIsNotKnownIsAskedForByFlag) {
  small_axes = false;
  const Output none = tune(add_kernel, add_reference, {"--gene", "BLOCK=64", "--gene", "ITEMS=1"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_TRUE(tells(none.err, "--axis n=SIZE")) << none.err;
  const Output gene = tune(add_kernel, add_reference, {"--axis", "n=64", "--gene", "BLOCK=64"});
  EXPECT_EQ(gene.exit_code, 2);
  EXPECT_TRUE(tells(gene.err, "k.cu:2: ITEMS is not defined") && tells(gene.err, "--gene ITEMS="))
      << gene.err;
  const Output shape = tune(transpose_kernel, transpose_reference,
                            {"--axis", "rows=48", "--axis", "columns=80", "--arg", "size: 4"});
  EXPECT_EQ(shape.exit_code, 2);
}

TEST_F(Tune, MisspeltWordsNameTheNearest) {
  small_axes = false;
  const auto refused = [&](std::vector<std::string> more, const char* nearest) {
    const Output output = tune(add_kernel, add_reference, more);
    EXPECT_EQ(output.exit_code, 2) << output.out;
    EXPECT_TRUE(tells(output.err, nearest)) << output.err;
    EXPECT_FALSE(std::filesystem::exists(scratch / "run")) << "no run folder is left";
  };
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), add_flags.begin(), add_flags.end());
    return more;
  };
  refused({"--axis", "n=64", "--gene", "BLOCK=64", "--gene", "ITEM=1,2"}, "ITEMS");
  refused(with({"--arg", "aa: f32[n]"}), "'a'");
  refused(with({"--grid", "ceil_div(n, BLOK)"}), "did you mean 'BLOCK'");
  refused(with({"--constraint", "BLOCK * ITEM <= 128"}), "did you mean 'ITEMS'");
  refused(with({"--constraint", "BLOCK > 1000"}), "BLOCK > 1000");
  refused(with({"--gene", "BLOCK=1"}), "given twice");
  refused(with({"--axis", "n=1"}), "given twice");
  refused(with({"--refernce", "x"}), "--reference");
}

TEST_F(Tune, AReferenceThatDoesNotFitIsToldWithItsLine) {
  small_axes = false;
  const auto refused = [&](const std::string& reference, int code, const char* what) {
    const Output output = tune(add_kernel, reference, add_flags);
    EXPECT_EQ(output.exit_code, code) << output.out;
    EXPECT_TRUE(tells(output.err, what)) << output.err;
  };
  refused("__global__ void reference(const EVO_REAL* a, EVO_REAL* d) {}\n", 3, "r.cu:1: reference takes 'd'");
  refused("__global__ void reference(const EVO_REAL* a, EVO_REAL* c) { c[0] = nonsense; }\n", 3, "r.cu:1:");
  refused("int x;\n", 2, "no __global__");
  refused("__global__ void p() {}\n__global__ void q() {}\n", 2, "--reference FILE:ENTRY");
}

TEST_F(Tune, CheckNeedsNoProblemFolder) {
  small_axes = false;
  const Output correct = ask("check", add_kernel, add_reference, add_flags);
  EXPECT_EQ(correct.exit_code, 0) << correct.out << correct.err;
  std::string wrong = add_kernel;
  wrong.replace(wrong.find("c[i] ="), 6, "if (i % 7) c[i] =");
  EXPECT_EQ(ask("check", wrong, add_reference, add_flags).exit_code, 6);
  EXPECT_EQ(run_evo({"check", scratch / "k.cu"}).exit_code, 2);
}

// A mask in the place of a division: correct for powers of two, of which the user gave one.
TEST_F(Tune, AnIntegerFarFromItsValueNarrowsWhatIsProvenAndIsNoRefusal) {
  const std::string kernel =
      "__global__ void first(const float* x, float* y, int size, int n) {\n"
      "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i - (i & (size - 1))];\n"
      "}\n";
  const std::string reference =
      "__global__ void reference(const EVO_REAL* x, EVO_REAL* y, int size, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i / size * size];\n"
      "}\n";
  const std::vector<std::string> flags{"--axis", "n=4096", "--gene", "BLOCK=64,128", "--arg", "size: 64"};
  expect_champion(tune(kernel, reference, flags));
  EXPECT_TRUE(tells(problem(), "fixed: true")) << problem();

  std::vector<std::string> asks = flags;
  asks.back() = "size: {value: 64, range: [32, 99]}";
  std::filesystem::remove_all(scratch / "run");
  EXPECT_EQ(tune(kernel, reference, asks).exit_code, 6);
  EXPECT_EQ(ask("check", kernel, reference, flags).exit_code, 6);
}

// Of an odd number what is next to it is tried first; where the kernel is refused there, too, it is fixed.
TEST_F(Tune, ARangeThatEvoHasMadeIsTakenBack) {
  const std::string kernel =
      "__global__ void first(const float* x, float* y, int size, int n) {\n"
      "  int i = blockIdx.x * BLOCK + threadIdx.x;\n"
      "  const bool beside = size > 3 && size < 7 && (n < 100 || n == 4096);\n"
      "  if (i < n) y[i] = size == 5 || beside ? x[i / size * size] : 0.0f;\n}\n";
  const std::string reference =
      "__global__ void reference(const float* x, float* y, int size, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = x[i / size * size];\n}\n";
  expect_champion(
      tune(kernel, reference, {"--axis", "n=4096 max=8192", "--gene", "BLOCK=64,128", "--arg", "size: 5"}));
  EXPECT_TRUE(tells(problem(), "fixed: true")) << problem();
}

}  // namespace
}  // namespace evo::intake
