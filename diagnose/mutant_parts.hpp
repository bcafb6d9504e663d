// The parts of mutants_of().
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnose/mutants.hpp"

namespace evo::diagnose {

/// Collects changes of one source.
class MutantList {
 public:
  MutantList(const std::string& source, const SourceText& text, const KernelNames& names)
      : source_(source), text_(text), names_(names), variables_(variables_of(text)) {}

  struct Change {
    std::size_t begin = 0, end = 0;  ///< offsets in the source
    std::string with;
  };
  /// Changes in ascending order, without overlap.
  void add(const std::string& kind, int line, const std::vector<Change>& changes, const std::string& what,
           const std::string& with = {});
  /// One token by another text.
  void swap_token(const std::string& kind, std::size_t token, const std::string& with);

  [[nodiscard]] const SourceText& text() const { return text_; }
  [[nodiscard]] const std::vector<Token>& tokens() const { return text_.tokens; }
  [[nodiscard]] const KernelNames& names() const { return names_; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] const Variable* variable(std::size_t function, const std::string& name) const;
  /// The source's own words.
  [[nodiscard]] std::string words(Span tokens) const;
  [[nodiscard]] Change replace(Span tokens, const std::string& with) const;
  [[nodiscard]] Change insert_before(std::size_t token, const std::string& what) const;
  [[nodiscard]] Change insert_after(std::size_t token, const std::string& what) const;

  std::vector<Mutant> take() { return std::move(mutants_); }

 private:
  const std::string& source_;
  const SourceText& text_;
  const KernelNames& names_;
  std::vector<Variable> variables_;
  std::vector<Mutant> mutants_;
  std::set<std::string> seen_;
};

/// From the token left (correct) of an operator to the beginning (end) of its operand: a postfix expression.
[[nodiscard]] std::size_t operand_begin(const std::vector<Token>& tokens, std::size_t last, std::size_t from);
[[nodiscard]] std::size_t operand_end(const std::vector<Token>& tokens, std::size_t first, std::size_t until);

using MutantMaker = std::function<void(MutantList&)>;
/// nullptr for a kind that there is none of.
[[nodiscard]] MutantMaker control_mutants(const std::string& kind);
[[nodiscard]] MutantMaker number_mutants(const std::string& kind);
[[nodiscard]] MutantMaker operand_mutants(const std::string& kind);
[[nodiscard]] MutantMaker index_mutants(const std::string& kind);
[[nodiscard]] MutantMaker type_mutants(const std::string& kind);
[[nodiscard]] MutantMaker race_mutants(const std::string& kind);

[[nodiscard]] inline bool one_of(const Token& token, std::initializer_list<std::string_view> wanted) {
  return std::find(wanted.begin(), wanted.end(), token.text) != wanted.end();
}

/// Calls `visit(statement, token)` for each token of each statement.
template <class Visit>
void each_token(const MutantList& list, Visit visit) {
  for (const Statement& statement : list.text().statements) {
    for (std::size_t i = statement.span.begin; i < statement.span.end; ++i) visit(statement, i);
  }
}

}  // namespace evo::diagnose
