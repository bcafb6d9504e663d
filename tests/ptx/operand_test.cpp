// Immediates, symbols, vectors, predicates: what instructions operate on.
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

using Kind = Operand::Kind;

std::uint64_t immediate(const std::string& statement) {
  const Instruction instruction = first(statement);
  EXPECT_NE(instruction.op, Opcode::unsupported) << statement;
  EXPECT_EQ(instruction.src[0].kind, Kind::immediate) << statement;
  return instruction.src[0].bits;
}

TEST(PtxImmediate, IntegersInEveryNotation) {
  EXPECT_EQ(immediate("mov.u32 %r1, 42;"), 42U);
  EXPECT_EQ(immediate("mov.u32 %r1, 42U;"), 42U);
  EXPECT_EQ(immediate("mov.b32 %r1, 0x3fb8aa3bU;"), 0x3fb8aa3bU);
  EXPECT_EQ(immediate("mov.b32 %r1, 0XC1EF;"), 0xc1efU);
  EXPECT_EQ(immediate("mov.u32 %r1, 0777;"), 0777U);
  EXPECT_EQ(immediate("mov.u32 %r1, 0;"), 0U);
  EXPECT_EQ(immediate("mov.u32 %r1, 0b1011;"), 11U);
  EXPECT_EQ(immediate("mov.u32 %r1, WARP_SZ;"), 32U);
  EXPECT_EQ(immediate("mov.u32 %r1, ~0;"), 0xffffffffU);
}

TEST(PtxImmediate, NegativeOnesAreCutToTheType) {
  EXPECT_EQ(immediate("mov.u32 %r1, -1;"), 0xffffffffU);
  EXPECT_EQ(immediate("mov.u64 %rd1, -1;"), ~std::uint64_t{0});
  EXPECT_EQ(immediate("mov.u16 %rs1, -2;"), 0xfffeU);
  EXPECT_EQ(immediate("mov.b64 %rd1, 0xffffffffffffffff;"), ~std::uint64_t{0});
}

TEST(PtxImmediate, FloatsAreBitPatternsOfTheInstructionsType) {
  EXPECT_EQ(immediate("mov.f32 %f1, 0f3F800000;"), 0x3f800000U);
  EXPECT_EQ(immediate("mov.f32 %f1, 0F7f800000;"), 0x7f800000U);
  EXPECT_EQ(immediate("mov.f64 %fd1, 0d3FF0000000000000;"), 0x3ff0000000000000U);
  EXPECT_EQ(immediate("mov.f32 %f1, 1.5;"), 0x3fc00000U);
  EXPECT_EQ(immediate("mov.f64 %fd1, 1.5;"), 0x3ff8000000000000U);
  EXPECT_EQ(immediate("mov.f64 %fd1, -25e-1;"), 0xc004000000000000U);
  EXPECT_EQ(immediate("mov.f64 %fd1, 0f3F800000;"), 0x3ff0000000000000U);
}

TEST(PtxImmediate, ShiftAmountsAreThirtyTwoBitsWideWhateverTheType) {
  const Instruction shift = first("shl.b64 %rd1, %rd2, -1;");
  EXPECT_EQ(shift.src[1].bits, 0xffffffffU);
  const Instruction wide = first("mad.wide.s32 %rd1, %r1, -4, -8;");
  EXPECT_EQ(wide.src[1].bits, 0xfffffffcU);
  EXPECT_EQ(wide.src[2].bits, 0xfffffffffffffff8U) << "the addend is twice as wide";
}

TEST(PtxOperand, SpecialRegisters) {
  const Instruction x = first("mov.u32 %r1, %ctaid.y;");
  EXPECT_EQ(x.src[0].kind, Kind::special);
  EXPECT_EQ(x.src[0].index, static_cast<std::uint32_t>(SpecialRegister::ctaid_y));
  EXPECT_EQ(first("mov.u64 %rd1, %clock64;").src[0].index,
            static_cast<std::uint32_t>(SpecialRegister::clock64));
  EXPECT_EQ(first("mov.u32 %r1, %cluster_ctaid.x;").op, Opcode::unsupported);
}

TEST(PtxOperand, GuardsAndNegatedPredicates) {
  const Instruction guarded = first("@!%p3 add.s32 %r1, %r2, %r3;");
  EXPECT_EQ(guarded.guard.kind, Kind::reg);
  EXPECT_TRUE(guarded.guard.negated);
  const Instruction combined = first("setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;");
  EXPECT_EQ(combined.dst_count, 2);
  EXPECT_EQ(combined.bool_op, BoolOp::and_);
  EXPECT_TRUE(combined.src[2].negated);
  EXPECT_FALSE(combined.dst[1].negated);
  EXPECT_EQ(first("setp.lt.s32 %p1|_, %r1, 5;").dst[1].kind, Kind::none);
  EXPECT_EQ(first("setp.lt.s32 %p1, %r1, 5, %p2;").op, Opcode::unsupported)
      << "a predicate without an operation";
  EXPECT_EQ(first("shfl.sync.up.b32 %r1|%p1, %r2, 1, 0, -1;").dst_count, 2);
}

TEST(PtxOperand, VectorsWithSinks) {
  const Instruction load = first("ld.global.v4.f32 {%f1, _, %f3, _}, [%rd1+-16];");
  EXPECT_EQ(load.vector, 4);
  EXPECT_EQ(load.dst_count, 4);
  EXPECT_EQ(load.dst[0].kind, Kind::reg);
  EXPECT_EQ(load.dst[1].kind, Kind::none);
  EXPECT_EQ(load.offset, -16);
  const Instruction store = first("st.shared.v2.u32 [%r1+8], {%r2, 7};");
  EXPECT_EQ(store.src[1].bits, 7U);
  EXPECT_EQ(store.space, Space::shared);
  EXPECT_EQ(first("ld.global.v4.f32 {%f1, %f2}, [%rd1];").op, Opcode::unsupported);
  EXPECT_EQ(first("ld.global.f32 {%f1}, [%rd1];").op, Opcode::unsupported);
}

TEST(PtxOperand, PackAndUnpack) {
  const Instruction unpack = first("mov.b32 {%rs1, _}, %r1;");
  EXPECT_EQ(unpack.op, Opcode::unpack);
  EXPECT_EQ(unpack.dst_count, 2);
  EXPECT_EQ(unpack.type, Type::b32);
  const Instruction pack = first("mov.b64 %rd1, {%rs1, %rs2, 3, %rs4};");
  EXPECT_EQ(pack.op, Opcode::pack);
  EXPECT_EQ(pack.src_count, 4);
  EXPECT_EQ(pack.type2, Type::b16);
  EXPECT_EQ(pack.src[2].bits, 3U);
  EXPECT_EQ(first("mov.b64 {%r1, %r2}, %rd1;").dst_count, 2);
}

TEST(PtxOperand, AddressesOfEveryForm) {
  EXPECT_EQ(first("ld.global.u32 %r1, [%rd1];").base.kind, Kind::reg);
  EXPECT_EQ(first("ld.global.u32 %r1, [%rd1+0x10];").offset, 16);
  EXPECT_EQ(first("ld.global.u32 %r1, [%rd1 - 4];").offset, -4);
  EXPECT_EQ(first("ld.u32 %r1, [%rd1];").space, Space::generic);
  const Instruction absolute = first("ld.shared.u32 %r1, [64];");
  EXPECT_EQ(absolute.base.kind, Kind::none);
  EXPECT_EQ(absolute.offset, 64);
  const Instruction parameter = first("ld.param.u32 %r1, [k_param_1];");
  EXPECT_EQ(parameter.space, Space::param);
  EXPECT_EQ(parameter.offset, 8);
}

TEST(PtxOperand, WrongKindsOfRegisterAreRefused) {
  EXPECT_EQ(first("add.s32 %r1, %r2, %p1;").op, Opcode::unsupported);
  EXPECT_EQ(first("add.s64 %rd1, %rd2, %r1;").op, Opcode::unsupported)
      << "a 32-bit register for a 64-bit source";
  EXPECT_EQ(first("selp.b32 %r1, %r2, %r3, %r4;").op, Opcode::unsupported);
  EXPECT_EQ(first("@%r1 add.s32 %r1, %r2, %r3;").op, Opcode::unsupported);
  EXPECT_EQ(first("add.s32 %r1, %r2;").op, Opcode::unsupported);
  EXPECT_EQ(first("add.s32 %r1, %r2, %r3, %r4;").op, Opcode::unsupported);
  EXPECT_EQ(first("add.s32 7, %r2, %r3;").op, Opcode::unsupported);
  // Wider than needed is legal for conversions and memory.
  EXPECT_EQ(first("st.global.u8 [%rd1], %r2;").op, Opcode::st);
  EXPECT_EQ(first("cvt.u32.u8 %r1, %rs1;").op, Opcode::cvt);
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
