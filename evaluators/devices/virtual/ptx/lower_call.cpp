// Calls: device functions are inlined, printf and assertions become instructions of their own.
#include <algorithm>

#include "evaluators/devices/virtual/ptx/lower.hpp"

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

Lowering::Place Lowering::new_place(std::uint32_t variable) {
  const Variable& v = module_.variables[variable];
  Place place;
  if (v.space == Space::param && layout_.in_register[variable]) {
    place.is_register = true;
    place.value = program_.registers.size();
    program_.registers.push_back(v.type);
    program_.register_names.emplace_back(v.name);
  } else {
    place.value = align_up(program_.local_bytes, v.align);
    if (place.value + v.bytes() > max_local_bytes) throw TooLarge{};
    program_.local_bytes = static_cast<std::uint32_t>(place.value + v.bytes());
  }
  return place;
}

bool Lowering::read_list(const Frame& frame, const AstOperand& list,
                         std::vector<std::uint32_t>& variables) const {
  for (std::uint32_t i = 0; i < list.count; ++i) {
    const AstOperand& element = frame.function->operands[list.first + i];
    if (element.kind != Kind::variable || !frame.places.contains(element.index)) return false;
    variables.push_back(element.index);
  }
  return true;
}

/// `call{.uni} {(results),} function{, (arguments)}`. True: `out` is to be emitted unless it became a nop (a
/// call that was inlined leaves Opcode::mov without operands, which the caller drops).
bool Lowering::lower_call(Frame& frame, const AstInstruction& source, Instruction& out) {
  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> arguments;
  std::uint32_t next = 0;
  if (source.operand_count == 0) return false;
  if (operand(frame, source, 0).kind == Kind::list) {
    if (!read_list(frame, operand(frame, source, 0), results) || source.operand_count < 2) return false;
    next = 1;
  }
  const AstOperand& target = operand(frame, source, next++);
  if (target.kind == Kind::reg) return lower_indirect_call(frame, source, next, results, out);
  if (target.kind != Kind::name) return false;
  if (next < source.operand_count) {
    const AstOperand& list = operand(frame, source, next++);
    if (list.kind != Kind::list || !read_list(frame, list, arguments)) return false;
  }
  if (next != source.operand_count) return false;
  const auto found = module_.function_index.find(target.text);
  if (found == module_.function_index.end()) return false;
  const Function& callee = module_.functions[found->second];
  if (!callee.has_body) return lower_runtime_call(frame, target.text, results, arguments, out);
  return inline_call(frame, callee, results, arguments, out);
}

bool Lowering::lower_runtime_call(Frame& frame, std::string_view name,
                                  const std::vector<std::uint32_t>& results,
                                  const std::vector<std::uint32_t>& arguments, Instruction& out) {
  if (name == "vprintf" && arguments.size() == 2) {
    out.op = Opcode::call_vprintf;
  } else if (name == "__assertfail" && arguments.size() == 5) {
    out.op = Opcode::call_assertfail;
  } else {
    return false;
  }
  const auto held_in = [&](std::uint32_t variable, Operand& held) {
    const Place& place = frame.places.at(variable);
    held.kind = Operand::Kind::reg;
    held.index = static_cast<std::uint32_t>(place.value);
    return place.is_register;
  };
  for (const std::uint32_t argument : arguments) {
    if (!held_in(argument, out.src[out.src_count++])) return false;
  }
  if (results.size() == 1 && !held_in(results[0], out.dst[out.dst_count++])) return false;
  return true;
}

void Lowering::copy_parameter(const Place& from, const Place& to, Type type, const Instruction& call) {
  Instruction copy;
  copy.guard = call.guard;
  copy.source = call.source;
  copy.ptx_line = call.ptx_line;
  copy.text = call.text;
  copy.type = copy.type2 = type;
  const auto held = [](const Place& place) {
    Operand result;
    result.kind = Operand::Kind::reg;
    result.index = static_cast<std::uint32_t>(place.value);
    return result;
  };
  if (from.is_register) {
    copy.op = to.is_register ? Opcode::mov : Opcode::st;
    copy.src[0] = held(from);
    copy.src_count = 1;
  }
  if (to.is_register) {
    copy.op = from.is_register ? Opcode::mov : Opcode::ld;
    copy.dst[0] = held(to);
    copy.dst_count = 1;
  }
  if (copy.op != Opcode::mov) {
    copy.space = Space::local;
    copy.offset = static_cast<std::int64_t>(from.is_register ? to.value : from.value);
  }
  emit(copy);
}

/// No recursion that goes too deep, and with parameters and results of the same sizes?
bool Lowering::can_inline(const Frame& frame, const Function& callee,
                          const std::vector<std::uint32_t>& results,
                          const std::vector<std::uint32_t>& arguments) {
  unsigned within = 0;
  for (const Frame* outer = &frame; outer != nullptr; outer = outer->caller)
    within += outer->function == &callee ? 1 : 0;
  recurses_ = recurses_ || within > 0;
  if (within > recursion_) {
    too_deep_ = true;
    return false;
  }
  if (callee.is_entry || results.size() != callee.results.size() ||
      arguments.size() != callee.parameters.size()) {
    return false;
  }
  const auto same_size = [this](std::uint32_t a, std::uint32_t b) {
    return module_.variables[a].bytes() == module_.variables[b].bytes();
  };
  return std::equal(results.begin(), results.end(), callee.results.begin(), same_size) &&
         std::equal(arguments.begin(), arguments.end(), callee.parameters.begin(), same_size);
}

bool Lowering::inline_call(Frame& frame, const Function& callee, const std::vector<std::uint32_t>& results,
                           const std::vector<std::uint32_t>& arguments, const Instruction& call) {
  if (!can_inline(frame, callee, results, arguments)) return false;

  // A predicated call: jump around the body.
  std::uint32_t skip = no_index;
  if (call.guard.kind != Operand::Kind::none) {
    Instruction around = call;
    around.op = Opcode::bra;
    around.guard.negated = !around.guard.negated;
    skip = static_cast<std::uint32_t>(program_.code.size());
    emit(around);
  }
  Instruction unguarded = call;
  unguarded.guard = Operand{};
  Frame inner;
  inner.function = &callee;
  inner.caller = &frame;
  inner.call_site = call.source;
  const auto share = [&](const std::vector<std::uint32_t>& formal, const std::vector<std::uint32_t>& actual) {
    for (std::size_t i = 0; i < formal.size(); ++i) {
      const Place& place = frame.places.at(actual[i]);
      inner.places[formal[i]] =
          place.is_register == layout_.in_register[formal[i]] ? place : new_place(formal[i]);
    }
  };
  share(callee.parameters, arguments);
  share(callee.results, results);
  const auto reconcile = [&](std::uint32_t formal, std::uint32_t actual, bool inwards) {
    const Place& outside = frame.places.at(actual);
    const Place& inside = inner.places.at(formal);
    if (outside.is_register == inside.is_register) return;
    copy_parameter(inwards ? outside : inside, inwards ? inside : outside, module_.variables[formal].type,
                   unguarded);
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) reconcile(callee.parameters[i], arguments[i], true);
  open_frame(inner);
  lower_body(inner);
  close_frame(inner);
  for (std::size_t i = 0; i < results.size(); ++i) reconcile(callee.results[i], results[i], false);
  if (skip != no_index) program_.code[skip].target = static_cast<std::uint32_t>(program_.code.size());
  return true;
}

}  // namespace evo::evaluators::virtual_device::ptx
