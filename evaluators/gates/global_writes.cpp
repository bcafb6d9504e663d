#include "evaluators/gates/global_writes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace evo::evaluators::gates {
namespace {

using code::Operand;
using Addresses = std::set<std::size_t>;

enum Memory : std::size_t { shared, local, elsewhere, memories };

/// Instructions that only read what their addresses point to.
bool only_reads(std::string_view opcode) {
  for (const char* name : {"ld", "ldu", "ldmatrix", "wmma.load", "prefetch", "prefetchu", "tex", "tld4",
                           "txq", "suld", "suq", "mapa", "isspacep", "applypriority"}) {
    if (code::names_instruction(opcode, name)) return true;
  }
  return false;
}

bool has_space(std::string_view opcode, std::string_view space) {
  for (const std::string_view word : code::modifiers_of(opcode)) {
    if (word == space || (word.starts_with(space) && word.substr(space.size()).starts_with("::")))
      return true;
  }
  return false;
}

class Flow {
 public:
  Flow(const PtxModule& module, const ModuleNames& names)
      : module_(module), names_(names), objects_(names.variables().size()) {}

  std::vector<GlobalWrite> run() {
    const auto& all = module_.statements();
    do {
      changed_ = false;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto opcode = instruction_of(all[i]).opcode;
        if (all[i].scope == 0 || opcode.empty()) continue;
        at_ = &all[i];
        step(opcode, code::operands_of(all[i]));
      }
    } while (changed_);
    return std::move(found_);
  }

 private:
  using Name = std::pair<int, std::string_view>;  // in the pair of braces that declares it

  void step(std::string_view opcode, const std::vector<Operand>& operands) {
    if (code::names_instruction(opcode, "call")) return call(operands);
    if (operands.empty()) return;
    const bool reads = only_reads(opcode);
    const bool copies = code::names_instruction(opcode, "cp");
    Addresses sources, targets, values;
    bool addressed = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Operand& operand = operands[i];
      const Addresses held = held_by(operand);
      if (operand.address && !reads && !(copies && addressed)) {
        add(targets, held);
        add(sources, pointed_to(opcode, held));
      } else if (operand.address) {
        add(sources, pointed_to(opcode, held));
      } else if (i > 0 || operands.size() == 1) {
        add(values, held);
      }
      addressed = addressed || operand.address;
    }
    if (!reads && addressed) {
      // The name of a parameter stands for what it holds, not for an address.
      if (has_space(opcode, "param")) targets.clear();
      for (const std::size_t variable : targets) write(variable, false);
      Addresses stored = values;
      if (copies) add(stored, sources);
      const auto target = std::find_if(operands.begin(), operands.end(),
                                       [](const Operand& operand) { return operand.address; });
      store(opcode, *target, stored);
    }
    if (operands.front().address) return;
    Addresses result = std::move(values);
    add(result, sources);
    if (code::names_instruction(opcode, "cvta")) {
      if (has_space(opcode, "shared")) result.insert(object_of(shared));
      if (has_space(opcode, "local")) result.insert(object_of(local));
    }
    for (const std::string_view name : operands.front().names()) hold(here(name), result);
  }

  /// What may be in the memory at an address. Where nothing is known of a generic address, all there is.
  Addresses pointed_to(std::string_view opcode, const Addresses& address) const {
    Addresses found;
    for (const std::size_t object : address) {
      if (object < objects_) add(found, names_.variables()[object].holds);
    }
    if (has_space(opcode, "param")) {
      add(found, address);  // a parameter's name stands for what it holds
    } else if (has_space(opcode, "shared")) {
      add(found, memory_[shared]);
    } else if (has_space(opcode, "local")) {
      add(found, memory_[local]);
    } else if (has_space(opcode, "global")) {
      add(found, memory_[elsewhere]);
    } else if (!has_space(opcode, "const")) {
      for (const Memory memory : {shared, local, elsewhere}) {
        if (address.empty() || address.contains(object_of(memory))) add(found, memory_[memory]);
      }
    }
    return found;
  }

  void store(std::string_view opcode, const Operand& target, const Addresses& values) {
    if (values.empty()) return;
    if (has_space(opcode, "shared") && !has_space(opcode, "global")) return put(shared, values);
    if (has_space(opcode, "local")) return put(local, values);
    if (has_space(opcode, "param")) {
      for (const std::string_view name : target.names()) hold(here(name), values);
      return;
    }
    // A generic address may be one of global memory, too, on another path.
    for (const Memory memory : {shared, local, elsewhere}) put(memory, values);
    for (const std::size_t variable : values) write(variable, true);
  }

  void call(const std::vector<Operand>& operands) {
    std::size_t at = 0;
    std::vector<std::string_view> results;
    if (at < operands.size() && operands[at].tokens.front().is('(')) results = operands[at++].names();
    if (at >= operands.size()) return;
    const auto callee = operands[at++].names();
    std::vector<std::string_view> arguments;
    if (at < operands.size() && operands[at].tokens.front().is('(')) arguments = operands[at].names();
    auto functions = callee.empty() ? std::vector<std::size_t>() : names_.functions_named(callee.front());
    if (functions.empty()) {  // through a register: any of them
      for (std::size_t i = 0; i < names_.functions().size(); ++i) functions.push_back(i);
    }
    for (const std::size_t number : functions) {
      const ModuleFunction& function = names_.functions()[number];
      for (std::size_t i = 0; i < std::min(arguments.size(), function.parameters.size()); ++i)
        hold({function.scope, function.parameters[i]}, held_by(arguments[i]));
      for (std::size_t i = 0; i < std::min(results.size(), function.results.size()); ++i)
        hold(here(results[i]), held_by_name({function.scope, function.results[i]}));
    }
  }

  [[nodiscard]] Name here(std::string_view name) const { return {names_.scope_of(name, at_->scope), name}; }
  static void add(Addresses& into, const Addresses& from) { into.insert(from.begin(), from.end()); }

  Addresses held_by_name(const Name& name) const {
    const auto found = holds_.find(name);
    return found == holds_.end() ? Addresses{} : found->second;
  }
  Addresses held_by(std::string_view name) const {
    Addresses found = held_by_name(here(name));
    if (const auto variable = names_.variable(name)) found.insert(*variable);
    const std::string_view space = names_.space_of(name, at_->scope);
    if (space.starts_with(".shared")) found.insert(object_of(shared));
    if (space == ".local") found.insert(object_of(local));
    return found;
  }
  Addresses held_by(const Operand& operand) const {
    Addresses found;
    for (const std::string_view name : operand.names()) add(found, held_by(name));
    return found;
  }
  void hold(const Name& name, const Addresses& addresses) {
    if (addresses.empty()) return;
    Addresses& held = holds_[name];
    const std::size_t before = held.size();
    add(held, addresses);
    changed_ = changed_ || held.size() > before;
  }
  void put(Memory memory, const Addresses& addresses) {
    const std::size_t before = memory_[memory].size();
    add(memory_[memory], addresses);
    changed_ = changed_ || memory_[memory].size() > before;
  }
  /// Shared and local memory are objects, too, behind the variables of the module.
  [[nodiscard]] std::size_t object_of(Memory memory) const { return objects_ + memory; }
  void write(std::size_t variable, bool leaves) {
    if (variable >= objects_) return;
    for (GlobalWrite& known : found_) {
      if (known.variable != variable || known.at != at_) continue;
      if (leaves && !known.leaves) known.leaves = changed_ = true;
      return;
    }
    found_.push_back({variable, at_, leaves});
  }

  const PtxModule& module_;
  const ModuleNames& names_;
  std::size_t objects_;
  std::map<Name, Addresses> holds_;
  std::array<Addresses, memories> memory_;
  std::vector<GlobalWrite> found_;
  const Statement* at_ = nullptr;
  bool changed_ = false;
};

}  // namespace

std::vector<GlobalWrite> global_writes(const PtxModule& module, const ModuleNames& names) {
  if (names.variables().empty()) return {};
  return Flow(module, names).run();
}

}  // namespace evo::evaluators::gates
