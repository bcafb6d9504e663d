// The vector steps of arithmetic, one per operation struct. Included by alu_portable.cpp and alu_avx2.cpp,
// which are compiled for different instruction sets.

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "evaluators/devices/virtual/semantics/rare.hpp"
#include "evaluators/devices/virtual/semantics/visit.hpp"
#include "evaluators/devices/virtual/warp/handlers.hpp"
#include "evaluators/devices/virtual/warp/lanes.hpp"

namespace evo::evaluators::virtual_device::warp::EVO_ISA {
namespace {

using namespace semantics;

template <unsigned Sources>
[[gnu::always_inline]] inline std::uint32_t poison_of_sources(const Warp& warp, const Op* op) {
  std::uint32_t poisoned = warp.poison[op->pa];
  if constexpr (Sources > 1) poisoned |= warp.poison[op->pb];
  if constexpr (Sources > 2) poisoned |= warp.poison[op->pc];
  return poisoned;
}

/// Operations that do not look at all of their sources.
template <class F>
constexpr bool selects = false;
template <class T>
constexpr bool selects<semantics::op::Selp<T>> = true;
template <class F>
constexpr BoolOp joins = BoolOp::none;
template <>
inline constexpr BoolOp joins<semantics::op::And<bool>> = BoolOp::and_;
template <>
inline constexpr BoolOp joins<semantics::op::Or<bool>> = BoolOp::or_;

/// Lanes in which `a join b` is poisoned: false decides a conjunction and true a disjunction, whatever the
/// other is. Compilers make `and` of what was `known && value > 0` with a value that only has one where it is
/// known.
[[gnu::always_inline]] inline std::uint32_t poison_of_join(BoolOp join, std::uint32_t a,
                                                           std::uint32_t poison_a, std::uint32_t b,
                                                           std::uint32_t poison_b) {
  switch (join) {
    case BoolOp::and_:
      return (poison_a & poison_b) | (poison_a & b) | (poison_b & a);
    case BoolOp::or_:
      return (poison_a & poison_b) | (poison_a & ~b) | (poison_b & ~a);
    default:
      return poison_a | poison_b;
  }
}

template <class F, class... A>
[[gnu::always_inline]] inline std::uint32_t poison_of(Warp& warp, const Op* op) {
  if constexpr (selects<F>) {
    const std::uint32_t first = warp.predicate(op->c);
    return warp.poison[op->pc] | (warp.poison[op->pa] & first) | (warp.poison[op->pb] & ~first);
  } else if constexpr (joins<F> != BoolOp::none) {
    return poison_of_join(joins<F>, warp.predicate(op->a), warp.poison[op->pa], warp.predicate(op->b),
                          warp.poison[op->pb]);
  } else {
    return poison_of_sources<sizeof...(A)>(warp, op);
  }
}

template <class F, class R, class... A, std::size_t... I>
[[gnu::always_inline]] inline void fill(std::byte* out, const std::array<const std::byte*, 3>& in,
                                        std::index_sequence<I...>) {
#pragma GCC ivdep
  for (unsigned lane = 0; lane < lanes; ++lane)
    write_lane<R>(out, lane, F::apply(read_lane<A>(in[I], lane)...));
}

/// A predicate's value for all lanes from the truth table of F, which has predicates only.
template <class F, class... A>
[[gnu::always_inline]] inline std::uint32_t logic(std::uint32_t a, std::uint32_t b) {
  std::uint32_t result = 0;
  if constexpr (sizeof...(A) == 1) {
    if (F::apply(false)) result |= ~a;
    if (F::apply(true)) result |= a;
  } else {
    if (F::apply(false, false)) result |= ~a & ~b;
    if (F::apply(false, true)) result |= ~a & b;
    if (F::apply(true, false)) result |= a & ~b;
    if (F::apply(true, true)) result |= a & b;
  }
  return result;
}

template <class F, class A, class B>
[[gnu::noinline]] std::uint32_t compare_lanes(const std::byte* a, const std::byte* b) {
  std::uint32_t result = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    result |= static_cast<std::uint32_t>(F::apply(read_lane<A>(a, lane), read_lane<B>(b, lane))) << lane;
  }
  return result;
}

[[gnu::always_inline]] inline void store_predicate(Warp& warp, std::uint32_t offset, std::uint32_t value) {
  std::uint32_t& predicate = warp.predicate(offset);
  predicate = (predicate & ~warp.mask) | (value & warp.mask);
}

/// One loop over the lanes an operation: with one each for some lanes, for all, and for either with checks,
/// this file took half as long again to compile (docs/results/2026-11-29-build-2.md).
template <class F, bool Checked, class R, class... A>
struct Step {
  [[gnu::noinline]] static const Op* run(Warp& warp, const Op* op) {
    if constexpr (Checked) {
      // Before the destination, which may be a source.
      const std::uint32_t poisoned = poison_of<F, A...>(warp, op);
      Step<F, false, R, A...>::run(warp, op);
      set_poison(warp, op->pd, poisoned);
    } else if constexpr (std::is_same_v<R, bool> && (std::is_same_v<A, bool> && ...)) {
      std::uint32_t b = 0;
      if constexpr (sizeof...(A) > 1) b = warp.predicate(op->b);
      store_predicate(warp, op->d, logic<F, A...>(warp.predicate(op->a), b));
    } else {
      std::byte* regs = warp.registers;
      const std::array<const std::byte*, 3> in = {regs + op->a, regs + op->b, regs + op->c};
      const bool all = warp.mask == all_lanes;
      alignas(64) std::byte some[2 * slot_size];
      fill<F, R, A...>(all ? regs + op->d : some, in, std::index_sequence_for<A...>{});
      if (!all) [[unlikely]]
        blend<lane_bytes<R>>(regs + op->d, some, warp.mask);
    }
    return op + 1;
  }
};

/// setp: `offset` holds the bool_op (bits 0..3); c is its predicate, extra the second destination's Wide.
template <class F, bool Checked, class A, class B>
struct CompareStep {
  static const Op* run(Warp& warp, const Op* op) {
    const std::uint32_t result = compare_lanes<F, A, B>(warp.registers + op->a, warp.registers + op->b);
    if (op->offset == 0) [[likely]] {
      store_predicate(warp, op->d, result);
      if constexpr (Checked) set_poison(warp, op->pd, poison_of_sources<2>(warp, op));
      return op + 1;
    }
    const std::uint32_t third = warp.predicate(op->c);
    const auto combined = [&](std::uint32_t value) {
      switch (static_cast<BoolOp>(op->offset & 15)) {
        case BoolOp::and_:
          return value & third;
        case BoolOp::or_:
          return value | third;
        case BoolOp::xor_:
          return value ^ third;
        default:
          return value;
      }
    };
    const auto poisoned = [&, of_sources = poison_of_sources<2>(warp, op),
                           of_third = warp.poison[op->pc]](std::uint32_t value) {
      return poison_of_join(static_cast<BoolOp>(op->offset & 15), value, of_sources, third, of_third);
    };
    store_predicate(warp, op->d, combined(result));
    if constexpr (Checked) set_poison(warp, op->pd, poisoned(result));
    if ((op->offset & 16) != 0) {
      const Wide& wide = warp.wide[op->extra];
      store_predicate(warp, wide.dst[1], combined(~result));
      if constexpr (Checked) set_poison(warp, wide.dst_poison[1], poisoned(~result));
    }
    return op + 1;
  }
};

/// The lanes of `out` for those that run; `fill_slot` writes all 32 into the slot it is given.
template <unsigned Bytes, class Fill>
[[gnu::always_inline]] inline void write_slot(Warp& warp, std::uint32_t offset, Fill fill_slot) {
  if (warp.mask == all_lanes) [[likely]] {
    fill_slot(warp.registers + offset);
  } else {
    alignas(64) std::byte result[2 * slot_size];
    fill_slot(result);
    blend<Bytes>(warp.registers + offset, result, warp.mask);
  }
}

/// d = {a, b}, a low. Whole is the packed type, Part that of an element in its lane.
template <class Whole, class Part, unsigned Bits>
const Op* pack_pair(Warp& warp, const Op* op) {
  const std::byte* low = warp.registers + op->a;
  const std::byte* high = warp.registers + op->b;
  write_slot<sizeof(Whole)>(warp, op->d, [=](std::byte* out) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < lanes; ++lane) {
      write_lane<Whole>(out, lane,
                        Whole{read_lane<Part>(low, lane)} | Whole{read_lane<Part>(high, lane)} << Bits);
    }
  });
  set_poison(warp, op->pd, warp.poison[op->pa] | warp.poison[op->pb]);
  return op + 1;
}
/// {d, b} = a, d low.
template <class Whole, class Part, unsigned Bits>
const Op* unpack_pair(Warp& warp, const Op* op) {
  alignas(64) std::byte whole[2 * slot_size];
  std::memcpy(whole, warp.registers + op->a, lanes * sizeof(Whole));
  const std::byte* in = whole;
  write_slot<4>(warp, op->d, [=](std::byte* out) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < lanes; ++lane)
      write_lane<Part>(out, lane, static_cast<Part>(read_lane<Whole>(in, lane)));
  });
  write_slot<4>(warp, op->b, [=](std::byte* out) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < lanes; ++lane) {
      write_lane<Part>(out, lane, static_cast<Part>(read_lane<Whole>(in, lane) >> Bits));
    }
  });
  const std::uint32_t poisoned = warp.poison[op->pa];
  set_poison(warp, op->pd, poisoned);
  set_poison(warp, op->pb, poisoned);
  return op + 1;
}

/// lop3: `offset` is the truth table.
const Op* logic3(Warp& warp, const Op* op) {
  const std::byte* a = warp.registers + op->a;
  const std::byte* b = warp.registers + op->b;
  const std::byte* c = warp.registers + op->c;
  const auto table = static_cast<std::uint32_t>(op->offset);
  const auto row = [table](unsigned which) { return 0U - (table >> which & 1U); };
  const std::uint32_t rows[8] = {row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)};
  write_slot<4>(warp, op->d, [&](std::byte* out) {
#pragma GCC ivdep
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const auto x = read_lane<std::uint32_t>(a, lane);
      const auto y = read_lane<std::uint32_t>(b, lane);
      const auto z = read_lane<std::uint32_t>(c, lane);
      const std::uint32_t without =
          (~y & ~z & rows[0]) | (~y & z & rows[1]) | (y & ~z & rows[2]) | (y & z & rows[3]);
      const std::uint32_t with =
          (~y & ~z & rows[4]) | (~y & z & rows[5]) | (y & ~z & rows[6]) | (y & z & rows[7]);
      write_lane<std::uint32_t>(out, lane, (~x & without) | (x & with));
    }
  });
  set_poison(warp, op->pd, poison_of_sources<3>(warp, op));
  return op + 1;
}

Handler select_special(SpecialStep which) {
  switch (which) {
    case SpecialStep::pack_halves:
      return &pack_pair<std::uint32_t, std::uint16_t, 16>;
    case SpecialStep::unpack_halves:
      return &unpack_pair<std::uint32_t, std::uint16_t, 16>;
    case SpecialStep::pack_words:
      return &pack_pair<std::uint64_t, std::uint32_t, 32>;
    case SpecialStep::unpack_words:
      return &unpack_pair<std::uint64_t, std::uint32_t, 32>;
    case SpecialStep::logic3:
      return &logic3;
  }
  return nullptr;
}

template <bool Checked>
struct Chooser {
  Opcode opcode;
  Handler chosen = nullptr;

  template <class F>
  void operator()() {
    choose<F>(&F::apply);
  }
  template <class F, class R, class... A>
  void choose(R (*)(A...)) {
    constexpr bool all_predicates = std::is_same_v<R, bool> && (std::is_same_v<A, bool> && ...);
    if constexpr (sizeof...(A) > 3) {
      return;
    } else if constexpr (std::is_same_v<R, bool> && !all_predicates) {
      // `set` writes a number: lane by lane.
      if (opcode == Opcode::setp) chosen = &CompareStep<F, Checked, A...>::run;
    } else {
      chosen = &Step<F, Checked, R, A...>::run;
    }
  }
};

Handler select_alu(const Instruction& instruction, bool checked) {
  if (checked) {
    Chooser<true> chooser{instruction.op};
    visit_operation(instruction, chooser);
    return chooser.chosen;
  }
  Chooser<false> chooser{instruction.op};
  visit_operation(instruction, chooser);
  return chooser.chosen;
}

}  // namespace
}  // namespace evo::evaluators::virtual_device::warp::EVO_ISA
