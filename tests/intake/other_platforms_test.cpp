// Branches for GPUs of other makers are empty lines.
#include "intake/other_platforms.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

/// Lines of `text` that are left, without those of directives.
std::string left(const std::string& text) {
  const std::string ours = without_other_platforms(text);
  EXPECT_EQ(std::ranges::count(ours, '\n'), std::ranges::count(text, '\n'));
  std::string words;
  for (std::size_t at = 0; at < ours.size();) {
    const std::size_t end = std::min(ours.find('\n', at), ours.size());
    const std::string line = ours.substr(at, end - at);
    if (!line.empty() && line.find('#') == std::string::npos) words += line + ";";
    at = end + 1;
  }
  return words;
}

TEST(OtherPlatforms, HaveBranchesInEitherSense) {
  EXPECT_EQ(left("a\n#ifdef __HIP_PLATFORM_AMD__\nb\n#else\nc\n#endif\nd\n"), "a;c;d;");
  EXPECT_EQ(left("#ifndef USE_ROCM\na\n#else\nb\n#endif\nc"), "a;c;");
  EXPECT_EQ(left("#if !defined( USE_ROCM )\na\n#elif defined(X)\nb\n#else\nc\n#endif\n"), "a;");
  EXPECT_EQ(left("  # if defined(__HIPCC__) || defined __HCC__\na\n#elif defined(X)\nb\n#else\nc\n# endif\n"),
            "b;c;");
  EXPECT_EQ(left("#if X\na\n#elif defined(USE_HIP)\nb\n#else\nc\n#endif\n"), "a;c;");
}

TEST(OtherPlatforms, TakeWhatStandsInThemAlong) {
  EXPECT_EQ(left("#ifdef USE_ROCM\n#if X\na\n#else\nb\n#endif\n#include \"hip.h\"\nc\n#endif\nd\n"), "d;");
  EXPECT_EQ(without_other_platforms("#ifdef USE_ROCM\n#define A \\\n  b\n#include <c>\n#endif\n"),
            "#ifdef USE_ROCM\n\n\n\n#endif\n")
      << "a line that goes on belongs to its directive";
  EXPECT_EQ(left("#if X\n#ifdef USE_ROCM\na\n#else\nb\n#endif\nc\n#else\nd\n#endif\n"), "b;c;d;");
}

TEST(OtherPlatforms, NothingElseIsDecided) {
  for (const char* text :
       {"#ifdef __CUDA_ARCH__\na\n#else\nb\n#endif\n", "#if USE_ROCM\na\n#else\nb\n#endif\n",
        "#if defined(USE_ROCM) && X\na\n#else\nb\n#endif\n",
        "#if !defined(USE_ROCM) || X\na\n#else\nb\n#endif\n", "#endif\na\n#else\nb\n"})
    EXPECT_EQ(without_other_platforms(text), text);
}

TEST(Notebooks, TheLineThatSaysWhoCompilesACellIsEmptied) {
  std::string cell = "\n%%cuda -c \"--gpu-architecture sm_80\"\nint a;\n", plain = "int a; // %%\n", empty;
  EXPECT_TRUE(without_cell_magic(cell));
  EXPECT_EQ(cell, "\n\nint a;\n");
  EXPECT_FALSE(without_cell_magic(plain) || without_cell_magic(empty));
  EXPECT_EQ(plain, "int a; // %%\n");
}

TEST(OtherPlatforms, ConditionsAskNvrtcAsTheyAskNvcc) {
  EXPECT_EQ(as_for_nvcc("#ifndef __NVCC__\n#define BOTH\n#endif\nint __NVCC__;\n"),
            "#ifndef __CUDACC__\n#define BOTH\n#endif\nint __NVCC__;\n");
}

}  // namespace
}  // namespace evo::intake
