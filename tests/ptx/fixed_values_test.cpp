// Which stores are of values that every thread knows: threads that make the same one do not race.
#include "evaluators/devices/virtual/ptx/fixed_values.hpp"

#include <gtest/gtest.h>

#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

/// Is the last store of `body` one?
bool fixed(const std::string& body) {
  const Program program = load(kernel(body));
  const std::vector<bool> stores = stores_of_fixed_values(program);
  for (std::size_t at = program.code.size(); at-- > 0;) {
    if (program.code[at].op == Opcode::st) return stores[at];
  }
  ADD_FAILURE() << "no store";
  return false;
}

const std::string store = "st.shared.u32 [%r9], %r1;\n";

TEST(PtxFixedValues, ConstantsArgumentsAndDimensionsAreKnown) {
  EXPECT_TRUE(fixed("st.shared.u32 [%r9], 1;\n"));
  EXPECT_TRUE(fixed("mov.u32 %r1, 1;\n" + store));
  EXPECT_TRUE(fixed("mov.u32 %r2, %ntid.x;\nadd.u32 %r1, %r2, 3;\n" + store));
  EXPECT_TRUE(fixed("ld.param.u32 %r2, [k_param_1];\nmul.lo.u32 %r1, %r2, %r2;\n" + store));
  EXPECT_TRUE(fixed("mov.u32 %r9, %tid.x;\nmov.u32 %r1, 1;\n" + store)) << "the address may vary";
}

TEST(PtxFixedValues, PlaceMemoryAndOthersAreNot) {
  EXPECT_FALSE(fixed("mov.u32 %r1, %tid.x;\n" + store));
  EXPECT_FALSE(fixed("mov.u32 %r2, %ctaid.x;\nshl.b32 %r1, %r2, 2;\n" + store));
  EXPECT_FALSE(fixed("ld.shared.u32 %r1, [%r9];\n" + store));
  EXPECT_FALSE(fixed("mov.u32 %r1, 1;\nshfl.sync.idx.b32 %r1, %r1, 0, 31, -1;\n" + store));
  EXPECT_FALSE(fixed("mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\nselp.u32 %r1, 1, 2, %p1;\n" + store));
}

TEST(PtxFixedValues, OneWriteThatVariesIsEnough) {
  EXPECT_FALSE(fixed("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, %tid.x;\n" + store));
  EXPECT_FALSE(
      fixed("mov.u32 %r1, 1;\nLOOP: add.u32 %r1, %r1, %r2;\nmov.u32 %r2, %laneid;\n@%p1 bra LOOP;\n" + store))
      << "through a loop, against the order of the code";
  EXPECT_TRUE(fixed("mov.u32 %r1, 1;\nLOOP: add.u32 %r1, %r1, 1;\n@%p1 bra LOOP;\n" + store));
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
