// Which plain loads count as relaxed ones: see evaluators/devices/virtual/ptx/first_reads.hpp.
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

/// Of the first load from global memory.
Scope scope_of_load(const std::string& body) {
  const Program program =
      load(kernel("ld.param.u64 %rd1, [k_param_0];\nld.param.u32 %r9, [k_param_1];\n" + body));
  for (const Instruction& i : program.code) {
    if (i.op == Opcode::ld && i.space == Space::global) return i.scope;
  }
  ADD_FAILURE() << "no load";
  return Scope::none;
}

const std::string plain_read = "ld.global.u32 %r1, [%rd1];\n";
const std::string new_value = "add.s32 %r2, %r1, %r9;\n";
const std::string swapping = "atom.global.cas.b32 %r3, [%rd1], %r1, %r2;\n";
const std::string once_more = "setp.ne.s32 %p1, %r1, %r3;\nmov.u32 %r1, %r3;\n@%p1 bra LOOP;\n";

TEST(FirstReads, OfALoopOfSwapsCountsAsRelaxed) {
  EXPECT_EQ(scope_of_load(plain_read + "LOOP:\n" + new_value + swapping + once_more), Scope::gpu);
  EXPECT_EQ(scope_of_load("ld.global.u32 %r5, [%rd1];\nmov.u32 %r1, %r5;\nLOOP:\n" + new_value + swapping +
                          once_more),
            Scope::gpu)
      << "by a copy";
  EXPECT_EQ(scope_of_load("LOOP:\n" + plain_read + new_value + swapping +
                          "setp.ne.s32 %p1, %r1, %r3;\n@%p1 bra LOOP;\n"),
            Scope::gpu)
      << "read anew for each try";
}

TEST(FirstReads, WhoseValueIsUsedOtherwiseStaysPlain) {
  const std::string end = "LOOP:\n" + new_value + swapping + once_more;
  EXPECT_EQ(scope_of_load(plain_read + new_value + "LOOP:\n" + swapping + once_more), Scope::none)
      << "the new value is computed once";
  EXPECT_EQ(
      scope_of_load(plain_read + "mov.u32 %r4, %r1;\nLOOP:\nadd.s32 %r2, %r4, %r9;\n" + swapping + once_more),
      Scope::none)
      << "from a copy of the first value";
  EXPECT_EQ(scope_of_load(plain_read + "st.global.u32 [%rd1+4], %r1;\n" + end), Scope::none) << "stored";
  EXPECT_EQ(scope_of_load(plain_read + "setp.gt.s32 %p2, %r1, %r9;\n@%p2 bra DONE;\n" + end + "DONE:\n"),
            Scope::none)
      << "decides";
  EXPECT_EQ(scope_of_load(plain_read + "cvt.u64.u32 %rd2, %r1;\nadd.s64 %rd1, %rd1, %rd2;\n" + end),
            Scope::none)
      << "an address";
  EXPECT_EQ(scope_of_load(plain_read + new_value + "atom.global.cas.b32 %r3, [%rd1], %r9, %r2;\n"),
            Scope::none)
      << "compared is something else";
  EXPECT_EQ(scope_of_load(
                "LOOP:\n" + plain_read + new_value +
                "atom.global.cas.b32 %r3, [%rd1], %r9, %r2;\nsetp.ne.s32 %p1, %r1, %r3;\n@%p1 bra LOOP;\n"),
            Scope::none)
      << "compared is something else, in a loop";
  EXPECT_EQ(scope_of_load(plain_read + "atom.global.cas.b32 %r4, [%rd1], %r1, %r9;\n" + end), Scope::none)
      << "two swaps";
  EXPECT_EQ(scope_of_load(plain_read + "red.global.add.u32 [%rd1], %r1;\n"), Scope::none) << "no swap";
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
