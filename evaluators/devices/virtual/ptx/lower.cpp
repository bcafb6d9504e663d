#include "evaluators/devices/virtual/ptx/lower.hpp"

#include <algorithm>

namespace evo::evaluators::virtual_device::ptx {

using Kind = AstOperand::Kind;

Program Lowering::run() {
  layout_ = lay_out(module_, entry_, program_);
  const Function& entry = module_.functions[entry_];
  program_.entry = entry.name;
  program_.target = module_.target;
  program_.required_threads = entry.required_threads;
  program_.max_threads = entry.max_threads;
  program_.texts.emplace_back();
  for (const std::string_view file : module_.files) program_.files.emplace_back(file);
  if (program_.files.empty()) program_.files.emplace_back();
  resolve_locations();

  Frame frame;
  frame.function = &entry;
  for (const std::uint32_t index : entry.parameters) {
    const Variable& v = module_.variables[index];
    const auto offset = static_cast<std::uint32_t>(align_up(program_.parameter_bytes, v.align));
    const auto bytes = static_cast<std::uint32_t>(v.bytes());
    program_.parameters.push_back({std::string(v.name), v.type, offset, bytes, v.align});
    program_.parameter_bytes = offset + bytes;
    frame.places[index] = Place{false, Space::param, offset};
  }
  program_.code.reserve(std::min(entry.instructions.size() + 1, max_instructions));
  open_frame(frame);
  lower_body(frame);
  // Falling off the end is a return; and a label may stand there.
  Instruction end;
  end.op = Opcode::ret;
  end.text = text_index("ret");
  if (!program_.code.empty()) {
    end.source = program_.code.back().source;
    end.ptx_line = program_.code.back().ptx_line;
  }
  emit(end);
  close_frame(frame);
  find_blocks();
  return std::move(program_);
}

void Lowering::resolve_locations() {
  for (const AstInstruction& instruction : module_.functions[entry_].instructions) {
    if (instruction.location == 0) continue;
    // The kernel's first line, outside of whatever was inlined into it.
    std::uint32_t location = instruction.location;
    while (module_.locations[location].inlined_at != 0) location = module_.locations[location].inlined_at;
    main_file_ = module_.locations[location].file;
    break;
  }
  lines_.resize(module_.locations.size());
  for (std::size_t i = 1; i < lines_.size(); ++i) {
    const Location& location = module_.locations[i];
    lines_[i] = {location.file, location.line, location.column};
    if (location.file >= program_.files.size()) lines_[i] = {};
    const SourceLine outer = lines_[location.inlined_at];
    if (location.file != main_file_ && location.inlined_at != 0 && outer.file == main_file_)
      lines_[i] = outer;
  }
}

void Lowering::open_frame(Frame& frame) {
  const Function& function = *frame.function;
  frame.first_register = static_cast<std::uint32_t>(program_.registers.size());
  program_.registers.insert(program_.registers.end(), function.register_types.begin(),
                            function.register_types.end());
  program_.register_names.insert(program_.register_names.end(), function.register_names.begin(),
                                 function.register_names.end());
  if (program_.registers.size() > 10 * max_instructions) throw TooLarge{};
  for (const std::uint32_t index : function.locals) {
    const Space space = module_.variables[index].space;
    if (!layout_.used[index] && space != Space::param) continue;
    if (space == Space::local || (space == Space::param && !frame.places.contains(index))) {
      frame.places[index] = new_place(index);
    }
  }
}

void Lowering::lower_body(Frame& frame) {
  const Function& function = *frame.function;
  frame.starts.reserve(function.instructions.size() + 1);
  for (const AstInstruction& instruction : function.instructions) {
    frame.starts.push_back(static_cast<std::uint32_t>(program_.code.size()));
    lower_instruction(frame, instruction);
  }
  frame.starts.push_back(static_cast<std::uint32_t>(program_.code.size()));
}

void Lowering::close_frame(Frame& frame) {
  const auto place_of = [&](std::uint32_t label) { return frame.starts[frame.function->labels[label]]; };
  for (const std::uint32_t index : frame.branches)
    program_.code[index].target = place_of(program_.code[index].target);
  for (const std::uint32_t index : frame.returns) program_.code[index].target = frame.starts.back();
  for (const std::uint32_t table : frame.tables) {
    for (std::uint32_t& target : program_.branch_tables[table]) target = place_of(target);
  }
}

const Lowering::CachedForm& Lowering::form_of(std::string_view opcode) {
  const auto [place, added] = forms_.try_emplace(opcode);
  if (added) {
    place->second.form = decode_opcode(opcode);
    place->second.text = text_index(opcode);
  }
  return place->second;
}

std::uint32_t Lowering::text_index(std::string_view text) {
  const auto [place, added] = texts_.try_emplace(text, static_cast<std::uint32_t>(program_.texts.size()));
  if (added) program_.texts.emplace_back(text);
  return place->second;
}

void Lowering::emit(const Instruction& instruction) {
  if (program_.code.size() >= max_instructions) throw TooLarge{};
  program_.code.push_back(instruction);
}

Instruction Lowering::start(const Frame& frame, const AstInstruction& source) const {
  Instruction out;
  out.ptx_line = source.ptx_line;
  out.source = lines_[source.location];
  if (frame.caller != nullptr && out.source.file != main_file_) out.source = frame.call_site;
  if (source.guard != no_index) {
    out.guard.kind = Operand::Kind::reg;
    out.guard.negated = source.guard_negated;
    out.guard.index = frame.first_register + source.guard;
  }
  return out;
}

void Lowering::lower_instruction(Frame& frame, const AstInstruction& source) {
  const CachedForm& cached = form_of(source.opcode);
  const Form& form = cached.form;
  const Instruction blank = start(frame, source);
  bool done = form.known;
  if (done && source.guard != no_index) done = frame.function->register_types[source.guard] == Type::pred;
  if (done) {
    Instruction out = form.prototype;
    out.ptx_line = blank.ptx_line;
    out.source = blank.source;
    out.guard = blank.guard;
    out.text = cached.text;
    if (out.op == Opcode::ret && frame.caller != nullptr) {
      if (source.operand_count == 0) return lower_return(frame, source, out);
      done = false;
    }
    switch (form.shape) {
      case Shape::plain:
        done = done && lower_plain(frame, source, form, out);
        break;
      case Shape::move:
        done = lower_move(frame, source, form, out);
        break;
      case Shape::load:
      case Shape::store:
      case Shape::atomic:
      case Shape::reduce:
      case Shape::address:
        done = lower_memory(frame, source, form, out);
        break;
      case Shape::barrier:
        done = lower_barrier(frame, source, form, out);
        break;
      case Shape::matrix:
        done = lower_matrix(frame, source, out);
        if (done && out.op == Opcode::unsupported) return;  // several instructions
        break;
      case Shape::async_copy:
        done = lower_async_copy(frame, source, out);
        break;
      case Shape::policy:
        done = lower_policy(frame, source, out);
        break;
      case Shape::bulk_copy:
        done = lower_bulk_copy(frame, source, out);
        break;
      case Shape::mbarrier:
        done = lower_mbarrier(frame, source, out);
        break;
      case Shape::warpgroup:
        done = lower_warpgroup(frame, source, out);
        break;
      case Shape::wait_group:
        done = lower_group_number(frame, source, out);
        break;
      case Shape::texture:
        done = lower_texture(frame, source, out);
        break;
      case Shape::surface:
        done = lower_surface(frame, source, out);
        break;
      case Shape::branch:
        done = lower_branch(frame, source, out);
        break;
      case Shape::table:
        done = lower_table(frame, source, out);
        break;
      case Shape::call:
        done = lower_call(frame, source, out);
        if (done && out.op == Opcode::unsupported) return;  // inlined
        break;
    }
    if (done) return emit(out);
  }
  emit_unknown(source, blank);
}

bool Lowering::lower_plain(Frame& frame, const AstInstruction& source, const Form& form, Instruction& out) {
  std::uint32_t next = 0;
  if (form.dst_count > 0) {
    if (source.operand_count == 0 ||
        !bind_destination(frame, operand(frame, source, 0), form.dst[0], out.dst[0])) {
      return false;
    }
    next = 1;
    out.dst_count = 1;
    if (form.dst_count > 1 && source.operand_count > 1 && operand(frame, source, 1).piped) {
      if (!bind_destination(frame, operand(frame, source, 1), form.dst[1], out.dst[1])) return false;
      next = 2;
      out.dst_count = 2;
    }
  }
  const std::uint32_t sources = source.operand_count - next;
  if (sources < form.src_min || sources > form.src_max) return false;
  for (std::uint32_t i = 0; i < sources; ++i) {
    const AstOperand& from = operand(frame, source, next + i);
    if (from.piped || !bind_source(frame, from, form.src[i], out.src[i])) return false;
  }
  out.src_count = static_cast<std::uint8_t>(sources);
  switch (out.op) {
    case Opcode::setp:
    case Opcode::set:
      return (sources == 3) == (out.bool_op != BoolOp::none);
    case Opcode::lop3:
      // The table is no operand: interpreters specialise on it.
      if (out.src[3].kind != Operand::Kind::immediate || out.src[3].bits > 255) return false;
      out.immediate = out.src[3].bits;
      out.src[3] = Operand{};
      out.src_count = 3;
      return true;
    case Opcode::cp_async_wait:
    case Opcode::bulk_wait:
      return sources == 0 || out.src[0].kind == Operand::Kind::immediate;
    default:
      return true;
  }
}

bool Lowering::lower_move(Frame& frame, const AstInstruction& source, const Form& form, Instruction& out) {
  if (source.operand_count != 2) return false;
  const AstOperand& to = operand(frame, source, 0);
  const AstOperand& from = operand(frame, source, 1);
  const bool unpacks = to.kind == Kind::vector;
  const bool packs = from.kind == Kind::vector;
  if (!unpacks && !packs) {
    if (!lower_plain(frame, source, form, out)) return false;
    // A parameter of an inlined function lives in local memory.
    if (out.op == Opcode::cvta && out.space == Space::param && frame.caller != nullptr)
      out.space = Space::local;
    return true;
  }
  const std::uint32_t count = unpacks ? to.count : from.count;
  const AstOperand* parts = &frame.function->operands[unpacks ? to.first : from.first];
  if (out.op != Opcode::mov || unpacks == packs || (count != 2 && count != 4)) return false;
  const unsigned width = size_of(out.type) / count;
  const Type part = width == 4 ? Type::b32 : width == 2 ? Type::b16 : width == 1 ? Type::b8 : Type::none;
  if (part == Type::none) return false;
  out.op = unpacks ? Opcode::unpack : Opcode::pack;
  out.type2 = part;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool bound = unpacks ? bind_destination(frame, parts[i], part, out.dst[i])
                               : bind_source(frame, parts[i], part, out.src[i]);
    if (!bound) return false;
  }
  out.dst_count = static_cast<std::uint8_t>(unpacks ? count : 1);
  out.src_count = static_cast<std::uint8_t>(unpacks ? 1 : count);
  return unpacks ? bind_source(frame, from, out.type, out.src[0])
                 : bind_destination(frame, to, out.type, out.dst[0]);
}

}  // namespace evo::evaluators::virtual_device::ptx
