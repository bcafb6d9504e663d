#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "source/tokens.hpp"

namespace evo::source {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SourceTokens, AllTokensAndWhatStandsBetweenThemAreTheText) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(EVO_SOURCE_DIR) / "kernels")) {
    if (entry.path().extension() != ".cu" && entry.path().extension() != ".cuh") continue;
    const std::string text = read(entry.path());
    std::size_t at = 0;
    for (const Token& token : tokens_of(text)) {
      ASSERT_GE(token.begin, at) << entry.path();
      ASSERT_EQ(text.compare(token.begin, token.text.size(), token.text), 0) << entry.path();
      at = token.end();
    }
    ASSERT_LE(at, text.size());
    ++files;
  }
  EXPECT_GE(files, 5);
}

TEST(SourceTokens, ARawStringIsOneToken) {
  const auto tokens = tokens_of("asm(R\"ptx(bar.sync 0; // \"x\n )ptx\"); y");
  ASSERT_EQ(tokens.size(), 7U);
  EXPECT_EQ(tokens[3].text, "\"ptx(bar.sync 0; // \"x\n )ptx\"");
  EXPECT_EQ(tokens[6].line, 2);
}

TEST(SourceTokens, ADirectiveGoesOnBehindABackslash) {
  const auto tokens = tokens_of("#define A \\\n  1\nb\n#if A\n");
  ASSERT_EQ(tokens.size(), 8U);
  EXPECT_TRUE(tokens[3].directive);
  EXPECT_FALSE(tokens[3].first);
  EXPECT_FALSE(tokens[4].directive);
  EXPECT_TRUE(tokens[5].directive);
  EXPECT_TRUE(tokens[5].first);
}

}  // namespace
}  // namespace evo::source
