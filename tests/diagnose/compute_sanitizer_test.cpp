// Output of the kind that compute-sanitizer's documentation shows.
#include "diagnose/compute_sanitizer.hpp"

#include <gtest/gtest.h>

namespace evo::diagnose {
namespace {

TEST(ParseSanitizer, AnInvalidWriteWithItsLine) {
  const auto found = parse_sanitizer(
      "========= COMPUTE-SANITIZER\n"
      "========= Invalid __global__ write of size 2 bytes\n"
      "=========     at row_stride+0x1a0 in /tmp/x/row_stride.cu:41\n"
      "=========     by thread (3,0,0) in block (1,0,0)\n"
      "=========     Address 0x7f0 is out of bounds\n"
      "=========\n"
      "========= ERROR SUMMARY: 1 error\n",
      "memcheck");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "out_of_bounds");
  EXPECT_EQ(found[0].file, "row_stride.cu");
  EXPECT_EQ(found[0].line, 41);
}

TEST(ParseSanitizer, MisalignmentIsTheAddressesFault) {
  const auto found = parse_sanitizer(
      "========= Invalid __shared__ read of size 16 bytes\n"
      "=========     at kernel+0x10 in k.cu:7\n"
      "=========     Address 0x42 is misaligned\n",
      "memcheck");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "misaligned");
}

TEST(ParseSanitizer, RacesAndUninitialisedReads) {
  const auto races = parse_sanitizer(
      "========= Error: Race reported between Write access at kernel+0x70 in k.cu:12\n"
      "=========     and Read access at kernel+0x90 in k.cu:15 [128 hazards]\n"
      "=========\n",
      "racecheck");
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].kind, "race_shared");
  EXPECT_EQ(races[0].line, 12);
  const auto uninitialised = parse_sanitizer(
      "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at kernel+0x10 in "
      "k.cu:9\n",
      "initcheck");
  ASSERT_EQ(uninitialised.size(), 1U);
  EXPECT_EQ(uninitialised[0].kind, "uninitialized");
}

TEST(ParseSanitizer, TheSamePlaceOnceAndNothingFromAQuietRun) {
  const std::string one =
      "========= Barrier error detected. Divergent thread(s) in block\n=========     at k.cu:3\n=========\n";
  EXPECT_EQ(parse_sanitizer(one + one, "synccheck").size(), 1U);
  EXPECT_TRUE(parse_sanitizer("hello\n========= ERROR SUMMARY: 0 errors\n", "memcheck").empty());
  EXPECT_TRUE(parse_sanitizer("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n",
                              "racecheck")
                  .empty());
}

}  // namespace
}  // namespace evo::diagnose
