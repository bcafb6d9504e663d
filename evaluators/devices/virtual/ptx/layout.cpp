#include "evaluators/devices/virtual/ptx/layout.hpp"

#include <algorithm>
#include <bit>

#include "evaluators/devices/virtual/ptx/opcode.hpp"

namespace evo::evaluators::virtual_device::ptx {
namespace {

using Kind = AstOperand::Kind;

class Builder {
 public:
  Builder(const Module& module, Program& program) : module_(module), program_(program) {
    layout_.used.assign(module.variables.size(), false);
    layout_.in_register.assign(module.variables.size(), false);
    layout_.address.assign(module.variables.size(), 0);
    for (std::uint32_t i = 0; i < module.variables.size(); ++i)
      by_name_.try_emplace(module.variables[i].name, i);
  }

  Layout build(std::uint32_t entry) {
    seen_.assign(module_.functions.size(), false);
    pointed_to_.assign(module_.functions.size(), false);
    reach(entry);
    for (std::size_t next = 0; next < layout_.functions.size(); ++next) {
      const Function& function = module_.functions[layout_.functions[next]];
      for (const AstOperand& operand : function.operands) {
        if (operand.kind == Kind::variable) use(operand.index);
        if (operand.kind != Kind::name) continue;
        const auto callee = module_.function_index.find(operand.text);
        if (callee != module_.function_index.end()) reach(callee->second);
      }
      find_pointers(function);
      find_register_parameters(function);
    }
    place_all();
    return std::move(layout_);
  }

 private:
  void use(std::uint32_t variable) {
    if (layout_.used[variable]) return;
    layout_.used[variable] = true;
    const Variable& v = module_.variables[variable];
    for (std::uint32_t i = 0; i < v.value_count; ++i) {
      const AstOperand& value = module_.initialisers[v.first_value + i];
      if (value.kind != Kind::name) continue;
      const auto other = by_name_.find(value.text);
      if (other != by_name_.end()) {
        pending_.push_back(other->second);
      } else {
        point_to(value.text);
      }
    }
    while (!pending_.empty()) {
      const std::uint32_t other = pending_.back();
      pending_.pop_back();
      use(other);
    }
  }

  void reach(std::uint32_t function) {
    if (!seen_[function]) layout_.functions.push_back(function);
    seen_[function] = true;
  }
  /// Somebody may hold the address of what is named so.
  void point_to(std::string_view name) {
    const auto found = module_.function_index.find(name);
    if (found == module_.function_index.end() || pointed_to_[found->second]) return;
    const Function& function = module_.functions[found->second];
    if (!function.has_body || function.is_entry) return;
    pointed_to_[found->second] = true;
    layout_.pointed_to.push_back(found->second);
    reach(found->second);
  }
  void find_pointers(const Function& function) {
    for (const AstInstruction& instruction : function.instructions) {
      if (instruction.opcode == "call" || instruction.opcode.starts_with("call.")) continue;
      for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
        const AstOperand& operand = function.operands[instruction.first_operand + i];
        if (operand.kind == Kind::name) point_to(operand.text);
      }
    }
  }

  void find_register_parameters(const Function& function) {
    for (const std::uint32_t index : function.locals) {
      const Variable& v = module_.variables[index];
      layout_.in_register[index] =
          v.space == Space::param && !v.is_array && v.count == 1 && size_of(v.type) >= 2;
    }
    std::vector<bool>& whole = layout_.in_register;
    for (const AstInstruction& instruction : function.instructions) {
      for (std::uint32_t i = 0; i < instruction.operand_count; ++i) {
        const AstOperand& operand = function.operands[instruction.first_operand + i];
        if (operand.kind == Kind::variable) whole[operand.index] = false;
        if (operand.kind != Kind::address) continue;
        const AstOperand& base = function.operands[operand.first];
        if (base.kind != Kind::variable || !whole[base.index]) continue;
        whole[base.index] = accesses_whole(function, instruction, operand, module_.variables[base.index]);
      }
    }
  }

  /// `ld.param.T r, [v]` or `st.param.T [v], r` with T, r and v of one size.
  bool accesses_whole(const Function& function, const AstInstruction& instruction, const AstOperand& address,
                      const Variable& variable) const {
    if (address.value != 0 || instruction.operand_count != 2) return false;
    const Form form = decode_opcode(instruction.opcode);
    if (!form.known || form.prototype.vector != 1) return false;
    if (form.shape != Shape::load && form.shape != Shape::store) return false;
    if (size_of(form.prototype.type) != size_of(variable.type)) return false;
    const AstOperand& value =
        function.operands[instruction.first_operand + (form.shape == Shape::load ? 0 : 1)];
    if (value.kind != Kind::reg) return form.shape == Shape::store && value.kind != Kind::vector;
    return size_of(function.register_types[value.index]) == size_of(variable.type);
  }

  void place_all() {
    std::uint64_t shared = 0;
    std::uint64_t dynamic_align = 0;
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      const Variable& v = module_.variables[i];
      if (!layout_.used[i]) continue;
      if (v.space == Space::shared && is_dynamic(v)) {
        dynamic_align = std::max<std::uint64_t>(dynamic_align, v.align);
      } else if (v.space == Space::shared) {
        layout_.address[i] = align_up(shared, v.align);
        shared = layout_.address[i] + v.bytes();
      } else if (v.space == Space::constant) {
        place_data(i, program_.constant_image, 0);
      } else if (v.space == Space::global) {
        place_data(i, program_.global_image, global_image_base);
      }
    }
    program_.static_smem =
        static_cast<std::uint32_t>(align_up(shared, std::max<std::uint64_t>(dynamic_align, 1)));
    if (dynamic_align != 0) program_.dynamic_smem_align = static_cast<std::uint32_t>(dynamic_align);
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      const Variable& v = module_.variables[i];
      if (v.space == Space::shared && is_dynamic(v)) layout_.address[i] = program_.static_smem;
    }
    // After all addresses are known: an initialiser may name a later symbol.
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) {
      const Variable& v = module_.variables[i];
      if (!layout_.used[i]) continue;
      if (v.space == Space::constant) initialise(v, program_.constant_image, layout_.address[i]);
      if (v.space == Space::global)
        initialise(v, program_.global_image, layout_.address[i] - global_image_base);
    }
  }

  static bool is_dynamic(const Variable& v) { return v.is_extern || (v.is_array && v.count == 0); }

  void place_data(std::uint32_t index, std::vector<std::uint8_t>& image, std::uint64_t base) {
    const Variable& v = module_.variables[index];
    const std::uint64_t offset = align_up(image.size(), v.align);
    image.resize(offset + v.bytes(), 0);
    layout_.address[index] = base + offset;
    program_.data_symbols.push_back({std::string(v.name), v.space, offset, v.bytes(), v.value_count > 0});
  }

  void initialise(const Variable& v, std::vector<std::uint8_t>& image, std::uint64_t offset) const {
    const unsigned width = size_of(v.type);
    for (std::uint32_t i = 0; i < v.value_count; ++i) {
      const AstOperand& value = module_.initialisers[v.first_value + i];
      std::uint64_t raw = value.value;
      if (value.kind == Kind::name) {
        const auto symbol = by_name_.find(value.text);
        const auto function = module_.function_index.find(value.text);
        if (symbol != by_name_.end()) {
          raw = layout_.address[symbol->second] + value.value;
        } else if (function != module_.function_index.end()) {
          raw = function_address(function->second);
        }
      } else if (value.kind == Kind::real64 && v.type == Type::f32) {
        raw = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.value)));
      }
      for (unsigned byte = 0; byte < width; ++byte) {
        image[offset + std::uint64_t{i} * width + byte] = static_cast<std::uint8_t>(raw >> (8 * byte));
      }
    }
  }

  const Module& module_;
  Program& program_;
  Layout layout_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::vector<std::uint32_t> pending_;
  std::vector<bool> seen_, pointed_to_;  ///< by function
};

}  // namespace

Layout lay_out(const Module& module, std::uint32_t entry, Program& program) {
  return Builder(module, program).build(entry);
}

}  // namespace evo::evaluators::virtual_device::ptx
