#include "evaluators/devices/virtual/ptx/pass_by.hpp"

#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

std::uint32_t find(const Program& program, Opcode op, unsigned which = 0) {
  for (std::uint32_t i = 0; i < program.code.size(); ++i) {
    if (program.code[i].op == op && which-- == 0) return i;
  }
  throw std::runtime_error("not there");
}

TEST(PtxPassBy, WhoLeavesBeforeHasNotPassed) {
  const Program program = load(kernel("@%p1 bra END;\nbar.sync 0;\nst.global.u32 [%rd1], %r1;\nEND:\n"));
  PassBy pass_by(program);
  EXPECT_FALSE(pass_by.avoidable(find(program, Opcode::bar)));
  EXPECT_TRUE(pass_by.behind(find(program, Opcode::bar), find(program, Opcode::st)));
}

TEST(PtxPassBy, WhatOthersDoBehindItShowsWhoHasPassed) {
  const Program program = load(
      kernel("st.global.u32 [%rd1], %r1;\n@%p1 bra JOIN;\nbar.sync 0;\nJOIN: st.global.u32 [%rd1], %r1;\n"));
  PassBy pass_by(program);
  const std::uint32_t barrier = find(program, Opcode::bar);
  EXPECT_TRUE(pass_by.avoidable(barrier));
  EXPECT_FALSE(pass_by.behind(barrier, find(program, Opcode::st, 0)));
  EXPECT_TRUE(pass_by.behind(barrier, find(program, Opcode::st, 1)));
}

TEST(PtxPassBy, AStoreOnTheWayOutIsNotBehind) {
  const Program program = load(kernel(
      "@%p1 bra OUT;\nbar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\nOUT: st.global.u32 [%rd2], %r1;\n"));
  PassBy pass_by(program);
  const std::uint32_t barrier = find(program, Opcode::bar);
  EXPECT_FALSE(pass_by.avoidable(barrier));
  EXPECT_FALSE(pass_by.behind(barrier, find(program, Opcode::st, 1)));
}

TEST(PtxPassBy, InALoopNothingIsBehindButWhatFollowsIt) {
  const Program program = load(
      kernel("LOOP: bar.sync 0;\nst.global.u32 [%rd1], %r1;\n@%p1 bra LOOP;\nst.global.u32 [%rd2], %r1;\n"));
  PassBy pass_by(program);
  const std::uint32_t barrier = find(program, Opcode::bar);
  EXPECT_FALSE(pass_by.behind(barrier, find(program, Opcode::st, 0))) << "it may come round again";
  EXPECT_TRUE(pass_by.behind(barrier, find(program, Opcode::st, 1)));
}

TEST(PtxPassBy, AGuardIsAWayPast) {
  const Program program = load(kernel("@%p1 bar.sync 0;\nst.global.u32 [%rd1], %r1;\n"));
  EXPECT_TRUE(PassBy(program).avoidable(find(program, Opcode::bar)));
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
