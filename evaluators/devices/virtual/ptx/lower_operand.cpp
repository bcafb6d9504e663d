#include <bit>

#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

using Kind = AstOperand::Kind;

std::uint64_t truncated(std::uint64_t value, unsigned bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

bool immediate_bits(const AstOperand& operand, Type type, std::uint64_t& bits) {
  if (type == Type::pred) {
    bits = operand.value != 0 ? 1 : 0;
    // The compiler writes true as -1 as well.
    return operand.kind == Kind::integer && operand.value + 1 <= 2;
  }
  const unsigned bytes = size_of(type);
  if (operand.kind == Kind::integer) {
    bits = truncated(operand.value, bytes);
    return true;
  }
  if (bytes != 4 && bytes != 8) return false;
  if (operand.kind == Kind::real32) {
    bits = bytes == 4 ? operand.value
                      : std::bit_cast<std::uint64_t>(
                            double{std::bit_cast<float>(static_cast<std::uint32_t>(operand.value))});
  } else {
    bits = bytes == 8
               ? operand.value
               : std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.value)));
  }
  return true;
}

/// A register can stand where a value of `type` is wanted: predicates for predicates, else at least as wide.
bool holds(Type register_type, Type type) {
  if (register_type == Type::none || type == Type::none) return false;
  if ((register_type == Type::pred) != (type == Type::pred)) return false;
  return size_of(register_type) >= size_of(type);
}

}  // namespace

bool Lowering::bind_source(const Frame& frame, const AstOperand& operand, Type type, Operand& out) const {
  out = Operand{};
  out.negated = operand.negated;
  if (operand.negated && type != Type::pred) return false;
  switch (operand.kind) {
    case Kind::reg:
      out.kind = Operand::Kind::reg;
      out.index = frame.first_register + operand.index;
      return holds(frame.function->register_types[operand.index], type);
    case Kind::special:
      out.kind = Operand::Kind::special;
      out.index = operand.index;
      return size_of(type) >= 4 && !operand.negated;
    case Kind::integer:
    case Kind::real32:
    case Kind::real64:
      out.kind = Operand::Kind::immediate;
      return immediate_bits(operand, type, out.bits);
    case Kind::variable: {
      out.kind = Operand::Kind::immediate;
      Space space = Space::none;
      if (size_of(type) < 4 || !symbol_address(frame, operand.index, out.bits, space)) return false;
      out.bits = truncated(out.bits + operand.value, size_of(type));
      return true;
    }
    case Kind::name: {
      const auto function = module_.function_index.find(operand.text);
      if (size_of(type) != 8 || function == module_.function_index.end()) return false;
      out.kind = Operand::Kind::immediate;
      out.bits = function_address(function->second);
      return module_.functions[function->second].has_body;
    }
    default:
      return false;
  }
}

bool Lowering::bind_destination(const Frame& frame, const AstOperand& operand, Type type,
                                Operand& out) const {
  out = Operand{};
  if (operand.kind == Kind::sink) return true;
  if (operand.kind != Kind::reg || operand.negated) return false;
  out.kind = Operand::Kind::reg;
  out.index = frame.first_register + operand.index;
  return holds(frame.function->register_types[operand.index], type);
}

bool Lowering::symbol_address(const Frame& frame, std::uint32_t variable, std::uint64_t& address,
                              Space& space) const {
  if (const auto place = frame.places.find(variable); place != frame.places.end()) {
    address = place->second.value;
    space = place->second.space;
    return !place->second.is_register;
  }
  space = module_.variables[variable].space;
  address = layout_.address[variable];
  return space == Space::shared || space == Space::constant || space == Space::global;
}

}  // namespace evo::evaluators::virtual_device::ptx
