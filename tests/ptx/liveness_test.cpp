// Sharing slots must never lose a value, whatever way a lane takes through the program.
#include "evaluators/devices/virtual/ptx/liveness.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <random>

#include "tests/ptx/support.hpp"

namespace evo::evaluators::virtual_device::ptx::testing {
namespace {

TEST(PtxLiveness, StraightLine) {
  const Program program =
      load(kernel("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, %r1;\nadd.u32 %r3, %r2, 1;\nmov.u32 %r4, %r3;\n"));
  const auto interval = [&](std::size_t instruction) {
    return live_intervals(program)[program.code[instruction].dst[0].index];
  };
  EXPECT_EQ(interval(0), (LiveInterval{0, 1}));
  EXPECT_EQ(interval(1), (LiveInterval{1, 2}));
  const SlotAssignment slots = assign_slots(program);
  EXPECT_EQ(slots.words, 2U) << "a destination never takes the slot of a source of the same instruction";
  EXPECT_EQ(slots.slot[program.code[0].dst[0].index], slots.slot[program.code[2].dst[0].index]);
  EXPECT_EQ(slots.predicates, 0U);
  EXPECT_EQ(slots.slot[0], SlotAssignment::no_slot);
}

TEST(PtxLiveness, AValueCarriedAroundALoopLivesInAllOfIt) {
  const Program program =
      load(kernel("mov.u32 %r1, 1;\nLOOP: add.u32 %r1, %r1, 1;\nmov.u32 %r2, 5;\nadd.u32 %r3, %r2, %r2;\n"
                  "setp.lt.u32 %p1, %r3, 9;\n@%p1 bra LOOP;\n"));
  const std::vector<LiveInterval> intervals = live_intervals(program);
  EXPECT_EQ(intervals[program.code[0].dst[0].index], (LiveInterval{0, 5}));
  EXPECT_EQ(intervals[program.code[2].dst[0].index], (LiveInterval{2, 3}));
}

TEST(PtxLiveness, AGuardedWriteKeepsTheOldValue) {
  const Program program =
      load(kernel("mov.u32 %r1, 1;\nbra NEXT;\nNEXT: @%p1 mov.u32 %r1, 2;\nmov.u32 %r2, %r1;\n"));
  EXPECT_EQ(live_intervals(program)[program.code[0].dst[0].index], (LiveInterval{0, 3}));
}

TEST(PtxLiveness, ARegisterReadBeforeAnyWriteIsLiveFromTheStart) {
  const Program program = load(kernel("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r4, %r3, 1;\n"));
  EXPECT_EQ(live_intervals(program)[program.code[2].src[0].index].first, 0U);
}

/// A lane walks the program at random; each slot remembers which register was last put there. A register that
/// the lane has written must be in its slot whenever the lane reads it.
void walk(const Program& program, const SlotAssignment& slots, std::mt19937& random) {
  std::vector<std::vector<std::optional<std::uint32_t>>> owner(
      3, std::vector<std::optional<std::uint32_t>>(program.registers.size()));
  std::vector<bool> written(program.registers.size(), false);
  const auto place = [&](std::uint32_t r) -> std::optional<std::uint32_t>& {
    return owner[static_cast<std::size_t>(slot_class(program.registers[r]))].at(slots.slot[r]);
  };
  std::size_t at = 0;
  for (int step = 0; step < 2000; ++step) {
    const Instruction& i = program.code[at];
    for_each_read(program, i, [&](std::uint32_t r) {
      if (written[r]) {
        RC_ASSERT(place(r) == r);
      } else if (slots.slot[r] != SlotAssignment::no_slot) {
        RC_ASSERT(!place(r) || place(r) == r);  // nobody else's value passes for it
      }
    });
    const bool active = i.guard.kind == Operand::Kind::none || (random() & 1) != 0;
    if (active) {
      for_each_write(program, i, [&](std::uint32_t r) {
        place(r) = r;
        written[r] = true;
      });
    }
    if (active && i.op == Opcode::ret) return;
    if (active && i.op == Opcode::bra) {
      at = i.target;
    } else if (active && i.op == Opcode::brx) {
      const auto& table = program.branch_tables[i.table];
      at = table[random() % table.size()];
    } else {
      ++at;
    }
  }
}

RC_GTEST_PROP(PtxLivenessProperty, SlotsNeverLoseAValue, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto pick = [&](unsigned n) { return std::to_string(random() % n); };
  std::string body;
  const auto lines = static_cast<unsigned>(5 + random() % 60);
  for (unsigned line = 0; line < lines; ++line) {
    body += "L" + std::to_string(line) + ": ";
    if (random() % 4 == 0) body += (random() % 2 ? "@%p" : "@!%p") + pick(4) + " ";
    switch (random() % 7) {
      case 0:
        body += "bra L" + pick(lines) + ";\n";
        break;
      case 1:
        body += "setp.lt.u32 %p" + pick(4) + "|%p" + std::to_string(4 + random() % 4) + ", %r" + pick(16) +
                ", 3;\n";
        break;
      case 2:
        body += "mul.wide.u32 %rd" + pick(16) + ", %r" + pick(16) + ", %r" + pick(16) + ";\n";
        break;
      case 3:
        body += "ld.global.u32 %r" + pick(16) + ", [%rd" + pick(16) + "];\n";
        break;
      case 4:
        body += "mov.u32 %r" + pick(16) + ", 1;\n";
        break;
      default:
        body += "add.u32 %r" + pick(16) + ", %r" + pick(16) + ", %r" + pick(16) + ";\n";
        break;
    }
  }
  const Program program = load(kernel(body));
  const SlotAssignment slots = assign_slots(program);
  for (int i = 0; i < 10; ++i) walk(program, slots, random);
}

TEST(PtxLiveness, CompiledKernelsNeedFarFewerSlotsThanRegisters) {
  std::mt19937 random(1);
  for (const char* name : {"attention.ptx", "features.ptx", "sgemm.ptx", "bits.ptx"}) {
    const std::string text = fixture(name);
    for (const std::string& entry : entries_of(text)) {
      const Program program = load(text, entry);
      const SlotAssignment slots = assign_slots(program);
      EXPECT_LT(slots.predicates + slots.words + slots.wides, program.registers.size() * 3 / 4) << entry;
      walk(program, slots, random);
    }
  }
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::ptx::testing
