// Whose report is whose, and what becomes of processes that end early. The sanitizer is a script.
#include "bench/agreement/sanitizer_runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace evo::bench {
namespace {

namespace fs = std::filesystem;

TEST(Attribute, AReportGoesToTheKernelThatItNames) {
  std::map<int, ToolFindings> findings;
  const int last = attribute(
      "evo-launch begin 4\nevo-launch end 4\nevo-launch begin 5\nevo-launch end 5\n"
      "========= Error: Race reported between Write access at attention_forward_mma_v004+0x70 in mma.cu:12\n"
      "=========     and Read access at attention_forward_mma_v004+0x90 in mma.cu:15 [128 hazards]\n"
      "=========\n"
      "========= Invalid __global__ read of size 2 bytes\n"
      "=========     at attention_forward_mma_v005+0x1a0 in mma.cu:41\n"
      "=========     Address 0x7f0 is out of bounds\n"
      "=========\n"
      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
      "racecheck", "why", findings);
  EXPECT_EQ(last, 5);
  ASSERT_EQ(findings[4].evidence.size(), 1U);
  EXPECT_EQ(findings[4].evidence[0].kind, "race_shared");
  ASSERT_EQ(findings[5].evidence.size(), 1U);
  EXPECT_EQ(findings[5].evidence[0].kind, "out_of_bounds");
  EXPECT_TRUE(findings[4].trouble.empty());
}

TEST(Attribute, AReportWithoutANameGoesToTheLastLaunch) {
  std::map<int, ToolFindings> findings;
  attribute(
      "evo-launch begin 1\n========= Barrier error detected. Divergent thread(s) in warp\n=========\n"
      "evo-launch end 1\nevo-launch begin 2\nevo-launch end 2\n========= ERROR SUMMARY: 1 error\n",
      "synccheck", "why", findings);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[1].evidence.at(0).kind, "barrier_divergence");
}

TEST(Attribute, WhatBeganAndNeverEndedIsToldAsSuch) {
  std::map<int, ToolFindings> findings;
  const int last =
      attribute("evo-launch begin 7\nevo-launch failed 7 hang: it never ends\nevo-launch begin 8\n",
                "memcheck", "not finished after 5 s", findings);
  EXPECT_EQ(last, 8);
  EXPECT_EQ(findings[7].trouble, std::vector<std::string>{"memcheck: hang: it never ends"});
  EXPECT_EQ(findings[8].trouble, std::vector<std::string>{"memcheck: not finished after 5 s"});
}

/// A sanitizer that launches nothing and says what `body` says; $first and $last are the variants asked for.
class FakeSanitizer : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "evo-fake-sanitizer.XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::map<int, ToolFindings> run(const std::string& body, int count, int seconds = 20) {
    const fs::path script = folder_ / "compute-sanitizer";
    std::ofstream(script) << "#!/bin/sh\ntool=$2\nwhile [ $# -gt 2 ]; do shift; done\nfirst=$1 last=$2\n"
                          << body;
    fs::permissions(script, fs::perms::owner_all);
    SanitizerOptions options;
    options.sanitizer = script.string();
    options.launcher = {"launcher"};
    options.batch = 4;
    options.processes = 2;
    options.seconds = seconds;
    return run_tools(folder_, count, options);
  }
  fs::path folder_;
};

TEST_F(FakeSanitizer, EveryVariantIsReachedByEveryTool) {
  const auto findings =
      run("for i in $(seq $first $last); do echo evo-launch begin $i\n"
          "printf '========= Uninitialized __global__ memory read of size 4 bytes\\n=========\\n'\n"
          "echo evo-launch end $i; done\n",
          10);
  ASSERT_EQ(findings.size(), 10U);
  for (const auto& [index, found] : findings) {
    EXPECT_EQ(found.evidence.size(), 4U) << index;  // one a tool
    EXPECT_TRUE(found.trouble.empty()) << index;
  }
}

TEST_F(FakeSanitizer, AProcessThatDiesCostsItsOwnVariantOnly) {
  const auto findings =
      run("for i in $(seq $first $last); do echo evo-launch begin $i\n"
          "if [ $i = 2 ] && [ $tool = memcheck ]; then exit 9; fi\necho evo-launch end $i; done\n",
          6);
  ASSERT_EQ(findings.size(), 1U);
  ASSERT_EQ(findings.at(2).trouble.size(), 1U);
  EXPECT_EQ(findings.at(2).trouble[0], "memcheck: the process ended with code 9");
}

TEST_F(FakeSanitizer, AVariantThatHangsCostsItsOwnTimeOnly) {
  const auto findings =
      run("for i in $(seq $first $last); do echo evo-launch begin $i\n"
          "if [ $i = 1 ] && [ $tool = synccheck ]; then exec sleep 60; fi\necho evo-launch end $i; done\n",
          4, 2);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.at(1).trouble.at(0), "synccheck: not finished after 2 s");
}

TEST_F(FakeSanitizer, AToolThatNeverStartsIsTroubleForAll) {
  const auto findings = run("echo no license\nexit 1\n", 3);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_EQ(findings.at(0).trouble.size(), 4U);
  EXPECT_NE(findings.at(2).trouble[0].find("no license"), std::string::npos);
}

}  // namespace
}  // namespace evo::bench
