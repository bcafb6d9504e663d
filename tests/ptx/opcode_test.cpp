// What modifiers mean, and that an unknown one is never ignored.
#include "evaluators/devices/virtual/ptx/opcode.hpp"

#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

Instruction decoded(std::string_view spelling) {
  const Form form = decode_opcode(spelling);
  EXPECT_TRUE(form.known) << spelling;
  return form.prototype;
}

TEST(PtxOpcode, ModifiersReachTheirFields) {
  const Instruction fma = decoded("fma.rz.ftz.sat.f32");
  EXPECT_EQ(fma.rounding, Rounding::rz);
  EXPECT_TRUE(fma.ftz && fma.saturate);
  EXPECT_EQ(decoded("mul.hi.u32").mul_mode, MulMode::hi);
  EXPECT_EQ(decoded("setp.lo.u32").compare, Compare::lo) << "not the low half";
  EXPECT_EQ(decoded("mul.lo.u32").compare, Compare::none);
  const Instruction cvt = decoded("cvt.rzi.ftz.s32.f32");
  EXPECT_EQ(cvt.type, Type::s32);
  EXPECT_EQ(cvt.type2, Type::f32);
  EXPECT_EQ(cvt.rounding, Rounding::rzi);
  const Instruction set = decoded("set.gt.and.u32.f32");
  EXPECT_EQ(set.type2, Type::f32);
  EXPECT_EQ(set.bool_op, BoolOp::and_);
  const Instruction atom = decoded("atom.acq_rel.sys.global.and.b64");
  EXPECT_EQ(atom.atomic, AtomicOp::and_);
  EXPECT_EQ(atom.bool_op, BoolOp::none);
  EXPECT_TRUE(atom.acquire && atom.release);
  EXPECT_EQ(atom.scope, Scope::sys);
  EXPECT_TRUE(decoded("shf.r.wrap.b32").right);
  EXPECT_FALSE(decoded("shf.l.wrap.b32").right);
  EXPECT_FALSE(decoded("shf.r.clamp.b32").wrap);
  EXPECT_TRUE(decoded("cvta.to.shared.u64").to_space);
  EXPECT_TRUE(decoded("div.full.f32").full_range);
  EXPECT_TRUE(decoded("bfind.shiftamt.u32").shift_amount);
  EXPECT_EQ(decoded("membar.gl").scope, Scope::gpu);
  EXPECT_EQ(decoded("testp.subnormal.f64").test, TestClass::subnormal);
  EXPECT_EQ(decoded("mad.rn.f32").op, Opcode::fma);
}

TEST(PtxOpcode, Barriers) {
  EXPECT_TRUE(decoded("bar.sync").uniform) << "bar is barrier.aligned";
  EXPECT_FALSE(decoded("barrier.sync").uniform);
  EXPECT_TRUE(decoded("barrier.sync.aligned").uniform);
  EXPECT_EQ(decoded("bar.red.or.pred").op, Opcode::bar_red);
  EXPECT_EQ(decoded("bar.red.or.pred").barrier, BarrierMode::red_or);
  EXPECT_EQ(decoded("bar.warp.sync").op, Opcode::bar_warp);
  const Instruction counted = first("bar.sync 3, 64;");
  EXPECT_EQ(counted.src[0].bits, 3U);
  EXPECT_EQ(counted.src[1].bits, 64U);
  const Instruction all = first("bar.red.popc.u32 %r1, 0, !%p1;");
  EXPECT_EQ(all.src[1].kind, Operand::Kind::none);
  EXPECT_TRUE(all.src[2].negated);
  EXPECT_EQ(first("bar.red.popc.u32 %r1, 0, 64, %p1;").src[1].bits, 64U);
}

TEST(PtxOpcode, AnUnknownModifierMakesTheInstructionUnsupported) {
  for (const char* spelling : {"add.new.f32",
                               "ld.global.v8.b32",
                               "ld.shared::cluster.u32",
                               "cvt.rn.e4m3x2.f32",
                               "add.f32x2",
                               "min.xorsign.abs.f32",
                               "prmt.b32.f4f",
                               "atom.global.v4.f32.add",
                               "ld.global.L2::cache_hint.u32",
                               "fma.rn.oob.f16",
                               "shl.b128",
                               "add.u32.u32",
                               "add",
                               "mul.u32",
                               "mul.wide.lo.s32",
                               "div.f32",
                               "sqrt.f32",
                               "sin.f32",
                               "setp.f32",
                               "bar.sync.pred",
                               "bar.popc.sync.f32",
                               "vote.sync.ballot.pred",
                               "lop3.and.b32",
                               "bogus.u32",
                               "ld.global.global.u32",
                               "atom.global.min.f32",
                               "red.global.cas.b32",
                               "cvt.rn.rz.f32.f64",
                               "shfl.up.b32",
                               ""}) {
    EXPECT_FALSE(decode_opcode(spelling).known) << spelling;
  }
}

TEST(PtxOpcode, EveryModifierOfEverySpellingCounts) {
  // Damaging any modifier of a known spelling never gives the same instruction.
  std::istringstream lines(fixture("corpus_spellings.txt") + fixture("matrix_spellings.txt"));
  for (std::string line; std::getline(lines, line);) {
    for (std::size_t dot = line.find('.'); dot != std::string::npos; dot = line.find('.', dot + 1)) {
      std::string damaged = line;
      damaged.insert(dot + 1, "q");
      EXPECT_FALSE(decode_opcode(damaged).known) << damaged;
    }
  }
}

TEST(PtxOpcode, UnsupportedKeepsItsTextAndLine) {
  const Program program = load(
      kernel("add.s32 %r1, %r2, %r3;\n"
             "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r5,%r6}, "
             "{%f1,%f2,%f3,%f4}, %r7, 0;\n"
             "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], "
             "[%rd1, {%r2, "
             "%r3}], "
             "[%r4];\n"
             "tcgen05.wait::ld.sync.aligned;\n"));
  ASSERT_EQ(program.code.size(), 6U);
  const Instruction& mma = program.code[1];
  EXPECT_EQ(mma.op, Opcode::unsupported);
  EXPECT_EQ(mma.ptx_line, first_body_line + 1);
  EXPECT_THAT(program.texts[mma.text], ::testing::StartsWith("mma.sp.sync.aligned.m16n8k16.row.col"));
  EXPECT_THAT(program.texts[mma.text], ::testing::EndsWith("{%f1,%f2,%f3,%f4}, %r7, 0"));
  EXPECT_EQ(program.code[2].guard.kind, Operand::Kind::reg) << "not executed if its guard is false";
  EXPECT_THAT(program.texts[program.code[2].text], ::testing::HasSubstr("[%rd1, {%r2, %r3}]"));
  EXPECT_EQ(program.code[3].op, Opcode::unsupported);
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
