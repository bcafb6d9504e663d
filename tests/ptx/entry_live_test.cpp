#include "evaluators/devices/virtual/ptx/entry_live.hpp"

#include <map>

#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Name of each register that is live at the entry, and the instructions that may meet it first.
std::map<std::string, std::vector<std::uint32_t>> unset(const std::string& body) {
  const Program program = load(kernel(body));
  std::map<std::string, std::vector<std::uint32_t>> result;
  for (const EntryLive& entry : live_at_entry(program))
    result[program.register_names[entry.reg]] = entry.reads;
  return result;
}

TEST(PtxEntryLive, WhatIsWrittenFirstIsNotLive) {
  EXPECT_THAT(unset("mov.u32 %r1, 1;\nadd.u32 %r1, %r1, %r1;\nst.global.u32 [%rd1], %r1;\n").count("%r1"),
              0U);
  EXPECT_THAT(
      unset("mov.u32 %r1, 1;\nLOOP: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra LOOP;\n"),
      IsEmpty());
}

TEST(PtxEntryLive, ReadsAreThoseThatComeBeforeASureWrite) {
  EXPECT_THAT(
      unset("add.u32 %r2, %r1, 1;\nadd.u32 %r3, %r1, 1;\nmov.u32 %r1, 1;\nadd.u32 %r4, %r1, 1;\n")["%r1"],
      ElementsAre(0, 1));
  // A guarded write leaves the other lanes without a value.
  EXPECT_THAT(unset("setp.lt.u32 %p1, 1, 2;\n@%p1 mov.u32 %r1, 2;\nadd.u32 %r2, %r1, 1;\n")["%r1"],
              ElementsAre(2));
  // Its own operand.
  EXPECT_THAT(unset("add.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\n")["%r1"], ElementsAre(0));
}

TEST(PtxEntryLive, OnAnyPath) {
  const auto live = unset(
      "setp.lt.u32 %p1, 1, 2;\n@%p1 bra JOIN;\nmov.u32 %r1, 1;\nmov.u32 %r2, 1;\n"
      "JOIN: add.u32 %r3, %r1, 1;\nLOOP: add.u32 %r4, %r4, %r3;\nsetp.lt.u32 %p2, %r4, 9;\n@%p2 bra LOOP;\n");
  ASSERT_EQ(live.size(), 2U);
  EXPECT_THAT(live.at("%r1"), ElementsAre(4));
  EXPECT_THAT(live.at("%r4"), ElementsAre(5));
}

TEST(PtxEntryLive, CodeThatIsNotReachedReadsNothing) {
  EXPECT_THAT(unset("bra END;\nadd.u32 %r3, %r1, 1;\nEND:\n"), IsEmpty());
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
