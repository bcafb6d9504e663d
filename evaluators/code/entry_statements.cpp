#include "evaluators/code/entry_statements.hpp"

namespace evo::evaluators::code {

std::vector<const Statement*> statements_of_entry(const PtxModule& module, std::string_view entry) {
  std::vector<const Statement*> found;
  bool inside = false;
  for (const Statement& statement : module.statements()) {
    if (statement.scope == 0) {
      const auto words = words_of(statement.text);
      inside = false;
      for (std::size_t i = 0; i + 1 < words.size(); ++i)
        inside = inside || (words[i].ends_with("entry") && words[i + 1] == entry);
    } else if (inside) {
      found.push_back(&statement);
    }
  }
  return found;
}

}  // namespace evo::evaluators::code
