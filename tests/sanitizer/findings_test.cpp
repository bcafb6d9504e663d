// Reports in the format of NVIDIA's manual of compute-sanitizer, of several of its versions.
#include "evaluators/sanitizer/findings.hpp"

#include <gtest/gtest.h>

namespace evo::evaluators::sanitizer {
namespace {

TEST(Findings, AnInvalidWriteWithItsLineThreadAndAccess) {
  const auto found = parse_findings(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ write of size 2 bytes\n"
      "=========     at row_stride(float *)+0x1a0 in row_stride.cu:41\n"
      "=========     by thread (3,0,0) in block (1,0,0)\n"
      "=========     Address 0x7f0 is out of bounds\n"
      "=========     and is 1 bytes after the nearest allocation at 0x700 of size 240 bytes\n"
      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
      "=========     Host Frame: [0x2b0] in other.cpp:7\n"
      "========= \n"
      "========= ERROR SUMMARY: 1 error\n",
      "memcheck");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "out_of_bounds");
  EXPECT_EQ(found[0].file, "row_stride.cu");
  EXPECT_EQ(found[0].line, 41);
  EXPECT_EQ(detail_of(found[0], "tool"), "memcheck");
  EXPECT_EQ(detail_of(found[0], "severity"), "error");
  EXPECT_EQ(detail_of(found[0], "thread"), "block (1,0,0) thread (3,0,0)");
  EXPECT_EQ(detail_of(found[0], "access"), "write of 2 bytes to __global__ memory");
  EXPECT_EQ(detail_of(found[0], "address"), "0x7f0");
  EXPECT_NE(found[0].message.find("after the nearest allocation"), std::string::npos);
  EXPECT_EQ(found[0].message.find("Host Frame"), std::string::npos);
}

TEST(Findings, MisalignmentIsTheAddressesFaultAndOlderVersionsPutTheFunctionBehind) {
  const auto found = parse_findings(
      "========= Invalid __shared__ read of size 16 bytes\n"
      "=========     at 0x10 in /tmp/x/k.cu:7:kernel(float*)\n"
      "=========     Address 0x42 is misaligned\n",
      "memcheck");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "misaligned");
  EXPECT_EQ(found[0].file, "k.cu");
  EXPECT_EQ(found[0].line, 7);
}

TEST(Findings, RacesHaveTwoPlacesAndASeverity) {
  const std::string report =
      "========= {}: Race reported between Write access at kernel(int *)+0x70 in k.cu:12\n"
      "=========     and Read access at kernel(int *)+0x90 in k.cu:15 [128 hazards]\n"
      "========= \n";
  for (const auto& [word, severity] :
       {std::pair{"Error", "error"}, {"Warning", "warning"}, {"WARN", "warning"}, {"ERROR", "error"}}) {
    std::string text = report;
    text.replace(text.find("{}"), 2, word);
    const auto races = parse_findings(text, "racecheck");
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].kind, "race_shared");
    EXPECT_EQ(races[0].line, 12);
    EXPECT_EQ(detail_of(races[0], "severity"), severity);
    EXPECT_EQ(detail_of(races[0], "access"), "write");
    EXPECT_EQ(detail_of(races[0], "other_access"), "read");
    EXPECT_EQ(detail_of(races[0], "other_file"), "k.cu");
    EXPECT_EQ(detail_of(races[0], "other_line"), "15");
    EXPECT_EQ(detail_of(races[0], "hazards"), "128");
  }
}

TEST(Findings, HazardReportsNameBothThreads) {
  const auto found = parse_findings(
      "========= ERROR: Potential WAW hazard detected at __shared__ 0x0 in block (2,0,0) :\n"
      "=========     Write Thread (0,0,0) at WAW()+0x2f0 in raceWAW.cu:20\n"
      "=========     Write Thread (1,0,0) at WAW()+0x2f0 in raceWAW.cu:21\n"
      "=========     Current Value : 1, Incoming Value : 2\n",
      "racecheck");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line, 20);
  EXPECT_EQ(detail_of(found[0], "hazard"), "WAW");
  EXPECT_EQ(detail_of(found[0], "thread"), "block (2,0,0) thread (0,0,0)");
  EXPECT_EQ(detail_of(found[0], "other_thread"), "block (2,0,0) thread (1,0,0)");
  EXPECT_EQ(detail_of(found[0], "other_line"), "21");
}

TEST(Findings, UninitialisedReadsOfGlobalAndSharedMemory) {
  const auto found = parse_findings(
      "========= Uninitialized __global__ memory read of size 4 bytes\n"
      "=========     at kernel+0x10 in k.cu:9\n"
      "=========     by thread (31,0,0) in block (1,0,0)\n"
      "=========     Address 0x7f3c7ec000fc\n"
      "========= Uninitialized __shared__ memory read of size 4 bytes\n"
      "=========     at kernel+0x20 in k.cu:11\n",
      "initcheck");
  ASSERT_EQ(found.size(), 2U) << "a report ends where the next begins, also without an empty line";
  EXPECT_EQ(found[0].kind, "uninitialized");
  EXPECT_EQ(detail_of(found[0], "access"), "read of 4 bytes from __global__ memory");
  EXPECT_EQ(found[1].line, 11);
}

TEST(Findings, BarrierErrorsAreAtTheKernelsLineAndMbarriersAreToldApart) {
  const auto found = parse_findings(
      "========= Barrier error detected. Invalid arguments.\n"
      "=========     at __syncwarp(unsigned int)+0xe0 in sm_30_intrinsics.hpp:110\n"
      "=========         Device Frame: broken_sync(float *, unsigned long)+0xb0 in kernel.cu:12\n"
      "========= \n"
      "========= Barrier error detected. Missing wait.\n"
      "=========     at launch(int)+0xbb10 in k.cu:98\n"
      "=========     by thread (128,0,0) in block (0,0,0)\n"
      "=========     Barrier is located at shared address 0x30408\n"
      "========= \n"
      "========= Warpgroup MMA sequence error detected. Warps differ\n"
      "=========     at k()+0x10 in k.cu:5\n",
      "synccheck");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].kind, "barrier_divergence");
  EXPECT_EQ(found[0].file, "kernel.cu");
  EXPECT_EQ(found[0].line, 12);
  EXPECT_EQ(detail_of(found[0], "barrier"), "");
  EXPECT_EQ(detail_of(found[1], "barrier"), "mbarrier");
  EXPECT_EQ(found[2].kind, "warpgroup_sequence");
}

TEST(Findings, TheSamePlaceOnceWithItsCountAndNothingFromAQuietRun) {
  const std::string one =
      "========= Barrier error detected. Divergent thread(s) in block\n=========     at k.cu:3\n=========\n";
  const auto found = parse_findings(one + one + one, "synccheck");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(detail_of(found[0], "count"), "3");
  EXPECT_TRUE(parse_findings("hello\n========= ERROR SUMMARY: 0 errors\n", "memcheck").empty());
}

TEST(Findings, TheSameRaceAsErrorAndAsWarningIsTwo) {
  const std::string race =
      ": Race reported between Write access at k.cu:1\n=========     and Read access at k.cu:2\n";
  EXPECT_EQ(parse_findings("========= Error" + race + "========= Warning" + race, "racecheck").size(), 2U);
}

TEST(Findings, OtherReportsAreKnownByTheirFirstLine) {
  for (const auto& [line, kind] :
       {std::pair{"Malloc/Free error encountered : Double free", "device_heap"},
        {"Deadlock detected in block (0,0,0)", "hang"},
        {"Potential invalid __shared__ write of size 4 bytes", "race_shared"},
        {"Uninitialized __global__ memory read of size 4 bytes", "uninitialized"}}) {
    const auto found = parse_findings(std::string("========= ") + line + "\n", "memcheck");
    ASSERT_EQ(found.size(), 1U) << line;
    EXPECT_EQ(found[0].kind, kind);
  }
}

TEST(Findings, ARaceWithoutASeverityIsAnError) {
  const auto found = parse_findings("========= Race reported between Write access at k.cu:1\n", "racecheck");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(detail_of(found[0], "severity"), "error");
}

TEST(Findings, RacesOfOneLineWithTwoOthersAreTwo) {
  const std::string race =
      "========= Error: Race reported between Write access at k.cu:1\n=========     and ";
  EXPECT_EQ(
      parse_findings(race + "Read access at k.cu:2\n" + race + "Read access at k.cu:3\n", "racecheck").size(),
      2U);
}

TEST(Findings, WhatTheProgramPrintsItselfIsNoFinding) {
  EXPECT_TRUE(parse_findings("Uninitialized __global__ memory read\n", "initcheck").empty());
}

TEST(Summary, IsReadFromEveryToolsLastLine) {
  EXPECT_FALSE(parse_summary("========= COMPUTE-SANITIZER\nERROR SUMMARY: 3 errors\n"));
  EXPECT_EQ(parse_summary("========= ERROR SUMMARY: 3 errors\n")->errors, 3);
  EXPECT_EQ(parse_summary("========= ERROR SUMMARY: 1 error\n")->errors, 1);
  const auto races =
      parse_summary("========= RACECHECK SUMMARY: 5 hazards displayed (2 errors, 3 warnings)\n");
  EXPECT_EQ(races->errors, 2);
  EXPECT_EQ(races->warnings, 3);
  EXPECT_EQ(parse_summary("========= ERROR SUMMARY: 257 errors\n========= ERROR SUMMARY: 157 errors were not "
                          "printed. Use --print-limit option to adjust the number of printed errors\n")
                ->errors,
            257);
}

TEST(Complaint, IsTheToolsOwnLine) {
  EXPECT_EQ(
      parse_complaint("========= COMPUTE-SANITIZER\n========= Device not supported. Please refer to X\n"),
      "Device not supported. Please refer to X");
  EXPECT_EQ(parse_complaint("========= ERROR SUMMARY: 0 errors\n"), "");
  for (const char* words : {"Internal Sanitizer Error: The tool has crashed",
                            "Internal Memcheck Error: Initialization failed", "Unable to launch the target",
                            "Error: Target application terminated before first instrumented API call",
                            "Error: process didn't terminate successfully",
                            "Error: No CUDA-capable device is detected", "Unable to find injection library",
                            "Failed to allocate device memory", "Timed out waiting for the target"}) {
    EXPECT_EQ(parse_complaint(std::string("========= ") + words + "\n"), words);
  }
}

}  // namespace
}  // namespace evo::evaluators::sanitizer
