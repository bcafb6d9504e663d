#include "evaluators/gates/ptx_flow.hpp"

#include <algorithm>
#include <optional>

namespace evo::evaluators::gates {
namespace {

bool is_one_of(std::string_view opcode, std::string_view name) {
  return opcode == name || (opcode.starts_with(name) && opcode[name.size()] == '.');
}

bool leads_elsewhere(std::string_view opcode) {
  for (const char* name : {"bra", "brx", "call", "ret", "exit", "trap"}) {
    if (is_one_of(opcode, name)) return true;
  }
  return false;
}

/// The function that a call names: behind its results, if it has any.
std::string_view callee_of(std::string_view operands) {
  const std::size_t first = operands.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && operands[first] == '(')
    operands = operands.substr(std::min(operands.find(')'), operands.size()));
  const auto words = words_of(operands);
  return words.empty() ? std::string_view() : words.front();
}

/// Name of the function that a statement of the module begins, if it does.
std::optional<std::string_view> function_name(const Statement& head) {
  if (head.scope != 0 || head.end != '{' || !head.text.starts_with('.')) return std::nullopt;
  for (const std::string_view directive : {".entry", ".func"}) {
    const std::size_t at = head.text.find(directive);
    if (at == std::string_view::npos) continue;
    return callee_of(head.text.substr(at + directive.size()));
  }
  return std::nullopt;
}

/// Labels of a function and tables of them, by name and by the pair of braces that they are known in.
class Labels {
 public:
  explicit Labels(const PtxModule& module) : module_(module) {}

  void add(const Statement& label, int node) {
    nodes_[{label.scope, label.text}] = node;
    last_ = label.text;
  }
  void add_table(const Statement& table) {
    auto names = words_of(table.text);
    names.erase(names.begin());  // branchtargets
    tables_[{table.scope, last_}] = std::move(names);
  }
  [[nodiscard]] std::vector<int> nodes_at(std::string_view name, int scope) const {
    for (;; scope = module_.scope_around(scope)) {
      if (const auto found = nodes_.find({scope, name}); found != nodes_.end()) {
        const auto table = tables_.find(found->first);
        if (table == tables_.end()) return {found->second};
        std::vector<int> all;
        for (const std::string_view entry : table->second) {
          for (const int node : nodes_at(entry, scope)) all.push_back(node);
        }
        return all;
      }
      if (scope == 0) return {};
    }
  }

 private:
  const PtxModule& module_;
  std::map<std::pair<int, std::string_view>, int> nodes_;
  std::map<std::pair<int, std::string_view>, std::vector<std::string_view>> tables_;
  std::string_view last_;
};

}  // namespace

PtxFlow::PtxFlow(const PtxModule& module, const std::function<bool(const Statement&)>& keep) {
  const auto& all = module.statements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto name = function_name(all[i]);
    if (!name) continue;
    std::vector<const Statement*> body;
    const bool entry = all[i].text.find(".entry") != std::string_view::npos;
    while (i + 1 < all.size() && all[i + 1].scope != 0) body.push_back(&all[++i]);
    by_name_[*name] = static_cast<int>(functions_.size());
    functions_.push_back({*name, entry, static_cast<int>(nodes_.size()), 0});
    add_function(module, body, keep);
  }
  connect_calls();
}

void PtxFlow::add_function(const PtxModule& module, const std::vector<const Statement*>& body,
                           const std::function<bool(const Statement&)>& keep) {
  Labels labels(module);
  FlowFunction& function = functions_.back();
  const int number = static_cast<int>(functions_.size()) - 1;
  for (const Statement* statement : body) {
    if (statement->end == ':') {
      labels.add(*statement, static_cast<int>(nodes_.size()));
    } else if (statement->text.starts_with(".branchtargets")) {
      labels.add_table(*statement);
    } else if (const auto opcode = instruction_of(*statement).opcode;
               !opcode.empty() && (leads_elsewhere(opcode) || keep(*statement))) {
      nodes_.push_back({statement, {}, number, -1});
    }
  }
  function.last = static_cast<int>(nodes_.size());
  nodes_.push_back({nullptr, {}, number, -1});
  for (int i = function.first; i < function.last; ++i) {
    FlowNode& node = nodes_[static_cast<std::size_t>(i)];
    const auto [opcode, operands] = instruction_of(*node.statement);
    const bool branches = is_one_of(opcode, "bra") || is_one_of(opcode, "brx");
    if (branches) {
      const auto words = words_of(operands);
      if (!words.empty()) node.next = labels.nodes_at(words.back(), node.statement->scope);
    }
    const bool returns = is_one_of(opcode, "ret");
    if (returns) node.next.push_back(function.last);
    const bool ends = branches || returns || is_one_of(opcode, "exit") || is_one_of(opcode, "trap");
    if (!ends || node.statement->text.front() == '@') node.next.push_back(i + 1);
  }
}

void PtxFlow::connect_calls() {
  for (FlowNode& node : nodes_) {
    if (node.statement == nullptr) continue;
    const auto [opcode, operands] = instruction_of(*node.statement);
    if (!is_one_of(opcode, "call")) continue;
    const auto found = by_name_.find(callee_of(operands));
    if (found != by_name_.end()) node.callee = found->second;
  }
  around_.resize(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    around_[i].insert(around_[i].end(), nodes_[i].next.begin(), nodes_[i].next.end());
    if (nodes_[i].callee < 0) continue;
    const FlowFunction& callee = functions_[static_cast<std::size_t>(nodes_[i].callee)];
    around_[i].push_back(callee.first);
    auto& back = around_[static_cast<std::size_t>(callee.last)];
    back.insert(back.end(), nodes_[i].next.begin(), nodes_[i].next.end());
  }
}

std::vector<bool> PtxFlow::reachable(const std::vector<int>& from, int closed) const {
  std::vector<bool> seen(nodes_.size(), false);
  std::vector<int> open = from;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const int next : around_[static_cast<std::size_t>(node)]) {
      if (next == closed || seen[static_cast<std::size_t>(next)]) continue;
      seen[static_cast<std::size_t>(next)] = true;
      open.push_back(next);
    }
  }
  return seen;
}

bool PtxFlow::reaches(int from, int to) const {
  auto found = reached_.find(from);
  if (found == reached_.end()) found = reached_.emplace(from, reachable({from}, -1)).first;
  return found->second[static_cast<std::size_t>(to)];
}

bool PtxFlow::always_after(int gate, int node) const {
  auto found = without_.find(gate);
  if (found == without_.end()) {
    std::vector<int> starts;
    for (const FlowFunction& function : functions_) {
      if (function.entry && function.first != gate) starts.push_back(function.first);
    }
    std::vector<bool> reached = reachable(starts, gate);
    for (const int start : starts) reached[static_cast<std::size_t>(start)] = true;
    found = without_.emplace(gate, std::move(reached)).first;
  }
  return !found->second[static_cast<std::size_t>(node)];
}

}  // namespace evo::evaluators::gates
