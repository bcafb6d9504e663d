// Damaged text ends in a Program or a Failure: never a crash, an endless loop, or an index out of range.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "evaluators/devices/virtual/ptx/liveness.hpp"
#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

std::string damage(std::string text, std::mt19937& random) {
  const auto at = [&] { return text.empty() ? 0 : random() % text.size(); };
  static constexpr std::string_view alphabet = "{}[]()<>;:,.|!@%$_-+~0123456789abfrxU \n\"/*";
  for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
    const std::size_t position = at();
    switch (random() % 6) {
      case 0:
        text.erase(position, 1 + random() % 20);
        break;
      case 1:
        text.insert(position, 1, alphabet[random() % alphabet.size()]);
        break;
      case 2:
        if (!text.empty()) text[position] = alphabet[random() % alphabet.size()];
        break;
      case 3:
        text.insert(position, text.substr(at(), random() % 200));
        break;
      case 4:
        text.resize(position);
        break;
      default:
        if (!text.empty()) text[position] = static_cast<char>(random() & 0xff);
        break;
    }
  }
  return text;
}

void use(std::string_view text, std::string_view entry) {
  const auto program = load_program(text, entry);
  if (!program) {
    RC_ASSERT(program.error().status == model::Status::unsupported);
    RC_ASSERT(!program.error().evidence.empty());
    return;
  }
  const SlotAssignment slots = assign_slots(*program);
  RC_ASSERT(slots.slot.size() == program->registers.size());
  RC_ASSERT(!dump(*program).empty());
  for (const Instruction& i : program->code) {
    if (i.op == Opcode::bra) RC_ASSERT(i.target < program->code.size());
    for_each_read(*program, i, [&](std::uint32_t r) { RC_ASSERT(r < program->registers.size()); });
  }
}

RC_GTEST_PROP(PtxFuzz, DamagedModules, (std::uint32_t seed)) {
  static const std::string features = fixture("features.ptx");
  static const std::string reduce = fixture("reduce.ptx");
  std::mt19937 random(seed);
  const bool first_one = random() % 2 == 0;
  for (int i = 0; i < 5; ++i)
    use(damage(first_one ? features : reduce, random), first_one ? "calls" : "softmax");
}

RC_GTEST_PROP(PtxFuzz, DamagedSmallKernels, (std::uint32_t seed)) {
  // Few bytes, so that most of the damage meets an instruction.
  static const std::string text = kernel(
      "L: mov.b32 {%rs1, _}, %r1;\nld.global.v2.f32 {%f1, %f2}, [%rd1+4];\n@!%p1 setp.lt.and.f32 %p2|%p3, "
      "%f1, "
      "0f3F800000, !%p4;\n{ .param .b32 a; st.param.b32 [a+0], %r1; call.uni (a), f, (a); }\nbra L;\n"
      "T: .branchtargets L, L;\nbrx.idx %r1, T;\nbar.red.popc.u32 %r1, 0, %p1;\n.loc 1 2 3, function_name x, "
      "inlined_at 1 2 2\natom.shared.cas.b32 %r1, [%r2], 1, 2;\n",
      ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a]; st.param.b32 [r], "
      "%r1; }\n");
  std::mt19937 random(seed);
  for (int i = 0; i < 50; ++i) use(damage(text, random), "k");
}

RC_GTEST_PROP(PtxFuzz, Noise, (const std::string& text)) {
  use(text, "k");
}

TEST(PtxFuzz, DeepNestingAndLongLists) {
  const auto loads = [](const std::string& body) { return load_program(kernel(body), "k").has_value(); };
  EXPECT_TRUE(loads(std::string(20000, '{') + std::string(20000, '}')));
  EXPECT_FALSE(loads("mov.u32 %r1, " + std::string(20000, '[')));
  EXPECT_FALSE(loads("mov.u32 %r1, " + std::string(20000, '{') + ";"));
  EXPECT_TRUE(loads("mov.u32 %r1, " + std::string(20001, '-') + "1;"));
  std::string many = "mov.u32 %r1";
  for (int i = 0; i < 20000; ++i) many += ", %r1";
  EXPECT_TRUE(loads(many + ";"));
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
