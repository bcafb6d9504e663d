#include "evaluators/devices/virtual/semantics/scalar.hpp"

#include <type_traits>

#include "evaluators/devices/virtual/semantics/rare.hpp"
#include "evaluators/devices/virtual/semantics/visit.hpp"

namespace evo::evaluators::virtual_device::semantics {
namespace {

template <class T>
T take(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) {
    return (bits & 1) != 0;
  } else if constexpr (std::is_same_v<T, float>) {
    return f32_of(static_cast<std::uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return f64_of(bits);
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
    return T{static_cast<std::uint32_t>(bits & 0xffff)};
  } else if constexpr (std::is_same_v<T, Half2> || std::is_same_v<T, Bfloat2>) {
    return T{static_cast<std::uint32_t>(bits)};
  } else {
    return static_cast<T>(bits);
  }
}
template <class T>
std::uint64_t give(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else if constexpr (std::is_floating_point_v<T>) {
    return bits_of(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(value);
  } else {
    return value.bits;
  }
}

template <class R, class... A, std::size_t... I>
std::uint64_t call(R (*function)(A...), const std::uint64_t* sources, std::index_sequence<I...>) {
  return give(function(take<A>(sources[I])...));
}
template <class R, class... A>
std::uint64_t call(R (*function)(A...), const std::uint64_t* sources) {
  return call(function, sources, std::index_sequence_for<A...>{});
}

template <class Op>
ScalarResult plain(const Instruction&, const std::uint64_t* sources) {
  return {call(&Op::apply, sources), false};
}
template <class Op>
ScalarResult compared(const Instruction& i, const std::uint64_t* sources) {
  const bool result = call(&Op::apply, sources) != 0;
  const bool third = (sources[2] & 1) != 0;
  const bool first = combine(i.bool_op, result, third);
  if (i.op == Opcode::set) return {first ? set_value(i.type) : 0, false};
  return {first ? 1U : 0U, combine(i.bool_op, !result, third)};
}

struct Chooser {
  bool compares;
  ScalarFunction chosen = nullptr;
  template <class Op>
  void operator()() {
    if constexpr (std::is_same_v<decltype(result_type(&Op::apply)), bool>) {
      chosen = compares ? &compared<Op> : &plain<Op>;
    } else {
      chosen = &plain<Op>;
    }
  }
  template <class R, class... A>
  static R result_type(R (*)(A...));
};

}  // namespace

ScalarFunction scalar_function(const Instruction& instruction) {
  Chooser chooser{instruction.op == Opcode::setp || instruction.op == Opcode::set};
  if (visit_operation(instruction, chooser)) return chooser.chosen;
  return rare_function(instruction);
}

}  // namespace evo::evaluators::virtual_device::semantics
