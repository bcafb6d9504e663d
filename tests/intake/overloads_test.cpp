#include "intake/overloads.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

const std::string two =
    "namespace a {\n"
    "template <class T> struct D { T* p; };\n"
    "__global__ void k(D<float> x, int n) { x.p[n] = 1; }\n"
    "template <int N>\n__global__ void other(int* x) { x[N] = 1; }\n"
    "__global__ void k(D<float> x, D<int> y) { y.p[0] = 1; }\n}\n";

TEST(Overloads, TypesSayWhich) {
  const auto all = kernels_of(two);
  const auto first = with_parameters(all, {"D<float>", "int n"});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first.front().line, 3);
  EXPECT_EQ(with_parameters(all, {"D< float >", "D<int>"}).front().line, 6);
  EXPECT_TRUE(with_parameters(all, {"D<float>"}).empty());
  EXPECT_EQ(with_types(first.front()), "a::k(D<float>, int)");
}

TEST(Overloads, TypesOfOneWordAreNoNames) {
  const auto all = kernels_of(
      "__global__ void k(int n, const float3* at, float3 low, uint32_t* code) { code[0] = n; }\n"
      "__global__ void k(int n, const float4* at, float3 low, uint32_t* code) { code[0] = n; }\n");
  const auto named = with_parameters(all, {"int", "const float3*", "float3", "uint32_t*"});
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(named.front().line, 1);
  EXPECT_EQ(with_parameters(all, {"int n", "const float4* p", "float3 q", "uint32_t* r"}).size(), 1U);
  EXPECT_TRUE(with_parameters(all, {"int", "const float2*", "float3", "uint32_t*"}).empty());
}

TEST(Overloads, OnlyTheChosenOneStays) {
  const auto chosen = with_parameters(kernels_of(two), {"D<float>", "D<int>"});
  const std::string alone = without_other_overloads(two, chosen);
  EXPECT_EQ(alone.size(), two.size());
  const auto left = kernels_of(alone);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].plain, "other");
  EXPECT_EQ(left[1].line, 6);
}

TEST(Overloads, DeclarationsOfOthersGoAndThoseOfTheMeantStay) {
  const std::string header =
      "#pragma once\nnamespace a {\n"
      "__global__\nvoid k(real *x, int n, real *y);\n"
      "template <class T>\n__global__ void k(T* x, int n, real* y, real* z);\n"
      "__global__ void other(int n);\nvoid k(int n);\n}\n"
      "__global__ void k(int n);\n";
  const std::string meant = without_other_declarations(header, "a::k", {"real*", "int", "real *"});
  EXPECT_EQ(meant.size(), header.size());
  const auto left = declared_kernels_of(meant);
  ASSERT_EQ(left.size(), 3U) << meant;
  EXPECT_EQ(left[0].parameters.size(), 3U);
  EXPECT_EQ(left[1].name, "a::other");
  EXPECT_EQ(left[2].name, "k") << "of another namespace";
  EXPECT_NE(meant.find("void k(int n);\n}"), std::string::npos) << "no kernel";
  EXPECT_EQ(meant.find("template"), std::string::npos);
  EXPECT_TRUE(kernels_of(header).empty());
}

TEST(Overloads, OnesForCardsOfTheDayBeforeAreNone) {
  const std::string text =
      "template <class T>\n__global__ void k(T* x) {}\n#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 700)\n"
      "template <class T>\n__global__ void k(half* x) {}\n#else\n__global__ void k(int* x) {}\n#endif\n"
      "#if __CUDA_ARCH__ < 900 || X\n__global__ void k(char* x) {}\n#endif\n";
  const auto kept = for_todays_cards(text, kernels_of(text));
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0].line, 2);
  EXPECT_EQ(kept[1].line, 7);
  EXPECT_EQ(with_types(kept[0], {"float", "4"}), "k<float, 4>(T*)");
  const std::vector<KernelText> old{kernels_of(text)[1]};
  EXPECT_EQ(for_todays_cards(text, old).size(), 1U) << "the only one stays";
}

TEST(Overloads, ArmsOfAConditionAreAlternatives) {
  const std::string arms =
      "#ifndef GUARD\n#define GUARD\n#if FAST\n__global__ void k(float* x) {}\n#else\n"
      "__global__ void k(float* x, int n) {}\n#endif\n__global__ void k(double* x) {}\n#endif\n";
  const auto all = kernels_of(arms);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(overloads_in(arms, {all[0], all[1]}).size(), 1U);
  EXPECT_EQ(overloads_in(arms, {all[0], all[2]}).size(), 2U);
  EXPECT_EQ(overloads_in(two, kernels_of(two)).size(), 2U);
}

}  // namespace
}  // namespace evo::intake
